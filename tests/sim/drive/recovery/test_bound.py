"""Bounds of plans around what is dead hold, for one group alone on an idle network."""

import random

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.run import run
from tests.models.planning.without import draw_dead
from tests.sim.drive.recovery.scenarios import DRAWS


def runs(kind: str, seed: int) -> bool:
    """Plan one group around what is dead, and let each member be last; whether there is a plan."""
    rng = random.Random(f"{kind}/{seed}")
    spec = DRAWS[kind](rng)
    alone = NetworkSpec(name="t", network=spec.network, groups=spec.groups[:1])
    names, _, _ = draw_dead(rng, spec)
    try:
        plan = make_plan(alone, Dead.of(spec.network.topology, names))
    except PlanError:
        return False
    for group in plan.groups:
        result = run(plan, sim="model", episodes=2 * len(group.members), seed=seed)
        assert result.verdict == "match"
        latency = result.groups[0].latency
        assert latency is not None
        assert group.bound is not None
        assert latency.max <= group.bound
    return True


@pytest.mark.parametrize("kind", DRAWS)
def test_bounds_hold(kind: str) -> None:
    assert sum(runs(kind, seed) for seed in range(2))


@pytest.mark.long
@pytest.mark.parametrize("kind", DRAWS)
def test_bounds_hold_on_hundreds_of_networks(kind: str) -> None:
    assert sum(runs(kind, seed) for seed in range(100, 350)) > 100
