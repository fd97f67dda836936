"""Links and nodes die, members move: the groups come back, and the others never stop."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import MessageSpec, NetworkSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.drive.recovery.driver import Recovery
from syncfabric.sim.drive.recovery.run import RecoveryResult, recover, run_recovery
from syncfabric.sim.drive.recovery.scenario import (
    Move,
    RecoveryScenario,
    check_scenario,
    plan_after,
)
from syncfabric.sim.drive.run import run
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric
from syncfabric.sim.lifecycle.effects import Ask, Steps
from syncfabric.sim.lifecycle.lifecycle import ByChain
from syncfabric.sim.request import RunRequest
from tests.models.planning.without import draw_dead, draw_irregular, draw_mesh, draw_static
from tests.sim.drive.churn.test_churn import released_early
from tests.sim.drive.clusters import ring
from tests.sim.drive.networks import SEED, irregular, members, mesh, plan_of

RING = ring(5, 2).topology
NETWORKS: Mapping[str, MessageSpec] = {
    "mesh": mesh(3, 3, check_bits=8),
    "mesh, managers, watchdog": mesh(
        3, 3, check_bits=4, setup="manager", managers=((0, 0), (2, 2)), watchdog=64, groups=8
    ),
    "mesh, shared links": mesh(3, 3, check_bits=8, message_links="shared"),
    "irregular": irregular(RING, check_bits=8, link_registers=1),
    "irregular, managers": irregular(RING, check_bits=8, setup="manager", groups=3),
}
MESH = NETWORKS["mesh"]


def plan_on(network: MessageSpec) -> BarrierPlan:
    """Plan a group of all nodes, and some of few."""
    nodes = network.topology.nodes
    some = (nodes[:2], nodes[2:5], nodes[-3:])[: network.groups - 1]
    return plan_of(
        network,
        members(1, *nodes, op="xor"),
        *(members(2 + k, *each) for k, each in enumerate(some)),
    )


def play(
    plan: BarrierPlan, scenario: RecoveryScenario, *, hardware: bool = False
) -> RecoveryResult:
    """Run a recovery: every group comes back, none early, and the others never stop."""
    check_scenario(plan, scenario)
    after = plan_after(plan, scenario)
    found = recover(plan, after, scenario, build_fabric(plan.spec.network) if hardware else None)
    assert found.ok, (scenario, found.hang, found.mismatches[:3])
    assert found.releases
    assert not found.early
    groups = {group.id for group in plan.groups}
    assert sorted(found.lost) == sorted(groups - {group.id for group in after.groups})
    back = {cost.group for cost in found.costs}
    assert back | found.spans.keys() | set(found.lost) == groups
    watchdog = getattr(plan.spec.network, "watchdog", 0)
    for cost in found.costs:
        assert cost.total > 0
        assert scenario.dead == Dead() or cost.detect > (watchdog or scenario.timeout) - 100
    for spans in found.spans.values():
        assert len(spans.after) >= scenario.episodes
        if found.costs:
            assert spans.during
    return found


def dying(network: MessageSpec, names: Sequence[str], **keys: int) -> RecoveryScenario:
    dead = Dead.of(network.topology, names)
    settings = {"at": 100, "timeout": 200, "episodes": 3, "seed": SEED, "limit": 60_000}
    return RecoveryScenario(dead, **{**settings, **keys})  # type: ignore[arg-type]


def moving(*moves: Move) -> RecoveryScenario:
    return RecoveryScenario(moves=moves, at=80, episodes=3, seed=SEED, limit=60_000)


def victims(plan: BarrierPlan) -> list[list[str]]:
    """Return what dies, run by run: links, routers and nodes that groups need."""
    network = plan.spec.network
    assert isinstance(network, MessageSpec)
    if network.kind == "mesh":
        return [["1,1-2,1"], ["2,1"], ["0,0-0,1", "1,2"]]
    tree = plan.engine_groups[0].tree
    i = next(i for i, above in enumerate(tree.parent.tolist()) if above >= 0)
    here = int(tree.routers[i]), int(tree.parent_port[i])
    (a, p), (b, q) = here, network.shape.ends[here]
    node = network.topology.nodes[3]
    return [[f"{a},{p}-{b},{q}"], ["2"], [f"{node[0]},{node[1]}"]]


@pytest.mark.parametrize("name", NETWORKS)
def test_groups_come_back_around_what_is_dead(name: str) -> None:
    network = NETWORKS[name]
    plan = plan_on(network)
    for names in victims(plan):
        found = play(plan, dying(network, names))
        assert found.broken > 0, names
        assert 1 in {cost.group for cost in found.costs}
        assert all(cost.writes > 0 for cost in found.costs)


def test_a_member_that_is_released_broken_reports_before_any_times_out() -> None:
    network = NETWORKS["mesh, managers, watchdog"]
    found = play(plan_on(network), dying(network, ["2,1"], timeout=4_000))
    assert 0 < max(cost.detect for cost in found.costs) < 2_000


@pytest.mark.parametrize("name", NETWORKS)
def test_members_move(name: str) -> None:
    network = NETWORKS[name]
    plan, nodes = plan_on(network), network.topology.nodes
    found = play(plan, moving(Move(2, nodes[0], nodes[5]), Move(3, nodes[2], nodes[0])))
    assert [cost.group for cost in found.costs] == [2, 3]
    assert found.broken == 0
    assert all((cost.packets > 0) == network.managed for cost in found.costs)


def test_routed_messages_move_and_cannot_go_around() -> None:
    network = mesh(3, 3, transport="routed", check_bits=8)
    plan = plan_of(network, members(1, (0, 0), (2, 1)), members(2, (1, 1), (0, 2)))
    play(plan, moving(Move(1, (0, 0), (1, 0))))
    with pytest.raises(PlanError, match=r"routed messages cannot go around 0,0-1,0; set transport"):
        plan_after(plan, dying(network, ["0,0-1,0"]))


@pytest.mark.nightly
@pytest.mark.parametrize("name", NETWORKS)
def test_hardware_does_the_same(name: str) -> None:
    network = NETWORKS[name]
    plan, nodes = plan_on(network), network.topology.nodes
    for names in victims(plan):
        play(plan, dying(network, names), hardware=True)
    play(plan, moving(Move(2, nodes[0], nodes[5])), hardware=True)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(12))
def test_members_that_linger(seed: int) -> None:
    rng = random.Random(f"{SEED} {seed}")
    network = rng.choice(list(NETWORKS.values()))
    plan = plan_on(network)
    for names in victims(plan):
        play(plan, dying(network, names, jitter=rng.choice((1, 16, 60))))


def keys(rng: random.Random) -> dict[str, Any]:
    return {
        "groups": 8,
        "message_links": rng.choice(("shared", "own")),
        "operations": rng.choice(("bitwise", "all")),
        "check_bits": rng.choice((4, 8)),
        "watchdog": rng.choice((0, 150)),
        "setup": rng.choice(("local", "manager")),
    }


DRAWS: dict[str, Callable[[random.Random], NetworkSpec]] = {
    "mesh": lambda rng: draw_mesh(rng, **keys(rng)),
    "irregular": lambda rng: draw_irregular(rng, **keys(rng)),
    "static": draw_static,
}


def drawn(kind: str, seeds: range) -> Iterator[tuple[BarrierPlan, RecoveryScenario]]:
    """Draw networks and what dies or moves; yield those for which there is a plan."""
    for seed in seeds:
        rng = random.Random(f"{kind}/{seed}")
        spec = DRAWS[kind](rng)
        scenario = RecoveryScenario(at=rng.randint(100, 400), timeout=300, episodes=4, seed=seed)
        if rng.random() < 0.3:
            group = rng.choice(spec.groups)
            taken = set(group.members)
            if isinstance(spec.network, StaticSpec):
                taken |= {member for each in spec.groups for member in each.members}
            others = [node for node in spec.network.topology.nodes if node not in taken]
            if not others:
                continue
            move = Move(group.id, rng.choice(group.members), rng.choice(others))
            scenario = replace(scenario, moves=(move,))
        else:
            dead = Dead.of(spec.network.topology, draw_dead(rng, spec)[0])
            scenario = replace(scenario, dead=dead)
        try:
            plan = make_plan(spec)
            plan_after(plan, scenario)
        except PlanError:
            continue
        yield plan, scenario


@pytest.mark.parametrize("kind", DRAWS)
def test_random_networks_on_the_model(kind: str) -> None:
    assert [play(*each) for each in drawn(kind, range(3))]


@pytest.mark.nightly
@pytest.mark.parametrize("kind", DRAWS)
def test_hundreds_of_random_networks_on_the_model(kind: str) -> None:
    assert sum(bool(play(*each).costs) for each in drawn(kind, range(100, 300))) > 50


@pytest.mark.nightly
@pytest.mark.parametrize("kind", DRAWS)
def test_random_networks_in_hardware(kind: str) -> None:
    for each in drawn(kind, range(1000, 1006)):
        play(*each, hardware=True)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("network", "without", "moves"),
    [
        ("campaign-mesh", ["2,2-3,2"], []),
        ("campaign-mesh", ["2,2"], []),
        ("campaign-cluster", ["2"], []),
        ("reflex-4x4", ["1,1-1,2"], []),
        ("churn-mesh", [], ["2:3,3-1,2"]),
        ("churn-cluster", [], ["2:4,3-6,1"]),
        ("reflex-groups", [], ["2:5,1-6,1"]),
    ],
)
def test_ready_made_networks_in_hardware(
    network: str, without: list[str], moves: list[str]
) -> None:
    asked = {"at": 100, "timeout": 150, "episodes": 3}
    result = run_recovery(load(network), without=without, moves=moves, **asked)  # type: ignore[arg-type]
    assert result.ok
    assert result.costs
    assert not result.early


def bounds_hold(kind: str, seed: int) -> bool:
    """Plan one group around what is dead, and let each member be last; whether there is a plan.

    A watchdog's visits are not in the bound.
    """
    rng = random.Random(f"{kind}/{seed}")
    spec = DRAWS[kind](rng)
    network = spec.network
    if isinstance(network, MessageSpec):
        keys = network.model_dump(exclude_unset=True)
        network = type(network).model_validate({**keys, "watchdog": 0})
    alone = NetworkSpec(name="t", network=network, groups=spec.groups[:1])
    names, _, _ = draw_dead(rng, spec)
    try:
        plan = make_plan(alone, Dead.of(spec.network.topology, names))
    except PlanError:
        return False
    for group in plan.groups:
        result = run(plan, RunRequest(sim="model", episodes=2 * len(group.members), seed=seed))
        assert result.verdict == "match"
        latency = result.groups[0].latency
        assert latency is not None
        assert group.bound is not None
        assert latency.max <= group.bound
    return True


@pytest.mark.parametrize("kind", DRAWS)
def test_bounds_of_plans_around_what_is_dead_hold(kind: str) -> None:
    assert sum(bounds_hold(kind, seed) for seed in range(2))


@pytest.mark.nightly
@pytest.mark.parametrize("kind", DRAWS)
def test_bounds_hold_on_hundreds_of_networks(kind: str) -> None:
    assert sum(bounds_hold(kind, seed) for seed in range(100, 350)) > 100


def with_the_old_plan(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(globals(), "plan_after", lambda plan, _: plan)


def without_kill(patch: pytest.MonkeyPatch) -> None:
    def not_at_all(*_: object) -> Steps[None]:
        yield Ask([])

    patch.setattr(ByChain, "kill", not_at_all)


def unnoted(patch: pytest.MonkeyPatch) -> None:
    """Kill groups and say nothing of it."""
    patch.setattr(Recovery, "_note_kill", lambda *_: None)


@pytest.mark.parametrize(
    ("breaks", "found"),
    [
        (released_early, "result of all members"),
        (unnoted, "broken, and not killed"),
        (with_the_old_plan, ""),
        (without_kill, ""),
    ],
)
def test_what_is_broken_is_reported(
    breaks: Callable[[pytest.MonkeyPatch], None], found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule is broken, or the groups do not come back."""
    plan, scenario = plan_on(MESH), dying(MESH, ["2,1"] if found else ["1,1-2,1"], limit=8_000)
    breaks(monkeypatch)
    outcome = recover(plan, plan_after(plan, scenario), scenario)
    assert not outcome.ok
    if found:
        assert any(mismatch.signal.endswith(found) for mismatch in outcome.mismatches)
    else:
        assert outcome.costs == []
    if breaks is with_the_old_plan:
        assert outcome.hang
        assert not outcome.mismatches


@pytest.mark.nightly
def test_a_link_that_stays_alive_in_hardware_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, scenario = plan_on(MESH), dying(MESH, ["1,1-2,1"])
    monkeypatch.setattr(Fabric, "faults", lambda *_: None)
    after = plan_after(plan, scenario)
    assert recover(plan, after, scenario, build_fabric(plan.spec.network)).mismatches
