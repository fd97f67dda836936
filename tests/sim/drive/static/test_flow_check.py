"""The rules of flits on a static network: kept by a sound run, and told where one is broken."""

from typing import Any

import pytest

from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.drive.static.flow_check import FlowCheck
from syncfabric.sim.drive.trace import EMPTY, Line
from tests.models.golden.static_bench import Group, cycle, ring, static, tree
from tests.sim.drive.static.planned import Cycle, planned, recorded

SPEC = static(2, 2, (2, 3, 2))
RING = ring(cycle(2, 2))
TREE = tree({(1, 0): (0, 0), (0, 1): (0, 0), (1, 1): (1, 0)}, (0, 0), [(0, 1), (1, 1)])
EARLY, END = "flits read before a member leaves Wait", "flits held at the end"
GROUPS = pytest.mark.parametrize("group", [RING, TREE], ids=["ring", "tree"])


def judged(cycles: list[Cycle], group: Group, spec: StaticSpec = SPEC) -> list[str]:
    """Return the names of the rules that are broken, in order."""
    check = FlowCheck(spec, (planned(0, group, spec),))
    found = [each.signal for wires in cycles for each in check.wires(Line(*wires))]
    found += [each.signal for each in check.close(0)]
    return [signal.partition(": ")[2] or signal for signal in found]


@GROUPS
def test_a_sound_run_breaks_no_rule(group: Group) -> None:
    assert not judged(recorded(SPEC, group, 5), group)


def changed(cycles: list[Cycle], place: int, **wires: Any) -> list[Cycle]:
    """Return the cycles with other wires in one of them."""
    now, record = cycles[place]
    return [*cycles[:place], (now, record._replace(**wires)), *cycles[place + 1 :]]


@GROUPS
def test_a_lost_credit_is_missed_at_the_end(group: Group) -> None:
    cycles = recorded(SPEC, group, 3)
    place = next(i for i, (_, record) in enumerate(cycles) if record.credit)
    lowest = cycles[place][1].credit & -cycles[place][1].credit
    lost = changed(cycles, place, credit=cycles[place][1].credit ^ lowest)
    assert END in judged(lost, group)


@GROUPS
def test_a_credit_without_a_flit(group: Group) -> None:
    cycles = recorded(SPEC, group, 3)
    idle = 5 * 3 + Port.EAST  # leads out of the mesh
    given = changed(cycles, 4, credit=cycles[4][1].credit | 1 << idle)
    assert judged(given, group)[0] == "credit without a flit"


def test_a_flit_too_many() -> None:
    cycles = recorded(SPEC, RING, 1)
    core = 5 * SPEC.topology.index(RING.members[1]) + Port.LOCAL
    full = next(i for i, (_, record) in enumerate(cycles) if i and record.release) - 1
    # All members have read their fillers: send so many that the buffer must be full.
    many = [(now, record._replace(valid=record.valid | 1 << core)) for now, record in cycles]
    assert "flit sent without a credit" in judged([*cycles[:full], *many[full:]], RING)


@GROUPS
def test_leaving_before_all_have_passed_notify(group: Group) -> None:
    cycles = recorded(SPEC, group, 2)
    leaver = SPEC.topology.index(group.members[-1])
    early = changed(cycles, 3, release=1 << leaver)
    assert judged(early, group).count(EARLY) >= len(group.members) - 1


def deep(core_buffer: int) -> StaticSpec:
    return static(2, 2, (2, core_buffer, 2))


@GROUPS
@pytest.mark.parametrize("core_buffer", [1, 2, 3, 4, 5, 6, 8, 15, 16])
@pytest.mark.parametrize("late", [0, 1, 40])
def test_a_sound_run_at_any_core_buffer(group: Group, core_buffer: int, late: int) -> None:
    """The notify passes a member with deep buffers while it still reads its fillers."""
    spec = deep(core_buffer)
    assert not judged(recorded(spec, group, 4, late), group, spec)


@GROUPS
@pytest.mark.parametrize("core_buffer", [1, 2, 5, 16])
@pytest.mark.parametrize("after", [-3, 0, 1])
def test_a_release_is_early_until_the_last_member_has_read(
    group: Group, core_buffer: int, after: int
) -> None:
    """A member leaves the second episode at the late member's first read, before or after it."""
    spec = deep(core_buffer)
    cycles = recorded(spec, group, 2, 100)
    last, leaver = group.members[-1], spec.topology.index(group.members[1])
    link = 5 * spec.topology.index(last) + Port.LOCAL
    reads = [i for i, (_, record) in enumerate(cycles) if record.credit >> link & 1]
    place = reads[len(reads) // 2] + after
    check = FlowCheck(spec, (planned(0, group, spec),))
    for wires in cycles[:place]:
        assert not list(check.wires(Line(*wires)))
    left = Line(0, EMPTY._replace(release=1 << leaver))
    blamed = [each.node for each in check.wires(left)]
    assert (last in blamed) == (after < 1)


def test_the_flits_of_nobodys_core_are_no_matter() -> None:
    """Software may send where no group is; it must not where one is."""
    three = static(3, 2, (2, 3, 2))
    cycles = recorded(three, RING, 2)
    nobody, member = 5 * 6 + 2, 5 * 6 + 3
    for node, rules in ((nobody, []), (member, [END])):
        sent = cycles[0][1]._replace(valid=1 << node, credit=0, release=0)
        assert judged([(0, sent), *cycles], RING, three) == rules
