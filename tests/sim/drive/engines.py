"""Networks of collective engines for the benches of whole networks."""

import random
from typing import Any

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import EngineIrregularSpec, EngineMeshSpec, EngineSpec
from syncfabric.models.planning.plan import BarrierPlan
from tests.sim.drive.networks import plan_of, random_groups

__all__ = ["engine_irregular", "engine_mesh", "engine_plan"]


def engine_mesh(width: int, height: int, **keys: Any) -> EngineMeshSpec:
    """Return a mesh; ``keys`` are those of the network file."""
    return EngineMeshSpec(
        kind="mesh", width=width, height=height, **{"transport": "link", "groups": 4, **keys}
    )


def engine_irregular(topology: Irregular, **keys: Any) -> EngineIrregularSpec:
    """Return an irregular network; ``keys`` are those of the network file."""
    return EngineIrregularSpec(
        kind="irregular",
        ports=topology.ports,
        switches=topology.switches,
        links=topology.links,
        nodes=topology.nodes,
        **{"transport": "link", "groups": 4, "setup": "local", **keys},
    )


def engine_plan(network: EngineSpec, rng: random.Random) -> BarrierPlan:
    """Plan random groups; of those that routed messages cannot have, there are two members."""
    plan = plan_of(network)
    for group in random_groups(network, rng):
        for count in (len(group.members), 2, 2, 2, 1):
            some = rng.sample(group.members, min(count, len(group.members)))
            try:
                drawn = group.model_copy(update={"members": tuple(some)})
                plan = plan_of(network, *plan.spec.groups, drawn)
                break
            except PlanError:
                continue
    return plan
