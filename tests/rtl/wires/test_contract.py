"""Sentences of docs/microarchitecture-wires.md, one by one, on single units and a line of them."""

from collections.abc import Mapping
from typing import Any

import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.barrier.ports import ConfigSignature
from syncfabric.rtl.wires.unit import WireUnit
from tests.rtl.support import clocked

MESH = MeshSpec(kind="mesh", width=3, height=1)
EAST, WEST, MEMBER = 0, 2, 1 << 4
ONE = WirePlane(slots=1, data_bits=0)
SET_UP = 3
"""Cycle in which a slot that is set up from cycle 1 on is valid."""
STATUS = ("la", "up", "dn", "fault", "done", "broken")

Stimuli = Mapping[int, Mapping[str, int]]


def write(word: int, data: int, unit: int = 0) -> dict[str, int]:
    return {
        "config__valid": 1,
        "config__node": unit,
        "config__address": word,
        "config__write": 1,
        "config__data": data,
    }


def tree(*, parent: int = 0, children: int, root: bool, unit: int = 0) -> dict[int, dict[str, int]]:
    """Return what sets a slot up: it is valid from cycle ``SET_UP`` on."""
    control = 1 | root << 1
    idle = {"config__valid": 0}
    image = write(1, parent | children << 4, unit)
    return {1: image, 2: write(0, control, unit), SET_UP: idle}


def played(plane: WirePlane, *stimuli: Stimuli, cycles: int = 40) -> list[dict[str, int]]:
    """Return what a router shows in each cycle; ``arrive`` and wires last one cycle."""
    unit = WireUnit(MESH, plane, 4, process=True)
    levels = {f"in_{p}__{name}": 0 for p in range(4) for name in ("up", "down")}
    if plane.shared:
        levels = {name: 0 for name in levels if name.endswith("up")}
    if plane.parity:
        levels |= {f"in_{p}__parity": 0 for p in range(4)}
    pulses = {"arrive": 0, "config__valid": 0, **levels}
    cases = []
    for cycle in range(cycles):
        now = dict(pulses)
        for stimulus in stimuli:
            now |= stimulus.get(cycle, {})
        cases.append(now)
    shown = clocked(unit, cases)
    for seen in shown:
        for p in range(4):
            wires = plane.link.unpack(seen[f"out_{p}"])
            seen |= {f"out_{p}__{name}": value for name, value in wires.items()}
        flags = seen["observe"] & 63
        seen |= {name: flags >> i & 1 for i, name in enumerate(STATUS)}
        seen["strays"] = seen["observe"] >> 6 + 2 * plane.data_bits + 8 & 255
        seen["refusals"] = seen["observe"] >> 6 + 2 * plane.data_bits + 16 & 255
    return shown


def when(shown: list[dict[str, int]], name: str) -> list[int]:
    """Return the cycles in which an output is not 0."""
    return [cycle for cycle, seen in enumerate(shown) if seen[name]]


def during(name: str, first: int, after: int) -> dict[int, dict[str, int]]:
    return {cycle: {name: 1} for cycle in range(first, after)}


LEAF = tree(parent=WEST, children=MEMBER, root=False)
ROOT = tree(children=MEMBER | 1 << EAST, root=True)


def test_an_arrival_is_la_after_one_cycle_and_up_after_two_and_stays() -> None:
    shown = played(ONE, LEAF, {10: {"arrive": 1}})
    assert when(shown, "la") == list(range(11, 40))
    assert when(shown, "out_0__up") == when(shown, "out_2__up") == list(range(12, 40))
    assert not when(shown, "released")


def test_the_pulse_releases_in_the_next_cycle_and_is_passed_on() -> None:
    shown = played(ONE, LEAF, {10: {"arrive": 1}, 20: {"in_2__down": 1}})
    assert when(shown, "released") == when(shown, "out_0__down") == [21]
    assert when(shown, "la") == list(range(11, 21))
    assert when(shown, "out_2__up") == list(range(12, 21))
    assert when(shown, "done") == list(range(21, 40))
    assert not when(shown, "broken")


def test_an_arrive_in_the_cycle_of_the_release_is_accepted_and_one_before_is_refused() -> None:
    for cycle, accepted in ((20, False), (21, True)):
        shown = played(
            ONE,
            LEAF,
            {10: {"arrive": 1}, 20: {"in_2__down": 1}},
            during("arrive", cycle, cycle + 1),
        )
        assert shown[30]["la"] == accepted
        assert shown[30]["refusals"] == (not accepted)
        assert shown[22]["done"] == (not accepted)


@pytest.mark.parametrize("link_registers", [0, 1, 3])
def test_a_root_fires_when_all_kids_and_its_process_have_arrived(link_registers: int) -> None:
    plane = WirePlane(1, 0, link_registers)
    for arrival, kid in ((10, 15), (15, 10), (14, 15)):
        fire = max(arrival + 1, kid + link_registers)
        up = during("in_0__up", kid, fire + link_registers + 2)
        shown = played(plane, ROOT, up, {arrival: {"arrive": 1}})
        assert when(shown, "released") == when(shown, "out_0__down") == [fire + 1]
        assert not when(shown, "fault")


@pytest.mark.parametrize("link_registers", [0, 1, 3])
def test_a_level_may_be_stale_for_2p_and_1_cycles_and_is_looked_at_in_the_next(
    link_registers: int,
) -> None:
    plane, kid = WirePlane(1, 0, link_registers), 12
    fire = kid + link_registers
    stale = 2 * link_registers + 1
    for last, bad in ((fire + stale, False), (fire + stale + 1, True)):
        level = during("in_0__up", kid, last + 1 - link_registers)
        arrivals = {10: {"arrive": 1}, fire + 2: {"arrive": 1}}
        shown = played(plane, ROOT, level, arrivals)
        assert when(shown, "out_0__down") == [fire + 1]
        assert when(shown, "fault") == (list(range(fire + stale + 2, 40)) if bad else [])
        # Its process has arrived again, and is told that nobody will come.
        assert when(shown, "broken") == when(shown, "fault")
        assert shown[-1]["strays"] == bad
        assert not when(shown[fire + 2 :], "out_0__up")


def test_the_slot_fires_again_two_cycles_after_it_could_see_the_level_fall() -> None:
    level = during("in_0__up", 12, 14) | during("in_0__up", 16, 18)
    shown = played(ONE, ROOT, level, {10: {"arrive": 1}, 13: {"arrive": 1}})
    assert when(shown, "released") == [13, 17]


def test_a_pulse_that_nobody_asked_for_is_bad_at_once() -> None:
    shown = played(ONE, LEAF, {10: {"in_2__down": 1}, 20: {"arrive": 1}})
    assert when(shown, "fault") == list(range(11, 40))
    assert not when(shown, "released")
    assert not when(shown, "out_0__down")
    assert shown[20]["ready"] == 0
    assert shown[-1]["refusals"] == shown[-1]["strays"] == 1


def test_a_pulse_by_a_link_that_is_not_the_parents_means_nothing() -> None:
    for port in (0, 1, 3):
        shown = played(ONE, LEAF, {6: {"arrive": 1}}, during(f"in_{port}__down", 10, 20))
        assert not when(shown, "fault")
        assert not when(shown, "released")
    shown = played(ONE, ROOT, during("in_0__down", 5, 20), during("in_2__up", 5, 20))
    assert not when(shown, "fault")


def test_the_wires_of_a_slot_that_is_not_set_up_mean_nothing() -> None:
    noise = {c: {f"in_{p}__{w}": 1 for p in range(4) for w in ("up", "down")} for c in range(40)}
    shown = played(ONE, noise, {10: {"arrive": 1}})
    assert not any(seen["observe"] & 63 or seen["out_1__up"] for seen in shown)
    assert shown[-1]["strays"] == 0


@pytest.mark.parametrize("link_registers", [0, 1, 2])
def test_wrong_parity_is_bad_on_links_of_the_tree_alone(link_registers: int) -> None:
    plane = WirePlane(1, 0, link_registers, parity=True)
    inner = tree(parent=WEST, children=MEMBER | 1 << EAST, root=False)
    for port in range(4):
        shown = played(plane, inner, {5: {"arrive": 1}, 10: {f"in_{port}__parity": 1}})
        bad = port in (EAST, WEST)
        assert when(shown, "fault") == (list(range(11 + link_registers, 40)) if bad else [])
        assert when(shown, "released") == ([11 + link_registers] if bad else [])
    shown = played(plane, ROOT, {10: {"in_2__parity": 1}})
    assert not when(shown, "fault")


def test_wrong_parity_keeps_a_slot_from_firing_and_a_pulse_from_counting() -> None:
    plane = WirePlane(1, 0, parity=True)
    shown = played(plane, ROOT, {5: {"arrive": 1}, 10: {"in_0__up": 1}})
    assert when(shown, "broken") == list(range(11, 40))
    assert not when(shown, "out_0__down")
    shown = played(plane, LEAF, {5: {"arrive": 1}, 10: {"in_2__down": 1}})
    assert when(shown, "broken") == list(range(11, 40))
    assert not when(shown, "out_0__down")


def test_parity_is_that_of_all_wires_of_the_direction() -> None:
    shown = played(WirePlane(1, 0, parity=True), LEAF, {10: {"arrive": 1}})
    assert when(shown, "out_0__parity") == when(shown, "out_2__parity") == list(range(12, 40))


@pytest.mark.parametrize("word", [0, 4])
def test_clear_and_kill_break_an_arrival_at_any_time(word: int) -> None:
    clear = {20: write(word, 2 if word else 0)}
    for arrive in (10, 19, 20):
        shown = played(ONE, LEAF, {arrive: {"arrive": 1}}, clear)
        assert when(shown, "released") == [21]
        assert when(shown, "broken") == when(shown, "done") == list(range(21, 40))
        assert shown[21]["observe"] & 15 == 0
        assert not when(shown[21:], "out_2__up")
        assert shown[-1]["strays"] == 0
    shown = played(ONE, LEAF, clear)
    assert not when(shown, "released")
    assert when(shown, "ready") == list(range(SET_UP, 21))


@pytest.mark.parametrize("bit", [0, 1, 2, 13, 31])
def test_a_command_that_is_none_is_refused_and_changes_nothing(bit: int) -> None:
    other = 2 ^ 1 << bit
    shown = played(ONE, LEAF, {20: write(4, other)})
    assert when(shown, "config__error") == [21]
    assert when(shown, "ready") == list(range(SET_UP, 40))
    assert shown[-1]["observe"] >> 6 + 24 == 1  # REFUSED_WRITE, the last counter


def test_a_pulse_goes_before_a_clear_of_the_same_cycle_but_not_out() -> None:
    shown = played(ONE, LEAF, {10: {"arrive": 1}, 20: write(4, 2) | {"in_2__down": 1}})
    assert when(shown, "released") == [21]
    assert not when(shown, "broken")
    assert not when(shown, "out_0__down")


def test_done_and_broken_are_forgotten_with_the_next_arrive_or_set_up() -> None:
    killed = {10: {"arrive": 1}, 12: write(4, 2), 20: write(0, 1)}
    shown = played(ONE, LEAF, killed, {30: {"arrive": 1}})
    assert when(shown, "broken") == list(range(13, 21))
    again = {10: {"arrive": 1}, 20: {"in_2__down": 1}, 30: {"arrive": 1}}
    assert when(played(ONE, LEAF, again), "done") == list(range(21, 31))


@pytest.mark.parametrize("watchdog", [1, 2, 6])
def test_the_watchdog_trips_after_h_to_2h_cycles(watchdog: int) -> None:
    plane = WirePlane(1, 0, watchdog=watchdog)
    waits = set()
    for arrive in range(6, 6 + watchdog):
        shown = played(plane, LEAF, {arrive: {"arrive": 1}})
        (released,) = when(shown, "released")
        assert released % watchdog == 0
        waits.add(released - arrive - 1)
        assert when(shown, "broken") == when(shown, "fault") == list(range(released, 40))
        assert shown[-1]["strays"] == 1
    assert min(waits) >= watchdog
    assert max(waits) <= 2 * watchdog
    shown = played(plane, LEAF)
    assert not when(shown, "fault")


def test_shared_wires_are_up_to_the_parent_and_down_to_kids() -> None:
    inner = tree(parent=WEST, children=MEMBER | 1 << EAST | 1 << 1, root=False)
    kids = {c: {"in_0__up": 1, "in_1__up": 1} for c in range(5, 22)}
    pulse = {20: {"in_0__up": 1, "in_1__up": 1, "in_2__up": 1}}
    shown = played(WirePlane(1, 0, shared=True), inner, kids, {10: {"arrive": 1}}, pulse)
    assert when(shown, "out_2__up") == list(range(12, 21))
    assert when(shown, "out_0__up") == when(shown, "out_1__up") == [21]
    assert not when(shown, "out_3__up")
    assert not when(shown, "fault")


def test_data_are_combined_from_kids_and_the_process_and_come_back() -> None:
    plane = WirePlane(1, 4)
    words = (0b1100, 0b1010, 0b0110)
    for op, expected in enumerate((0b1110, 0b0000, 0b0000)):
        root = tree(children=MEMBER | 0b1010, root=True)
        root[2] = write(0, 1 | 1 << 1 | op << 3)
        level = {
            c: {"in_1__up": 1, "in_3__up": 1, "in_1__up_data": words[0], "in_3__up_data": words[1]}
            for c in range(12, 14)
        }
        shown = played(plane, root, level, {10: {"arrive": 1, "data": words[2]}})
        assert when(shown, "released") == [13]
        assert shown[13]["result"] == shown[13]["out_1__down_data"] == expected
    passed = {20: {"in_2__down": 1, "in_2__down_data": 9}}
    shown = played(plane, LEAF, {10: {"arrive": 1, "data": 5}}, passed)
    assert shown[12]["out_2__up_data"] == 5
    assert shown[21]["result"] == shown[30]["out_0__down_data"] == 9


class Line(wiring.Component):
    """Three routers from west to east."""

    def __init__(self, plane: WirePlane) -> None:
        self._plane = plane
        members: dict[str, Any] = {"config": In(ConfigSignature(MESH))}
        for i in range(3):
            members |= {f"arrive_{i}": In(1), f"released_{i}": Out(1), f"broken_{i}": Out(1)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        units = [WireUnit(MESH, self._plane, 4, process=True) for _ in range(3)]
        for i, unit in enumerate(units):
            m.submodules[f"unit_{i}"] = unit
            m.d.comb += [
                unit.index.eq(i),
                unit.arrive.eq(getattr(self, f"arrive_{i}")),
                getattr(self, f"released_{i}").eq(unit.released),
                getattr(self, f"broken_{i}").eq(unit.broken),
                *(
                    getattr(unit.config, name).eq(getattr(self.config, name))
                    for name in ("valid", "node", "address", "write", "data")
                ),
            ]
            for out, far, there in ((EAST, i + 1, WEST), (WEST, i - 1, EAST)):
                if 0 <= far < 3:
                    m.d.comb += getattr(units[far], f"in_{there}").eq(getattr(unit, f"out_{out}"))
        return m


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("link_registers", [0, 1, 2])
@pytest.mark.parametrize("root", [0, 1])
def test_latency_is_2l_times_1_and_p_and_2(root: int, link_registers: int, shared: bool) -> None:
    cases: list[dict[str, int]] = [{}]
    for i in range(3):
        away = (i >= root and i < 2) << EAST | (i <= root and i > 0) << WEST
        parent = WEST if i > root else EAST
        steps = tree(parent=parent, children=MEMBER | away, root=i == root, unit=i)
        cases += [steps[1], steps[2]]
    cases.append({"config__valid": 0})
    everybody = {f"arrive_{i}": 1 for i in range(3)}
    latency = 2 * max(root, 2 - root) * (1 + link_registers) + 2
    begins = []
    for _ in range(3):
        begins.append(len(cases))
        cases += [everybody, dict.fromkeys(everybody, 0), *[{}] * (latency + 2)]
    plane = WirePlane(1, 0, link_registers, shared=shared, parity=True)
    shown = clocked(Line(plane), cases)
    released = [when(shown, f"released_{i}") for i in range(3)]
    ends = [max(cycles) for cycles in zip(*released, strict=True)]
    assert [end - begin for begin, end in zip(begins, ends, strict=True)] == [latency] * 3
    assert not any(seen[f"broken_{i}"] for seen in shown for i in range(3))
