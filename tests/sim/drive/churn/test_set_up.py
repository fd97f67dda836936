"""Groups set up through the network by managers, hardware against model in every cycle."""

import random
from typing import Any

import pytest

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.networks.spec import (
    GroupSpec,
    IrregularSpec,
    MeshSpec,
    MessageSpec,
    NetworkSpec,
)
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.set_up import duties
from syncfabric.sim.drive.backends import run_job
from syncfabric.sim.drive.churn import MembersSetUp
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario
from syncfabric.sim.experiments.papers.btin_networks import Drawn
from tests.nightly import nightly_but
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, members, plan_of
from tests.sim.soak.networks import ENGINES

SCENARIOS = (
    Scenario(episodes=8, seed=3, policy="mixed"),
    Scenario(episodes=8, seed=4, policy="back_to_back", background=0.1, lead_in=50),
)
NETWORKS: dict[str, MessageSpec] = {
    "mesh": ENGINES["engines"].message_network,
    "irregular": irregular(SMALL, setup="manager"),
}


def job(name: str) -> Job:
    """Return two groups of several nodes, and one of a single node."""
    network = NETWORKS[name]
    nodes = network.topology.nodes
    groups = (
        members(7, nodes[0], nodes[-1], op="xor"),
        members(9, *nodes),
        members(11, nodes[1]),
    )
    plan = plan_of(network, *groups)
    return Job(tuple((plan, scenario) for scenario in SCENARIOS))


def check_outcome(work: Job, outcome: Outcome) -> None:
    assert outcome.mismatches == []
    assert outcome.hang is None
    assert [len(group.latency) for group in outcome.groups] == [8, 8, 8]
    for planned, group in zip(work.runs[0][0].engine_groups, outcome.groups, strict=True):
        assert group.setup is not None
        cycles, packets = group.setup
        assert packets == 2 * len(planned.placement)  # a router's request, and its reply
        assert cycles < 150
    assert outcome.counters == (0, 0, 0, 0)


@pytest.mark.parametrize("name", NETWORKS)
def test_the_model_keeps_the_rules(name: str) -> None:
    work = job(name)
    for plan, scenario in work.runs:
        check_outcome(work, ScenarioRunner(plan, scenario, work).run_model())


@pytest.mark.parametrize("name", nightly_but(["mesh"], NETWORKS))
def test_hardware_agrees_with_the_model(name: str) -> None:
    work = job(name)
    for outcome in run_job(work, "verilator").outcomes:
        check_outcome(work, outcome)


DRAWN = Drawn(24, 8, 8, 0.75)
KEYS: dict[str, Any] = {"transport": "link", "setup": "paper"}
ROW = (((0, 1), (1, 0)), ((1, 1), (2, 0)))


def drawn_plan(seed: int) -> BarrierPlan:
    topology, rng = DRAWN.draw(seed), random.Random(seed)
    network = IrregularSpec(
        kind="irregular",
        ports=DRAWN.ports,
        switches=DRAWN.switches,
        links=topology.links,
        nodes=topology.nodes,
        **KEYS,
    )
    groups = [
        GroupSpec(id=i, members=tuple(rng.sample(topology.nodes, size)), planner="btin")
        for i, size in enumerate((2, 4, 6))
    ]
    return make_plan(NetworkSpec(name="n", network=network, groups=tuple(groups)))


def play(plan: BarrierPlan, **keys: Any) -> tuple[Outcome, int]:
    """Return the outcome, and how many packets asked a node."""
    scenario = Scenario(episodes=4, **keys)
    runner = ScenarioRunner(plan, scenario)
    program = runner.driver.find(MembersSetUp)
    assert program is not None
    return runner.run_model(), program.batches


def test_groups_meet_when_all_is_written() -> None:
    asked = 0
    for seed in range(1, 7):
        plan = drawn_plan(seed)
        outcome, batches = play(plan, seed=seed, policy="mixed")
        assert (outcome.mismatches, outcome.hang) == ([], None)
        assert outcome.counters == (0, 0, 0, 0)
        assert [len(group.latency) for group in outcome.groups] == [4] * 3
        homes = [{member[0] for member in group.members} for group in plan.groups]
        bare = [
            group.placement.keys() - home
            for group, home in zip(plan.engine_groups, homes, strict=True)
        ]
        assert batches == sum(map(len, bare))
        asked += batches
    assert asked


def test_a_root_that_waits_for_none_hangs_its_group() -> None:
    """GO reaches routers without an entry and is dropped; no router has answered yet."""
    hangs = [play(drawn_plan(seed), seed=seed, eager=True)[0].hang for seed in range(2, 5)]
    assert any("unfinished groups" in (hang or "") for hang in hangs)


@pytest.mark.nightly
def test_hardware_is_as_the_model() -> None:
    plan = drawn_plan(2)
    job = Job(((plan, Scenario(episodes=4, seed=2, background=0.1, lead_in=50)),))
    (outcome,) = run_job(job, "verilator").outcomes
    assert (outcome.mismatches, outcome.hang) == ([], None)


def test_duties_are_all_routers_each_once() -> None:
    for seed in range(1, 7):
        plan = drawn_plan(seed)
        for group in plan.engine_groups:
            found = duties(group)
            routers = [router for share in found.values() for router in share]
            assert sorted(routers) == sorted(group.placement)
            for node, (own, *others) in found.items():
                router, port = group.graph.node(node)
                assert own == router
                members = [p for r, p in group.members if r == router]
                assert port == min(members)
                assert not {r for r, _ in group.members} & set(others)


@pytest.mark.parametrize(
    ("nodes", "members", "planner", "words"),
    [
        (
            ((0, 2), (1, 2), (2, 2)),
            ((0, 2), (2, 2)),
            "shortest",
            "root switch 1 of its tree has no",
        ),
        (((0, 2), (2, 2)), ((0, 2), (2, 2)), "btin", "switch 1 of its tree has no node, and with"),
    ],
)
def test_engines_that_cannot_be_set_up(nodes: Any, members: Any, planner: str, words: str) -> None:
    network = IrregularSpec(kind="irregular", ports=4, switches=3, links=ROW, nodes=nodes, **KEYS)
    groups = (GroupSpec(id=7, members=members, planner=planner),)
    with pytest.raises(PlanError, match=f"^group 7: {words}"):
        make_plan(NetworkSpec(name="n", network=network, groups=groups))


@pytest.mark.parametrize("keys", [{"routing": "source"}, {"channels": 0}, {"flit_bits": 24}])
def test_what_packets_need(keys: dict[str, Any]) -> None:
    ((key, value),) = keys.items()
    shown = f'"{value}"' if isinstance(value, str) else value
    with pytest.raises(
        SpecError, match=f'^network: setup = "paper" does not go with {key} = {shown}'
    ):
        IrregularSpec(
            kind="irregular", ports=4, switches=3, links=ROW, nodes=((0, 2),), **KEYS, **keys
        )


def test_it_is_for_irregular_networks() -> None:
    with pytest.raises(SpecError, match=r'^network: setup = "paper" is paper BTIN\'s way, for irr'):
        MeshSpec(kind="mesh", width=2, height=2, **KEYS)
