"""The rules of flits and operations: kept by a sound run, and each reported where it is broken."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.static import software
from syncfabric.sim.drive.static.checks import CollectiveCheck, FlowCheck
from syncfabric.sim.drive.static.operations import KINDS, Collective
from syncfabric.sim.drive.stimulus import rules_of
from syncfabric.sim.drive.trace import EMPTY, Line, Turn, bits
from tests.models.golden.static_bench import Group, cycle, ring, static, tree
from tests.sim.drive.static.planned import Cycle, plan_of, planned, recorded

SPEC = static(2, 2, (2, 3, 2))
RING = ring(cycle(2, 2))
TREE = tree({(1, 0): (0, 0), (0, 1): (0, 0), (1, 1): (1, 0)}, (0, 0), [(0, 1), (1, 1)])
EARLY, END = "flits read before a member leaves Wait", "flits held at the end"
GROUPS = pytest.mark.parametrize("group", [RING, TREE], ids=["ring", "tree"])
SMALL = static(2, 2)
PLAN = plan_of(SMALL, ring(cycle(2, 2)))
CORES = sum(1 << 5 * node + Port.LOCAL for node in range(4))
Events = list[Turn | Line]


def checked(cycles: list[Cycle], group: Group, spec: StaticSpec = SPEC) -> list[str]:
    """Return the names of the rules that are broken, in order."""
    check = FlowCheck(spec, (planned(0, group, spec),))
    found = [each.signal for wires in cycles for each in check.wires(Line(*wires))]
    found += [each.signal for each in check.close(0)]
    return [signal.partition(": ")[2] or signal for signal in found]


@GROUPS
def test_a_sound_run_breaks_no_rule(group: Group) -> None:
    assert not checked(recorded(SPEC, group, 5), group)


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
    assert END in checked(lost, group)


@GROUPS
def test_a_credit_without_a_flit(group: Group) -> None:
    cycles = recorded(SPEC, group, 3)
    idle = 5 * 3 + Port.EAST  # leads out of the mesh
    given = changed(cycles, 4, credit=cycles[4][1].credit | 1 << idle)
    assert checked(given, group)[0] == "credit without a flit"


def test_a_flit_too_many() -> None:
    cycles = recorded(SPEC, RING, 1)
    core = 5 * SPEC.topology.index(RING.members[1]) + Port.LOCAL
    full = next(i for i, (_, record) in enumerate(cycles) if i and record.release) - 1
    # All members have read their fillers: send so many that the buffer must be full.
    many = [(now, record._replace(valid=record.valid | 1 << core)) for now, record in cycles]
    assert "flit sent without a credit" in checked([*cycles[:full], *many[full:]], RING)


@GROUPS
def test_leaving_before_all_have_passed_notify(group: Group) -> None:
    cycles = recorded(SPEC, group, 2)
    leaver = SPEC.topology.index(group.members[-1])
    early = changed(cycles, 3, release=1 << leaver)
    assert checked(early, group).count(EARLY) >= len(group.members) - 1


def deep(core_buffer: int) -> StaticSpec:
    return static(2, 2, (2, core_buffer, 2))


@GROUPS
@pytest.mark.parametrize("core_buffer", [1, 2, 3, 4, 5, 6, 8, 15, 16])
@pytest.mark.parametrize("late", [0, 1, 40])
def test_a_sound_run_at_any_core_buffer(group: Group, core_buffer: int, late: int) -> None:
    """The notify passes a member with deep buffers while it still reads its fillers."""
    spec = deep(core_buffer)
    assert not checked(recorded(spec, group, 4, late), group, spec)


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


def test_the_flits_of_a_core_in_no_group_do_not_count() -> None:
    """Software may send where no group is; it must not where one is."""
    three = static(3, 2, (2, 3, 2))
    cycles = recorded(three, RING, 2)
    free, member = 5 * 6 + 2, 5 * 6 + 3
    for node, rules in ((free, []), (member, [END])):
        sent = cycles[0][1]._replace(valid=1 << node, credit=0, release=0)
        assert checked([(0, sent), *cycles], RING, three) == rules


def performed(kind: str, **values: Any) -> tuple[Scenario, Events]:
    """Return a run's turns and wires in the order in which a checker takes them."""
    scenario = Scenario(
        episodes=2, policy="together", collectives=(Collective(0, kind, 3, **values),)
    )
    runner = ScenarioRunner(PLAN, scenario)
    events: list[tuple[int, int, Turn | Line]] = []
    while not runner.finished:
        chunk = runner.advance()
        events += [(act.cycle, 0, act) for act in chunk.acts if isinstance(act, Turn)]
        events += [(line.cycle, 1, line) for line in chunk.lines]
    return scenario, [entry for *_, entry in sorted(events, key=lambda entry: entry[:2])]


def checked_events(scenario: Scenario, events: Events) -> list[str]:
    """Return the names of the rules that are broken, in order."""
    rules = rules_of(PLAN, scenario, coverage=False)
    (check,), broken = [rule for rule in rules if isinstance(rule, CollectiveCheck)], []
    for entry in events:
        found = check.act(entry) if isinstance(entry, Turn) else check.wires(entry)
        broken += [mismatch.signal for mismatch in found]
    return broken + [mismatch.signal for mismatch in check.close(0)]


@pytest.mark.parametrize("kind", KINDS)
def test_sound_operations_break_no_rule(kind: str) -> None:
    assert not checked_events(*performed(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_a_flipped_flit_is_reported(kind: str) -> None:
    scenario, events = performed(kind)
    place = next(i for i, e in enumerate(events) if isinstance(e, Line) and e.record.valid & CORES)
    line = events[place]
    assert isinstance(line, Line)
    links = list(bits(line.record.valid))
    core = next(i for i, link in enumerate(links) if CORES >> link & 1)
    flits = [flit ^ (i == core) for i, flit in enumerate(line.record.payloads)]
    events[place] = replace(line, record=line.record._replace(payloads=flits))
    rules = checked_events(scenario, events)
    assert any("flits read" in rule for rule in rules)


@pytest.mark.parametrize("kind", KINDS)
def test_a_lost_flit_is_missed(kind: str) -> None:
    scenario, events = performed(kind)
    place = max(i for i, e in enumerate(events) if isinstance(e, Line) and e.record.credit & CORES)
    assert any("operations" in rule for rule in checked_events(scenario, events[:place]))


@pytest.mark.parametrize("kind", KINDS)
def test_flits_of_a_root_that_has_not_begun(kind: str) -> None:
    scenario, events = performed(kind)
    late = [e for e in events if not (isinstance(e, Turn) and e.member == 0 and not e.ends)]
    rules = checked_events(scenario, late)
    assert "group 0: a flit before the root has begun" in rules
    assert "group 0: flits outside of operations" in rules


def test_a_result_before_all_have_begun() -> None:
    """One member begins the second reduction after the root has its result, by the turns."""
    scenario, events = performed("reduce")
    place = max(i for i, e in enumerate(events) if isinstance(e, Turn) and not e.ends)
    begins = events.pop(place)
    assert isinstance(begins, Turn)
    assert begins.member
    assert "group 0: begun before the result" in checked_events(scenario, events)


def test_the_root_has_its_last_flit_back_too_early() -> None:
    """A member's flits that it has yet to read are more than its core buffer holds."""
    scenario, events = performed("broadcast")
    reader = 1 << 5 * 2 + Port.LOCAL  # of the second member of the ring
    last = max(i for i, e in enumerate(events) if isinstance(e, Line) and e.record.credit & CORES)
    without = [
        replace(e, record=e.record._replace(credit=e.record.credit & ~reader))
        if isinstance(e, Line)
        else e
        for e in events[: last + 1]
    ]
    assert "group 0: flits behind the root's last" in checked_events(scenario, without)


def without_carries(own: int, theirs: int) -> int:
    """Return the sum of each flit with its other, and no carry from one to the next."""
    bits, mask = SMALL.flit_bits, (1 << SMALL.flit_bits) - 1
    pairs = ((own >> bits * place, theirs >> bits * place) for place in range(3))
    return sum((one + other & mask) << bits * place for place, (one, other) in enumerate(pairs))


@pytest.mark.parametrize(
    ("kind", "op", "combine"),
    [
        ("reduce", "sum", without_carries),
        ("reduce", "sum", lambda own, _: own),
        ("allreduce", "max", lambda own, _: own),
    ],
)
def test_software_that_combines_wrongly(
    kind: str, op: str, combine: Callable[[int, int], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(software.COMBINE, op, combine)
    assert "group 0: flits sent" in checked_events(*performed(kind, op=op))


def test_software_that_joins_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(software, "joined", lambda *_: 5)
    assert "group 0: word in the end" in checked_events(*performed("scatter"))
