"""Whole networks with barrier wires, played by the golden model, judged by the rules."""

from typing import Any

import pytest

from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.wires.trees import Unit, units_of
from tests.sim.drive.networks import played
from tests.sim.drive.wires.nets import (
    COMBINATIONS,
    Kind,
    conducted,
    judge,
    modelled,
    network_of,
    scenarios_of,
    wired,
)


@pytest.mark.parametrize("name", COMBINATIONS)
def test_the_rules_hold(name: str) -> None:
    kind, keys = COMBINATIONS[name]
    plan = wired(network_of(kind, **keys))
    for scenario in scenarios_of(plan.spec.register_network):
        judge(plan, scenario, modelled(plan, scenario))


@pytest.mark.parametrize("kind", ["mesh", "irregular"])
@pytest.mark.parametrize("sync", ["wires", "both"])
def test_checks_of_packets_change_nothing_on_wires(kind: Kind, sync: str) -> None:
    shown = []
    for bits in (0, 8):
        plan = wired(network_of(kind, sync=sync, check_bits=bits, setup="local"))
        chunks = played(plan, Scenario(episodes=4, jitter=4))
        lines = [line for chunk in chunks for line in chunk.lines]
        shown.append([(line.cycle, line.record.wires) for line in lines if line.record.wires])
    assert shown[0] == shown[1] != []


@pytest.mark.parametrize("kind", ["mesh", "irregular"])
@pytest.mark.parametrize("keys", [{}, {"link_registers": 2}, {"wires": "shared"}])
def test_a_barrier_takes_up_the_links_of_the_last_and_down_those_of_the_farthest(
    kind: Kind, keys: dict[str, Any]
) -> None:
    plan = wired(network_of(kind, **keys))
    units = {(unit.group, unit.target): unit for unit in units_of(plan)}
    above = {(each.group, kid): each for each in units.values() for kid, _ in each.kids}

    def depth(unit: Unit) -> int:
        key = unit.group, unit.target
        return 1 + depth(above[key]) if key in above else 0

    outcome = modelled(plan, Scenario(episodes=12, policy="late", jitter=60))
    for number, (group, seen) in enumerate(zip(plan.groups, outcome.groups, strict=True)):
        depths = {u.member: depth(u) for u in units.values() if u.group == number}
        farthest, hop = max(depths.values()), 1 + keys.get("link_registers", 0)
        assert group.bound == 2 * farthest * hop + 2
        wanted = [(depths[turn % len(group.members)] + farthest) * hop + 2 for turn in range(12)]
        assert seen.latency == wanted
        assert max(wanted) == group.bound


@pytest.mark.parametrize(
    "name", [name for name, (_, keys) in COMBINATIONS.items() if "watchdog" in keys]
)
def test_a_watchdog_releases_who_waits_too_long_and_every_trip_is_counted(name: str) -> None:
    kind, keys = COMBINATIONS[name]
    plan = wired(network_of(kind, **keys))
    scenario = Scenario(episodes=4, policy="mixed", seed=8, jitter=4, breaks=16)
    conductor = conducted(plan, scenario)
    outcome, breaks = conductor.outcome(None), conductor.session.driver.breaks
    judge(plan, scenario, outcome)
    assert breaks is not None
    assert breaks.broken > breaks.tripped > 0
    assert outcome.counters == (0, breaks.tripped, 0, 0)


def test_kills_break_barriers_while_the_others_go_on() -> None:
    plan = wired(network_of("mesh"))
    conductor = conducted(plan, Scenario(episodes=3, seed=2, breaks=40))
    outcome, breaks = conductor.outcome(None), conductor.session.driver.breaks
    assert breaks is not None
    assert breaks.broken > 20
    assert breaks.tripped == 0
    assert outcome.counters == (0, 0, 0, 0)
    assert min(len(group.latency) for group in outcome.groups) > 40


def test_hasty_members_wait_for_the_rest_of_their_tree() -> None:
    plan = wired(network_of("irregular", setup="manager"))
    outcome = modelled(plan, Scenario(episodes=3, hasty=True))
    assert outcome.mismatches == []
    assert outcome.hang is None
    for group, seen in zip(plan.wire_groups[:3], outcome.groups, strict=False):
        assert seen.latency[0] > group.bound
        assert max(seen.latency[1:]) <= group.bound
