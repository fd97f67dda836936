"""More groups than registers, set up by managers: hardware against model in every cycle."""

import random
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.models.planning.btm import build_tree
from syncfabric.sim.drive.conduct import conduct_model
from syncfabric.sim.drive.scenario import Outcome, Scenario
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from tests.models.golden.irregular_bench import tree
from tests.models.golden.many_lives import ENDS, Lives
from tests.models.golden.set_up_bench import IrregularBench, MeshBench
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.lives import Notes
from tests.sim.drive.networks import irregular, make_job, mesh

SCENARIOS = (
    Scenario(episodes=8, seed=3, policy="mixed"),
    Scenario(episodes=8, seed=4, policy="back_to_back", background=0.1, lead_in=50),
    Scenario(episodes=8, seed=5, policy="mixed", noise=True),
)

KINDS = [
    ("irregular", {}),
    ("irregular", {"turnaround": "node", "cycles_per_hop": 1, "operations": "all"}),
    ("mesh", {}),
    ("mesh", {"barrier_pipeline": 0, "operations": "all"}),
]


BUILT = [
    KINDS[0],
    pytest.param(*KINDS[1], marks=pytest.mark.long),
    pytest.param(*KINDS[2], marks=pytest.mark.long),
    pytest.param(*KINDS[3], marks=pytest.mark.long),
]


def network(kind: str, keys: dict[str, Any]) -> RegisterSpec:
    """Return a small network of which every place has one register, with two managers."""
    managed = {"setup": "manager", "spill": True, "barrier_registers": 1, **keys}
    if kind == "irregular":
        return irregular(SMALL, managers=((2, 1), (0, 1)), **managed)
    return mesh(3, 2, managers=((2, 1), (0, 0)), **managed)


def judge(outcome: Outcome, scenario: Scenario) -> None:
    assert outcome.mismatches == []
    assert outcome.hang is None
    assert [len(group.latency) for group in outcome.groups] == [8] * 4
    assert outcome.counters is not None
    if not scenario.noise:
        assert outcome.counters == (0, 0, 0, 0)
    assert outcome.counters[:2] == (0, 0)


@pytest.mark.parametrize(("kind", "keys"), KINDS)
def test_the_model_keeps_the_rules(kind: str, keys: dict[str, Any]) -> None:
    work = make_job(network(kind, keys), random.Random(f"{kind}{keys}"), SCENARIOS)
    for plan, scenario in work.runs:
        assert None in [place for group in plan.groups for place in group.places.values()]
        judge(conduct_model(plan, scenario, work, None).outcome(None), scenario)


@pytest.mark.long
@pytest.mark.parametrize(("kind", "keys"), BUILT)
def test_hardware_agrees_with_the_model(kind: str, keys: dict[str, Any]) -> None:
    spec = network(kind, keys)
    work = make_job(spec, random.Random(f"{kind}{keys}"), SCENARIOS)
    outcomes = simulate_tiles(work, build_fabric(spec)).outcomes
    for (_, scenario), outcome in zip(work.runs, outcomes, strict=True):
        judge(outcome, scenario)


def lives(spec: RegisterSpec, rng: random.Random) -> Lives:
    """Return lives of five groups at once."""
    nodes = spec.topology.nodes
    if spec.kind == "mesh":
        return Lives(
            MeshBench(spec), lambda: build_tree(rng.sample(nodes, rng.randint(1, 6))), rng, 5
        )
    cluster = spec

    def draw() -> Any:
        members = rng.sample(range(len(nodes)), rng.randint(2, len(nodes)))
        return tree(cluster, members, nodes[members[0]][0], rng)

    return Lives(IrregularBench(cluster), draw, rng, 5)


@pytest.mark.long
@pytest.mark.parametrize(("kind", "keys"), BUILT)
def test_hardware_lives_as_the_model_does(kind: str, keys: dict[str, Any], tmp_path: Path) -> None:
    """Groups are set up, synchronize, and end by their last barrier, by CLEAR or by KILL."""
    rng = random.Random(f"{kind}{keys}")
    told = lives(network(kind, keys), rng)
    notes = Notes(told.model, 1)
    told.run(8)
    assert set(told.ends) == set(ENDS)
    notes.check(told.made.network, tmp_path)
