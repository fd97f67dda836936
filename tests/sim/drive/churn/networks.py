"""Networks for churn: small ones, with a group or two that stay."""

import random
from typing import Any

from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.conduct import conduct_model
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario
from tests.models.planning.irregular import draw_network
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, members, mesh, plan_of

__all__ = ["cluster", "drawn", "grid", "plan_with", "played_by_model", "well"]

STAYS = 7, 9
"""Groups that stay."""


def grid(**keys: Any) -> RegisterSpec:
    """Return a mesh of six nodes with two managers."""
    return mesh(3, 2, setup="manager", managers=((0, 0), (2, 1)), **keys)


def cluster(**keys: Any) -> RegisterSpec:
    """Return three switches with four nodes, one of them a manager."""
    return irregular(SMALL, setup="manager", **keys)


def plan_with(network: RegisterSpec, groups: int = 2) -> BarrierPlan:
    """Return a plan of everybody's group, and of one of two nodes; or the first alone, or none."""
    nodes = network.topology.nodes
    both = members(STAYS[0], *nodes), members(STAYS[1], nodes[0], nodes[-1], op="xor")
    return plan_of(network, *both[:groups])


def played_by_model(plan: BarrierPlan, scenario: Scenario) -> Outcome:
    """Run a scenario with the golden model alone."""
    return conduct_model(plan, scenario, Job(((plan, scenario),))).outcome(None)


def well(outcome: Outcome, scenario: Scenario) -> None:
    """See that nothing went wrong, and that every life was lived."""
    assert outcome.mismatches == []
    assert outcome.hang is None
    churn = outcome.churn
    assert churn is not None
    assert churn.lives == scenario.churn
    assert len(churn.set_up_cycles) == churn.lives - churn.given_up
    assert len(churn.tear_down_cycles) == churn.lives - churn.given_up
    for group in outcome.groups:
        assert group.latency == group.model_latency
        assert len(group.latency) >= scenario.episodes
    assert outcome.counters is not None
    assert outcome.counters[0] == 0


def drawn(rng: random.Random) -> BarrierPlan:
    """Draw a network of either kind with one to four managers, and its groups."""
    keys: dict[str, Any] = {
        "setup": "manager",
        "operations": rng.choice(("bitwise", "all")),
        "channels": rng.choice((1, 2)),
        "buffer_flits": rng.choice((1, 2, 3)),
        "barrier_registers": rng.choice((2, 3, 4)),
        "data_bits": rng.choice((0, 4, 8)),
    }
    network: RegisterSpec
    if rng.random() < 0.5:
        network = mesh(
            rng.randint(2, 4),
            rng.randint(1, 4),
            flit_bits=40,
            barrier_pipeline=rng.choice((0, 1)),
            sync_links=rng.choice(("shared", "own")),
            **keys,
        )
    else:
        topology = draw_network(
            rng, rng.randint(2, 8), rng.choice((0, 1, 4)), rng.randint(3, 12), rng.randint(5, 8)
        )
        network = irregular(
            topology,
            cycles_per_hop=rng.choice((1, 2)),
            turnaround=rng.choice(("switch", "node")),
            **keys,
        )
    nodes = list(network.topology.nodes)
    some = tuple(rng.sample(nodes, rng.randint(1, min(4, len(nodes)))))
    network = network.model_copy(update={"managers": some})
    return plan_with(network, rng.randint(0, network.barrier_registers - 1))
