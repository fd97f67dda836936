"""Recoveries drawn at random."""

import random
from typing import Any

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.spec import GroupSpec, MessageSpec, NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.drive.recovery.run import RecoveryResult
from syncfabric.sim.drive.recovery.scenario import Move, RecoveryScenario, plan_after
from tests.models.planning.irregular import draw_network
from tests.models.planning.without import draw_dead, draw_static
from tests.sim.drive.networks import irregular, mesh

__all__ = ["DRAWS", "check", "draw_scenario"]


def _mesh(rng: random.Random) -> NetworkSpec:
    network = mesh(rng.randint(2, 7), rng.randint(2, 7), **_keys(rng))
    return _with_groups(rng, network)


def _irregular(rng: random.Random) -> NetworkSpec:
    topology = draw_network(rng, rng.randint(3, 12), rng.randint(2, 10), rng.randint(4, 20))
    return _with_groups(rng, irregular(topology, **_keys(rng)))


def _keys(rng: random.Random) -> dict[str, Any]:
    return {
        "groups": 8,
        "message_links": rng.choice(("shared", "own")),
        "operations": rng.choice(("bitwise", "all")),
        "check_bits": rng.choice((4, 8)),
        "watchdog": rng.choice((0, 150)),
        "setup": rng.choice(("local", "manager")),
    }


def _with_groups(rng: random.Random, network: MessageSpec) -> NetworkSpec:
    """Return a network with one to three groups."""
    nodes = list(network.topology.nodes)
    planners = ("shortest", "btin", "updown")
    groups = tuple(
        GroupSpec(
            id=gid,
            members=tuple(rng.sample(nodes, rng.randint(2, min(12, len(nodes))))),
            planner=rng.choice(planners),
        )
        for gid in range(rng.randint(1, 3))
    )
    return NetworkSpec(name="net", network=network, groups=groups)


DRAWS = {"mesh": _mesh, "irregular": _irregular, "static": draw_static}


def draw_scenario(kind: str, seed: int) -> tuple[BarrierPlan, BarrierPlan, RecoveryScenario] | None:
    """Draw a network and what dies or moves; None if there is no plan for it."""
    rng = random.Random(f"{kind}/{seed}")
    spec = DRAWS[kind](rng)
    topology = spec.network.topology
    at = rng.randint(100, 400)
    scenario = RecoveryScenario(at=at, timeout=300, episodes=4, seed=seed)
    if rng.random() < 0.3:
        group = rng.choice(spec.groups)
        taken = set(group.members)
        if isinstance(spec.network, StaticSpec):
            taken |= {member for each in spec.groups for member in each.members}
        others = [node for node in topology.nodes if node not in taken]
        if not others:
            return None
        move = Move(group.id, rng.choice(group.members), rng.choice(others))
        scenario = RecoveryScenario(moves=(move,), at=at, timeout=300, episodes=4, seed=seed)
    else:
        names, _, _ = draw_dead(rng, spec)
        dead = Dead.of(topology, names)
        scenario = RecoveryScenario(dead=dead, at=at, timeout=300, episodes=4, seed=seed)
    try:
        plan = make_plan(spec)
        return plan, plan_after(plan, scenario), scenario
    except PlanError:
        return None


def check(plan: BarrierPlan, scenario: RecoveryScenario, found: RecoveryResult) -> None:
    """Everybody came back, nobody too early, and the others never stopped."""
    assert found.hang is None
    assert not found.mismatches
    assert not found.early
    assert found.releases
    back = {cost.group for cost in found.costs}
    assert back | found.spans.keys() | set(found.lost) == {group.id for group in plan.groups}
    watchdog = getattr(plan.spec.network, "watchdog", 0)
    for cost in found.costs:
        assert cost.total > 0
        assert scenario.dead == Dead() or cost.detect > (watchdog or scenario.timeout) - 100
    for spans in found.spans.values():
        assert len(spans.after) >= scenario.episodes
        if found.costs:
            assert spans.during
