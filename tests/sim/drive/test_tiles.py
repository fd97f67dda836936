"""Whole networks under Verilator, as fabrics of tiles, against the golden model in every cycle."""

import random

import pytest
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.scenario import Job, Scenario
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric

NETWORKS = {
    "default": {"width": 4, "height": 4},
    "pipeline 0, two channels": {
        "width": 3,
        "height": 5,
        "barrier_pipeline": 0,
        "channels": 2,
        "buffer_flits": 4,
    },
    "paper's route": {
        "width": 4,
        "height": 3,
        "reduction_route": "paper",
        "barrier_pipeline": 0,
        "data_bits": 1,
    },
    "own links": {
        "width": 4,
        "height": 4,
        "sync_links": "own",
        "channels": 3,
        "buffer_flits": 3,
        "barrier_registers": 2,
    },
    "spill": {"width": 4, "height": 4, "spill": True, "barrier_registers": 1},
    "serial, spill": {
        "width": 3,
        "height": 3,
        "operations": "all",
        "data_bits": 9,
        "spill": True,
        "barrier_registers": 2,
        "buffer_flits": 2,
    },
    "serial, pipeline 0, paper's route, own links": {
        "width": 5,
        "height": 4,
        "operations": "all",
        "barrier_pipeline": 0,
        "reduction_route": "paper",
        "sync_links": "own",
    },
    "column, no data": {"width": 1, "height": 7, "buffer_flits": 1, "data_bits": 0},
    "wide flits": {"width": 2, "height": 2, "flit_bits": 128, "data_bits": 32},
    "8x8": {"width": 8, "height": 8},
}
SCENARIOS = (
    Scenario(episodes=12, policy="last"),
    Scenario(episodes=20, policy="back_to_back", seed=2),
    Scenario(episodes=20, policy="mixed", seed=3, background=0.1, noise=True),
    Scenario(episodes=12, policy="skew", seed=4, background=1.0, lead_in=300),
    Scenario(episodes=20, policy="mixed", seed=5, noise=True),
)


def random_groups(network: MeshSpec, rng: random.Random) -> tuple[GroupSpec, ...]:
    """Everybody, one member alone, and random others: more than there are registers, if allowed."""
    nodes = network.mesh.nodes
    count = network.barrier_registers + 3 * network.spill
    operations = ("or", "and", "xor")
    if network.operations == "all":
        operations += ("max", "min", "sum")  # type: ignore[assignment]
    groups = []
    for number in range(count):
        size = (len(nodes), 1)[number] if number < 2 else rng.randint(2, len(nodes))
        groups.append(
            GroupSpec(
                id=rng.randrange(number * 20, number * 20 + 20),
                members=tuple(rng.sample(nodes, size)),
                planner=rng.choice(("btm", "shortest")),
                op=rng.choice(operations),
            )
        )
    return tuple(groups)


@pytest.mark.parametrize("name", NETWORKS)
def test_hardware_is_as_the_model(name: str) -> None:
    network = MeshSpec.model_validate({"kind": "mesh", **NETWORKS[name]})
    rng = random.Random(name)
    runs = []
    for scenario in SCENARIOS:
        spec = NetworkSpec(name="random", network=network, groups=random_groups(network, rng))
        runs.append((make_plan(spec), scenario))
    outcomes = simulate_tiles(Job(tuple(runs)), build_fabric(network)).outcomes
    for (plan, scenario), outcome in zip(runs, outcomes, strict=True):
        told = f"{scenario}, groups {[group.id for group in plan.groups]}"
        assert not outcome.mismatches, f"{told}: {outcome.mismatches[:5]}"
        assert outcome.hang is None, told
        for group in outcome.groups:
            assert len(group.latency) == scenario.episodes, told
            assert group.latency == group.model_latency, told
        assert outcome.counters is not None
        if not scenario.noise:
            assert outcome.counters == (0, 0, 0, 0), told
        if scenario.background:
            assert outcome.traffic.packets > 0, told
