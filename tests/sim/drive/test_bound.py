"""The bound is true: no barrier of one group alone takes longer, on the golden model."""

import random
from typing import Any

import pytest

from syncfabric.models.networks import reader
from syncfabric.models.networks.irregular import Place
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import GroupSpec, MessageSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.backends import run_job
from syncfabric.sim.drive.scenario import Job, Scenario
from tests.models.planning.irregular import draw_network
from tests.nightly import nightly_but
from tests.sim.drive.networks import irregular, mesh, plan_of

SCENARIOS = (
    Scenario(policy="last", episodes=12, lead_in=0),
    Scenario(policy="together", episodes=1, lead_in=0),
    Scenario(policy="skew", episodes=6, jitter=4, lead_in=0),
    Scenario(policy="back_to_back", episodes=3, lead_in=0),
)
KEYS: dict[str, dict[str, Any]] = {
    "default": {},
    "shared links": {"message_links": "shared"},
    "stages": {"engine_stages": 4, "operations": "all"},
    "registers": {"link_registers": 2, "check_bits": 4},
}


def check(network: MessageSpec, members: list[Place], planner: str) -> BarrierPlan:
    """Run a group's barriers; none takes longer than its bound."""
    group = GroupSpec(id=1, members=tuple(members), planner=planner)
    plan = plan_of(network, group)
    (planned,) = plan.groups
    assert planned.bound is not None
    job = Job(tuple((plan, scenario) for scenario in SCENARIOS))
    for scenario, outcome in zip(SCENARIOS, run_job(job, "model").outcomes, strict=True):
        assert outcome.hang is None
        (found,) = outcome.groups
        assert len(found.model_latency) == scenario.episodes
        assert max(found.model_latency) <= planned.bound, (scenario.policy, planned.members)
    return plan


@pytest.mark.parametrize("keys", nightly_but(["shared links"], KEYS))
@pytest.mark.parametrize(
    ("transport", "planner"), [("link", "shortest"), ("routed", "btm"), ("routed", "cs")]
)
def test_random_groups_of_meshes(transport: str, planner: str, keys: str) -> None:
    """Of all shapes, one in three a row or a column."""
    rng = random.Random(f"{planner} {keys}")
    for index in range(4):
        width, height = rng.randint(2, 8), rng.randint(2, 8)
        if index % 3 == 2:
            width, height = rng.choice([(1, 2 * height), (2 * width, 1)])
        nodes = Mesh(width, height).nodes
        size = len(nodes) if index % 4 == 0 and planner != "cs" else rng.randint(2, 8)
        some = rng.sample(nodes, min(size, len(nodes)))
        check(mesh(width, height, transport=transport, **KEYS[keys]), some, planner)


GRIDS = ["ring-9", "ring-3", "torus-4x4", "torus-5x3x3", "mesh-3x4x2", "hypercube-16", "mesh-7"]


@pytest.mark.parametrize("keys", nightly_but(["registers"], KEYS))
@pytest.mark.parametrize("name", nightly_but(["ring-9", "torus-4x4"], GRIDS))
def test_random_groups_of_grids(name: str, keys: str) -> None:
    """Members' trees, in any dimensions and on rings of even and odd lengths."""
    rng = random.Random(f"{name} {keys}")
    text = f'name = "n"\n[network]\nkind = "irregular"\ntopology = "{name}"\nsetup = "local"\n'
    read = reader.loads(text).message_network
    network = read.changed(transport="routed", **KEYS[keys])
    nodes = network.topology.graph.nodes
    for size in (len(nodes), rng.randint(2, len(nodes)), rng.randint(2, len(nodes))):
        check(network, rng.sample(nodes, size), "btm")


@pytest.mark.parametrize("keys", nightly_but(["registers"], KEYS))
@pytest.mark.parametrize("planner", nightly_but(["btin"], ["shortest", "btin", "updown"]))
def test_random_groups_of_irregular_networks(planner: str, keys: str) -> None:
    rng = random.Random(f"{planner} {keys}")
    for number in range(4):
        switches = rng.randint(2, 14)
        topology = draw_network(rng, switches, rng.randint(0, 8), 2 * switches, rng.randint(4, 12))
        nodes = topology.nodes
        some = rng.sample(nodes, len(nodes) if number % 2 else rng.randint(1, len(nodes)))
        check(irregular(topology, **KEYS[keys]), some, planner)


@pytest.mark.parametrize("side", nightly_but([2, 7], [2, 7, 12]))
def test_complete_meshes_stay_within_six_cycles_of_light(side: int) -> None:
    """At a hop a cycle nothing is faster than the diameter."""
    whole = Mesh(side, side)
    plan = check(mesh(side, side), whole.nodes, "shortest")
    assert plan.groups[0].bound is not None
    alone = run_job(Job(((plan, SCENARIOS[1]),)), "model").outcomes[0].groups[0].model_latency
    assert max(alone) <= whole.diameter + 6
