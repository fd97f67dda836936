"""Groups on networks of engines come back around what is dead, or at other nodes."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import pytest

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.recovery.driver import RecoveryDriver
from syncfabric.sim.drive.recovery.run import RecoveryResult, recover
from syncfabric.sim.drive.recovery.scenario import (
    Move,
    RecoveryScenario,
    check_scenario,
    plan_after,
)
from syncfabric.sim.fabric import build_fabric
from tests.sim.drive.churn.test_broken import released_early
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
    """Run a recovery, in which every group must come back and nothing may be wrong."""
    check_scenario(plan, scenario)
    after = plan_after(plan, scenario)
    found = recover(plan, after, scenario, build_fabric(plan.spec.network) if hardware else None)
    assert found.ok, (scenario, found.hang, found.mismatches[:3])
    assert found.early == 0
    assert sorted(found.lost) == sorted(
        {group.id for group in plan.groups} - {group.id for group in after.groups}
    )
    return found


def scenario_of(network: MessageSpec, names: Sequence[str]) -> RecoveryScenario:
    dead = Dead.of(network.topology, names)
    return RecoveryScenario(dead, at=100, timeout=200, episodes=3, seed=SEED, limit=60_000)


def victims(plan: BarrierPlan) -> list[list[str]]:
    """Return what dies, run by run: links, routers and nodes that groups need."""
    network = plan.spec.network
    assert isinstance(network, MessageSpec)
    if network.kind == "mesh":
        return [["1,1-2,1"], ["2,1"], ["0,0-0,1", "1,2"]]
    tree = plan.engine_groups[0].shape
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
        found = play(plan, scenario_of(network, names))
        assert found.broken > 0, names
        assert 1 in {cost.group for cost in found.costs}
        assert all(cost.total > 0 and cost.writes > 0 for cost in found.costs)


@pytest.mark.parametrize("name", NETWORKS)
def test_members_move(name: str) -> None:
    network = NETWORKS[name]
    plan, nodes = plan_on(network), network.topology.nodes
    moves = Move(2, nodes[0], nodes[5]), Move(3, nodes[2], nodes[0])
    found = play(plan, RecoveryScenario(moves=moves, at=80, episodes=3, seed=SEED, limit=60_000))
    assert [cost.group for cost in found.costs] == [2, 3]
    assert found.broken == 0
    assert all((cost.packets > 0) == network.managed for cost in found.costs)


def test_routed_messages_move_and_cannot_go_around() -> None:
    network = mesh(3, 3, transport="routed", check_bits=8)
    plan = plan_of(network, members(1, (0, 0), (2, 1)), members(2, (1, 1), (0, 2)))
    play(plan, RecoveryScenario(moves=(Move(1, (0, 0), (1, 0)),), at=80, episodes=3, limit=60_000))
    with pytest.raises(PlanError, match=r"routed messages cannot go around 0,0-1,0; set transport"):
        plan_after(plan, scenario_of(network, ["0,0-1,0"]))


def test_what_stands_in_the_way_is_said() -> None:
    network = mesh(3, 3, wires=1, check_bits=8)
    with pytest.raises(SpecError, match=r"not with wires = 1; remove it"):
        check_scenario(plan_on(network), scenario_of(network, ["1,1"]))
    network = mesh(3, 3)
    with pytest.raises(SpecError, match=r"not with check_bits = 0: packets would wait for 1,1"):
        check_scenario(plan_on(network), scenario_of(network, ["1,1"]))


def test_with_the_old_plan_nothing_comes_back() -> None:
    plan = plan_on(NETWORKS["mesh"])
    scenario = replace(scenario_of(NETWORKS["mesh"], ["1,1-2,1"]), limit=4_000)
    found = recover(plan, plan, scenario)
    assert found.hang
    assert not found.mismatches


@pytest.mark.long
@pytest.mark.parametrize("name", NETWORKS)
def test_hardware_does_the_same(name: str) -> None:
    network = NETWORKS[name]
    plan = plan_on(network)
    for names in victims(plan):
        play(plan, scenario_of(network, names), hardware=True)
    nodes = network.topology.nodes
    moves = (Move(2, nodes[0], nodes[5]),)
    play(plan, RecoveryScenario(moves=moves, at=80, episodes=3, limit=60_000), hardware=True)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
def test_random_networks(seed: int) -> None:
    rng = random.Random(f"{SEED} {seed}")
    network = rng.choice(list(NETWORKS.values()))
    plan = plan_on(network)
    for names in victims(plan):
        play(plan, replace(scenario_of(network, names), jitter=rng.choice((1, 16, 60))))


def unnoted(patch: pytest.MonkeyPatch) -> None:
    """Kill groups and say nothing of it."""
    patch.setattr(RecoveryDriver, "_note_kill", lambda *_: None)


@pytest.mark.parametrize(
    ("breaks", "found"),
    [(released_early, "result of all members"), (unnoted, "broken, and not killed")],
)
def test_what_is_broken_is_told(
    breaks: Callable[[pytest.MonkeyPatch], None], found: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = plan_on(NETWORKS["mesh"])
    scenario = scenario_of(NETWORKS["mesh"], ["2,1"])
    breaks(monkeypatch)
    outcome = recover(plan, plan_after(plan, scenario), scenario)
    assert any(mismatch.signal.endswith(found) for mismatch in outcome.mismatches)
