"""CS trees in hardware: relays pass on, beside the golden model in every cycle."""

import random

import pytest

from syncfabric.models.messages import Counter
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec, Operation
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan, make_plan
from syncfabric.sim.draw.mesh.tree import branches
from syncfabric.sim.drive.run import run
from syncfabric.sim.drive.scenario import Job, Scenario
from syncfabric.sim.drive.simulate import run_model

CORNERS = ((0, 0), (3, 0), (0, 3), (3, 3), (1, 2))
KEYS: tuple[dict[str, object], ...] = (
    {},
    {"barrier_pipeline": 0},
    {"operations": "all"},
    {"setup": "manager"},
)


def three_groups(**keys: object) -> BarrierPlan:
    """Return two CS trees that cross, and a tree of members, on a mesh of 4x4."""
    network = MeshSpec.model_validate({"kind": "mesh", "width": 4, "height": 4, **keys})
    nodes = network.mesh.nodes
    others = tuple(random.Random(3).sample(nodes, 6))
    op: Operation = "sum" if network.operations == "all" else "xor"
    groups = (
        GroupSpec(id=5, members=CORNERS, planner="cs", op=op),
        GroupSpec(id=9, members=others, planner="cs"),
        GroupSpec(id=11, members=tuple(nodes[2:12])),
    )
    return make_plan(NetworkSpec(name="crossing", network=network, groups=groups))


@pytest.mark.parametrize("keys", KEYS, ids=lambda keys: "-".join(map(str, keys.values())))
def test_relays_in_the_model(keys: dict[str, object]) -> None:
    result = run(three_groups(**keys), sim="model", episodes=20, background=0.1)
    assert result.ok, result.reason


@pytest.mark.parametrize("seed", range(3))
def test_noise_leaves_relays_their_registers(seed: int) -> None:
    """It arrives there, and is refused; but it sets up no leaf of its own in their place."""
    noise = Scenario(episodes=20, policy="mixed", noise=True, seed=seed, limit=20_000)
    (outcome,) = run_model(Job(((three_groups(), noise),))).outcomes
    assert outcome.hang is None
    assert outcome.counters is not None
    assert outcome.counters[Counter.REFUSED_ARRIVE] > 0


@pytest.mark.long
@pytest.mark.parametrize("keys", KEYS, ids=lambda keys: "-".join(map(str, keys.values())))
def test_relays_in_hardware(keys: dict[str, object]) -> None:
    result = run(three_groups(**keys), episodes=20, background=0.1)
    assert result.ok, result.reason


@pytest.mark.long
@pytest.mark.parametrize("pipeline", [0, 1])
def test_a_group_alone_keeps_its_bound_in_hardware(pipeline: int) -> None:
    network = MeshSpec(kind="mesh", width=4, height=4, barrier_pipeline=pipeline)
    groups = (GroupSpec(id=1, members=CORNERS, planner="cs"),)
    plan = make_plan(NetworkSpec(name="alone", network=network, groups=groups))
    (group,) = run(plan, episodes=len(CORNERS)).groups
    assert group.latency is not None
    assert group.latency.max == group.bound == plan.groups[0].bound


def test_relays_are_drawn_as_nodes_on_the_way() -> None:
    plan = three_groups()
    group = plan.message_groups[0]
    network = plan.spec.network
    assert isinstance(group, GroupPlan)
    assert isinstance(network, MeshSpec)
    drawn = branches(group, network.mesh)
    assert set(CORNERS) < set(drawn.depths)
    assert len(drawn.ways) == len(drawn.depths) - 1
