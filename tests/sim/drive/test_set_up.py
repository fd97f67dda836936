"""Groups set up through the network by a manager, hardware against model in every cycle."""

import random
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.networks.spec import GroupSpec, NetworkSpec
from syncfabric.models.planning.btm import build_tree
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.conduct import conduct_model
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from tests.models.golden import test_set_up_random
from tests.models.golden.irregular_bench import tree
from tests.models.golden.set_up_bench import IrregularBench, MeshBench, SetUpBench
from tests.models.golden.test_set_up_random import live
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.lives import Notes
from tests.sim.drive.networks import irregular, mesh

SCENARIOS = (
    Scenario(episodes=8, seed=3, policy="mixed"),
    Scenario(episodes=8, seed=4, policy="back_to_back", background=0.1, lead_in=50),
)


def job(**keys: Any) -> Job:
    """Return two groups on a network of three switches, one of which has no node."""
    network = irregular(SMALL, setup="manager", **keys)
    nodes = network.nodes
    groups = (
        GroupSpec(id=7, members=(nodes[0], nodes[3]), op="xor"),
        GroupSpec(id=9, members=nodes),
        GroupSpec(id=11, members=nodes[1:2]),
    )
    plan = make_plan(NetworkSpec(name="set-up", network=network, groups=groups))
    return Job(tuple((plan, scenario) for scenario in SCENARIOS))


def judge(outcome: Outcome) -> None:
    assert outcome.mismatches == []
    assert outcome.hang is None
    assert [len(group.latency) for group in outcome.groups] == [8, 8, 8]
    for group in outcome.groups[:2]:  # three switches: a request and a reply each
        assert group.setup is not None
        cycles, packets = group.setup
        assert packets == 6
        assert cycles < 150
    assert outcome.groups[2].setup is None  # a group of one needs nobody else
    assert outcome.counters == (0, 0, 0, 0)


KEYS = [{}, {"turnaround": "node", "cycles_per_hop": 1, "operations": "all"}]


@pytest.mark.parametrize("keys", KEYS)
def test_the_model_keeps_the_rules(keys: dict[str, Any]) -> None:
    work = job(**keys)
    for plan, scenario in work.runs:
        judge(conduct_model(plan, scenario, work, None).outcome(None))


@pytest.mark.parametrize("keys", [KEYS[0], pytest.param(KEYS[1], marks=pytest.mark.long)])
def test_hardware_agrees_with_the_model(keys: dict[str, Any]) -> None:
    work = job(**keys)
    built = build_fabric(work.runs[0][0].spec.register_network)
    for outcome in simulate_tiles(work, built).outcomes:
        judge(outcome)


def lives(kind: str, keys: dict[str, Any], rng: random.Random) -> tuple[SetUpBench[Any], Any]:
    """Return a bench of a network, and how its groups are drawn."""
    if kind == "irregular":
        network = irregular(SMALL, setup="manager", **keys)
        nodes = range(len(network.nodes))

        def cluster_group() -> Any:
            members = rng.sample(nodes, rng.randint(2, len(nodes)))
            return tree(network, members, network.nodes[members[0]][0], rng)

        return IrregularBench(network), cluster_group
    grid = mesh(3, 2, setup="manager", **keys)
    return MeshBench(grid), lambda: build_tree(
        rng.sample(grid.mesh.nodes, rng.randint(2, len(grid.mesh.nodes)))
    )


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("irregular", KEYS[0]),
        pytest.param("irregular", KEYS[1], marks=pytest.mark.long),
        pytest.param("mesh", {}, marks=pytest.mark.long),
        pytest.param("mesh", {"barrier_pipeline": 0, "operations": "all"}, marks=pytest.mark.long),
    ],
)
def test_hardware_lives_as_the_model_does(
    kind: str, keys: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups are set up, synchronize, and end by their last barrier, by CLEAR or by KILL."""
    rng = random.Random(f"{kind}{keys}")
    monkeypatch.setattr(test_set_up_random, "traffic", lambda made, rng: None)
    made, draw = lives(kind, keys, rng)
    notes = Notes(made.model, made.network.barrier_registers)
    ends = [live(made, rng, 5, draw(), number % 4) for number in range(24)]
    assert set(ends) == {"last", "kill", "clear"}
    notes.check(made.network, tmp_path)
