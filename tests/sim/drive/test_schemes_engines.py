"""Schemes on networks of engines: links counted on the map, and what each cannot do."""

import random
from typing import Any

import pytest

from syncfabric.models.networks.spec import (
    GroupSpec,
    IrregularSpec,
    MeshSpec,
    MessageSpec,
    NetworkSpec,
)
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.drive.scenario import Job, Scenario, SchemeOutcome
from syncfabric.sim.drive.simulate import run_model
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.experiments.papers.btin_networks import Drawn, Found, look
from syncfabric.sim.fabric import build_fabric

DRAWN = Drawn(12, 5, 8, 0.75)


def cluster(**keys: Any) -> IrregularSpec:
    topology = DRAWN.draw(1)
    given = {"setup": "local", "data_bits": 0, **keys}
    return IrregularSpec(
        kind="irregular",
        transport="link",
        ports=DRAWN.ports,
        switches=DRAWN.switches,
        links=topology.links,
        nodes=topology.nodes,
        **given,
    )


def mesh(**keys: Any) -> MeshSpec:
    return MeshSpec(kind="mesh", width=4, height=4, **{"transport": "routed", **keys})


def plan_of(network: MessageSpec, size: int, planner: str = "") -> BarrierPlan:
    members = tuple(random.Random(1).sample(network.topology.nodes, size))
    groups = (GroupSpec(id=1, members=members, planner=planner),)
    return make_plan(NetworkSpec(name="n", network=network, groups=groups))


def jobs(plan: BarrierPlan, schemes: tuple[str, ...], episodes: int = 1) -> Job:
    scenarios = [Scenario(episodes=episodes, scheme=name, policy="together") for name in schemes]
    return Job(tuple((plan, scenario) for scenario in scenarios))


def measured(job: Job) -> dict[str, SchemeOutcome]:
    outcomes = run_model(job).outcomes
    for outcome in outcomes:
        assert outcome.mismatches == []
        assert outcome.hang is None
    return {
        run.scheme: o.scheme for (_, run), o in zip(job.runs, outcomes, strict=True) if o.scheme
    }


@pytest.mark.parametrize("size", [4, 12])
@pytest.mark.parametrize("setup", ["local", "manager"])
def test_links_are_those_of_the_map(size: int, setup: str) -> None:
    plan = plan_of(cluster(setup=setup), size, "btin")
    counted = Found(*look(12, 5, 8, 0.75, [1], [size])[0][0])
    found = measured(jobs(plan, ("btin", "multicast", "unicast")))
    assert {name: one.between for name, one in found.items()} == {
        name: [getattr(counted, name)] for name in found
    }
    cycles = [found[name].cycles[0] for name in ("btin", "multicast", "unicast")]
    assert cycles == sorted(cycles)
    assert cycles[0] <= (plan.groups[0].bound or 0)


def test_multicast_takes_as_long_wherever_the_root_is_on_the_chain() -> None:
    """Three switches in a row, the middle one the first or the last of them."""
    cycles = []
    for root, *others in ((0, 1, 2), (2, 0, 1)):
        links = tuple(((root, port), (other, 3)) for port, other in enumerate(others, 2))
        network = IrregularSpec(
            kind="irregular",
            transport="link",
            setup="local",
            ports=4,
            switches=3,
            links=links,
            nodes=tuple((switch, 0) for switch in range(3)),
        )
        plan = plan_of(network, 3, "btin")
        assert plan.engine_groups[0].shape.root == root
        cycles += measured(jobs(plan, ("multicast",)))["multicast"].cycles
    assert cycles[0] == cycles[1]


def test_barriers_and_packets_on_a_mesh_of_routed_messages() -> None:
    found = measured(jobs(plan_of(mesh(), 9, "btm"), ("btin", "unicast", "dissemination"), 5))
    for one in found.values():
        assert len(one.cycles) == len(one.between) == 5


@pytest.mark.long
def test_hardware_is_as_the_model() -> None:
    chosen: dict[str, MessageSpec] = {"btin": cluster(), "": mesh()}
    for planner, network in chosen.items():
        schemes = ("btin", "multicast", "unicast") if planner else ("btin",)
        job = jobs(plan_of(network, 7, planner), schemes)
        alone = measured(job)
        outcomes = simulate_tiles(job, build_fabric(network)).outcomes
        for name, outcome in zip(schemes, outcomes, strict=True):
            assert outcome.mismatches == []
            assert outcome.scheme == alone[name]


@pytest.mark.parametrize(
    ("network", "scheme", "episodes", "words"),
    [
        (cluster(), "multicast", 2, "a group is told GO once: episodes = 1"),
        (cluster(routing="source"), "unicast", 1, "members send without routes"),
        (mesh(transport="link"), "unicast", 1, "packets gather at a root that is a member"),
    ],
    ids=["GO comes once", "routes", "no member at the root"],
)
def test_what_is_refused(network: MessageSpec, scheme: str, episodes: int, words: str) -> None:
    """Corners of a mesh meet in the middle."""
    plan = plan_of(network, 5)
    if isinstance(network, MeshSpec):
        corners = tuple((x, y) for x in (0, 3) for y in (0, 3))
        groups = (GroupSpec(id=1, members=corners),)
        plan = make_plan(NetworkSpec(name="n", network=network, groups=groups))
    with pytest.raises(ValueError, match=f"^{words}"):
        run_model(jobs(plan, (scheme,), episodes))


def test_packets_gather_or_go_round_on_a_mesh_of_engines() -> None:
    plan = plan_of(mesh(transport="link", message_links="shared"), 16)
    group = plan.groups[0]
    assert group.root is not None
    to_root = [(member, group.root) for member in group.members]
    rounds = [
        (member, group.members[(i + (1 << k)) % 16])
        for k in range(4)
        for i, member in enumerate(group.members)
    ]
    found = measured(jobs(plan, ("udn/stn", "dissemination"), 3))
    for name, ways in (("udn/stn", to_root), ("dissemination", rounds)):
        hops = sum(abs(a[0] - b[0]) + abs(a[1] - b[1]) for a, b in ways)
        assert found[name].between == [hops] * 3
        assert found[name].beside == [2 * sum(a != b for a, b in ways)] * 3
