"""The rules of barrier wires: what a run shows keeps them, and every change of it breaks one."""

from collections.abc import Callable, Iterable
from functools import partial
from operator import or_
from typing import Any

import pytest

from syncfabric.models.networks.wires import WirePlane
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.driver import Arrival
from syncfabric.sim.drive.lines import EMPTY, Line
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.wires.check import WireCheck
from syncfabric.sim.drive.wires.notes import Doomed, Whole, WireNote
from syncfabric.sim.drive.wires.trees import Unit, units_of
from tests.sim.drive.networks import members, mesh, plan_of, played

SLOT = 0
SEPARATE: dict[str, Any] = {"barrier_registers": 2, "data_bits": 2}


def plan_with(**keys: Any) -> BarrierPlan:
    """Return a row of three routers, all in one group, whose root is in the middle."""
    network = mesh(3, 1, sync="wires", **{**SEPARATE, **keys})
    return plan_of(network, members(7, *network.mesh.nodes, op="xor"))


PLAN, FAR = plan_with(), plan_with(link_registers=1)
SHARED, CHECKED = plan_with(wires="shared"), plan_with(parity=True, data_bits=0)

Words = dict[int, dict[int, int]]
"""What links change to, by cycle and link."""


class Shown:
    """A run's wires and arrivals, to be changed and judged."""

    def __init__(self, plan: BarrierPlan, notes: Iterable[WireNote] = ()) -> None:
        self.plan, self.notes = plan, list(notes)
        self.words: Words = {}
        self.arrivals: list[Arrival] = []
        for chunk in played(plan, Scenario(episodes=2, jitter=5, seed=4)):
            self.arrivals += chunk.arrivals
            for line in chunk.lines:
                if line.record.wires:
                    self.words.setdefault(line.cycle, {}).update(line.record.wires)

    def unit(self, target: int) -> Unit:
        return next(unit for unit in units_of(self.plan) if unit.target == target)

    def at(self, link: int, cycle: int) -> int:
        """Return what a link shows in a cycle."""
        seen = [
            words[link]
            for now, words in sorted(self.words.items())
            if now <= cycle and link in words
        ]
        return seen[-1] if seen else 0

    def show(self, link: int, first: int, last: int, change: Callable[[int], int]) -> None:
        """Change what a link shows in some cycles, and no others."""
        words = {cycle: change(self.at(link, cycle)) for cycle in range(first, last + 1)}
        after = self.at(link, last + 1)
        for cycle, word in (*words.items(), (last + 1, after)):
            self.words.setdefault(cycle, {})[link] = word

    def first(self, link: int, bit: int) -> int:
        """Return the cycle in which a wire rises first."""
        return min(now for now, words in self.words.items() if words.get(link, 0) >> bit & 1)

    def judged(self) -> list[str]:
        """Return what the check says."""
        check = WireCheck(self.plan)
        told: list[str] = []
        done: list[Arrival | WireNote] = sorted(
            [*self.arrivals, *self.notes], key=lambda x: x.cycle
        )
        for cycle, words in sorted(self.words.items()):
            while done and done[0].cycle < cycle:
                now = done.pop(0)
                check.arrive(now) if isinstance(now, Arrival) else check.note(now)
            changed, shown = [], self._before(cycle)
            for link, word in sorted(words.items()):
                if shown.get(link, 0) != word:
                    changed.append((link, word))
            line = Line(cycle, EMPTY._replace(wires=tuple(changed)))
            told += [mismatch.signal for mismatch in check.look(line)]
        told += [mismatch.signal for mismatch in check.close(cycle + 10)]
        return told

    def _before(self, cycle: int) -> dict[int, int]:
        shown: dict[int, int] = {}
        for now, words in sorted(self.words.items()):
            if now < cycle:
                shown.update(words)
        return shown


@pytest.mark.parametrize("plan", [PLAN, FAR, SHARED, CHECKED])
def test_a_run_keeps_the_rules(plan: BarrierPlan) -> None:
    shown = Shown(plan)
    assert len(shown.words) > 6
    assert shown.judged() == []


def wires(plan: BarrierPlan) -> WirePlane:
    plane = plan.spec.register_network.wire_plane
    assert plane is not None
    return plane


def up(shown: Shown, target: int) -> tuple[int, int]:
    """Return the link to a leaf's parent, and the first cycle with `up` on it."""
    link = shown.unit(target).up
    assert link is not None
    return link, shown.first(link, SLOT)


def pulse(shown: Shown, target: int) -> tuple[int, int, int]:
    """Return the link to a leaf, the bit of its pulse, and the first cycle with it."""
    link, bit = shown.unit(target).down, SLOT
    assert link is not None
    plane = wires(shown.plan)
    bit += 0 if plane.shared else plane.slots
    return link, bit, shown.first(link, bit)


@pytest.mark.parametrize("plan", [FAR, SHARED])
def test_a_level_that_rises_before_the_process_has_arrived(plan: BarrierPlan) -> None:
    shown = Shown(plan)
    link, cycle = up(shown, 0)
    arrived = min(each.cycle for each in shown.arrivals if each.member == 0)
    shown.show(link, arrived + 1, cycle - 1, lambda word: shown.at(link, cycle))
    assert "up[0] rises when all below have arrived" in shown.judged()[0]


def test_a_level_with_other_data_than_the_processs() -> None:
    shown = Shown(SHARED)
    link, cycle = up(shown, 0)
    place = wires(SHARED).link.offsets["up_data"]
    shown.show(link, cycle, cycle, lambda word: word ^ 1 << place)
    assert "up_data[0] of all below" in shown.judged()[0]


def test_a_level_that_falls_before_the_pulse() -> None:
    shown = Shown(FAR)
    link, _ = up(shown, 0)
    _, _, over = pulse(shown, 0)
    shown.show(link, over - 1, over - 1, lambda word: 0)
    assert any("up[0] falls after a pulse" in told for told in shown.judged())


@pytest.mark.parametrize("plan", [FAR, SHARED])
def test_a_level_that_stays_after_the_pulse(plan: BarrierPlan) -> None:
    shown = Shown(plan)
    link, _ = up(shown, 0)
    _, _, over = pulse(shown, 0)
    delay = 1 + plan.spec.register_network.link_registers
    shown.show(link, over + delay, over + delay, lambda word: shown.at(link, over))
    assert any("up of slot 0 is over" in told for told in shown.judged())


@pytest.mark.parametrize("plan", [PLAN, SHARED])
def test_a_pulse_while_somebody_is_missing(plan: BarrierPlan) -> None:
    shown = Shown(plan)
    cycle = min(up(shown, 0)[1], up(shown, 2)[1])
    for target in (0, 2):
        link, bit, _ = pulse(shown, target)
        shown.show(link, cycle, cycle, partial(or_, 1 << bit))
    told = shown.judged()
    assert any("to a child whose up is 1" in each for each in told)
    assert any("from above, and its data" in each for each in told)


def test_a_pulse_of_two_cycles() -> None:
    shown = Shown(SHARED)
    for target in (0, 2):
        link, _, cycle = pulse(shown, target)
        word = shown.at(link, cycle)
        shown.show(link, cycle + 1, cycle + 1, partial(max, word))
    assert any("pulse of slot 0 is over" in told for told in shown.judged())


def test_a_pulse_that_misses_a_child() -> None:
    shown = Shown(SHARED)
    link, _, cycle = pulse(shown, 0)
    shown.show(link, cycle, cycle, lambda word: 0)
    assert any("pulse of slot 0 to all children" in told for told in shown.judged())


def test_a_pulse_with_another_result() -> None:
    shown = Shown(SHARED)
    place = wires(SHARED).link.offsets["up_data"]
    for target in (0, 2):
        link, _, cycle = pulse(shown, target)
        shown.show(link, cycle, cycle, lambda word: word ^ 1 << place)
    assert any("from above, and its data" in told for told in shown.judged())


@pytest.mark.parametrize("plan", [PLAN, SHARED])
def test_a_slot_that_no_group_has(plan: BarrierPlan) -> None:
    shown = Shown(plan)
    link, cycle = up(shown, 0)
    shown.show(link, cycle, cycle, lambda word: word | 1 << 1)
    assert any("wires of slots without a group here" in told for told in shown.judged())


def test_links_of_a_router_that_differ() -> None:
    """The root in the middle has two."""
    shown = Shown(PLAN)
    (_, link), _ = shown.unit(1).kids
    _, _, cycle = pulse(shown, 0)
    place = wires(PLAN).link.offsets["up_data"]
    shown.show(link, cycle, cycle, lambda word: word ^ 1 << place)
    assert any("the same on all links of its end" in told for told in shown.judged())


def test_wrong_parity() -> None:
    shown = Shown(CHECKED)
    link, cycle = up(shown, 0)
    width = wires(CHECKED).link.width
    shown.show(link, cycle, cycle, lambda word: word ^ 1 << width - 1)
    assert any(told.endswith("parity") for told in shown.judged())


def test_a_wire_that_is_left_high() -> None:
    shown = Shown(PLAN)
    link, _ = up(shown, 0)
    shown.words.setdefault(max(shown.words) + 5, {})[link] = 1
    assert any("wires at the end" in told for told in shown.judged())


def test_a_doomed_group_is_left_out_until_it_is_whole() -> None:
    doomed = Shown(FAR, [Doomed(1, 0)])
    late = Shown(FAR, [Doomed(1, 0), Whole(2, 0)])
    for shown in (doomed, late):
        link, cycle = up(shown, 0)
        shown.show(link, cycle + 1, cycle + 1, lambda word: 0)
    assert doomed.judged() == []
    assert late.judged() != []
