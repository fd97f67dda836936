"""Networks for churn: small ones, with a group or two that stay."""

import random
from typing import Any

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Outcome, Scenario
from tests.models.planning.irregular import draw_network
from tests.sim.drive.networks import irregular, members, mesh, plan_of

STAYS = 7, 9
"""Groups that stay."""
TREE = draw_network(random.Random(5), 4, 2, 7, 5)


def grid(**keys: Any) -> MessageSpec:
    """Return a mesh of six nodes with two managers."""
    managed = {"setup": "manager", "managers": ((0, 0), (2, 1))}
    return mesh(3, 2, **{"groups": 8, **managed, **keys})


NETWORKS: dict[str, MessageSpec] = {
    "mesh managed": grid(data_bits=4),
    "mesh local": mesh(3, 2, groups=8),
    "irregular managed": irregular(
        TREE, setup="manager", message_links="shared", groups=8, data_bits=4
    ),
    "routed local": mesh(3, 2, transport="routed", operations="all", groups=8),
}


def plan_with(network: MessageSpec, groups: int = 2) -> BarrierPlan:
    """Return a plan of everybody's group, and of one of two nodes; or the first alone, or none."""
    nodes = tuple(network.topology.nodes)
    planner = {"link": "shortest", "routed": "btm"}[network.transport]
    both = members(STAYS[0], *nodes), members(STAYS[1], nodes[0], nodes[-1], op="xor")
    chosen = (group.model_copy(update={"planner": planner}) for group in both[:groups])
    return plan_of(network, *chosen)


def played_by_model(plan: BarrierPlan, scenario: Scenario) -> Outcome:
    """Run a scenario with the golden model alone."""
    return ScenarioRunner(plan, scenario).run_model()


def well(outcome: Outcome, scenario: Scenario) -> None:
    """See that nothing went wrong, and that every instance has ended."""
    assert outcome.mismatches == []
    assert outcome.hang is None
    churn = outcome.churn
    assert churn is not None
    assert churn.instances == scenario.churn
    assert len(churn.set_up_cycles) == churn.instances - churn.given_up
    assert len(churn.tear_down_cycles) == churn.instances - churn.given_up
    for group in outcome.groups:
        assert group.latency == group.model_latency
        assert len(group.latency) >= scenario.episodes


def drawn(rng: random.Random) -> BarrierPlan:
    """Draw a network of any kind, and its groups."""
    keys: dict[str, Any] = {
        "operations": rng.choice(("bitwise", "all")),
        "channels": rng.choice((1, 2)),
        "buffer_flits": rng.choice((1, 2, 3)),
        "flit_bits": 40,
        "groups": rng.choice((4, 8)),
        "data_bits": rng.choice((0, 4, 8)),
        "engine_stages": rng.choice((3, 4)),
        "setup": rng.choice(("manager", "local")),
    }
    keys["message_links"] = rng.choice(("shared", "own"))
    network: MessageSpec
    if rng.random() < 0.5:
        network = mesh(rng.randint(2, 4), rng.randint(1, 4), **keys)
    else:
        topology = draw_network(
            rng, rng.randint(2, 8), rng.choice((0, 1, 4)), rng.randint(3, 12), rng.randint(5, 8)
        )
        network = irregular(topology, **keys)
    return plan_with(network, rng.randint(0, 2))
