"""What the bench wrote down: events, barriers, cycles lost in them, and what each core did."""

import enum
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from syncfabric.models.errors import ToolError
from syncfabric.models.messages.core import Activity, FaultReason
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan


@dataclass(frozen=True)
class Put:
    """What a core wrote to the console; text is lines of characters, without their ends."""

    core: int
    cycle: int
    value: int | str


@dataclass(frozen=True)
class Fault:
    """Why a core was stopped, by which instruction and what it accessed."""

    core: int
    cycle: int
    reason: FaultReason
    pc: int
    address: int


@dataclass(frozen=True)
class Span:
    """A core does the same from one cycle to another, the last not included."""

    begin: int
    end: int
    activity: Activity
    in_barrier: bool


@dataclass
class Events:
    """Everything that happened, by cycles since the cores were let go.

    Attributes
    ----------
    cycles : int
        When it ended.
    end : {"end", "limit", "stuck"}
        All cores are over or one was stopped; the limit; no core can go on.
    exits : dict of int to (int, int)
        Cycle and exit code, by core.
    arrivals, releases : dict of (int, int) to list of int
        Cycles, by core and register.
    spans : dict of int to list of Span
        What each core did.
    stands : dict of int to (Activity, int)
        What a core that is not over does at the end, and its instruction's address.
    """

    cycles: int = 0
    end: str = "end"
    puts: list[Put] = field(default_factory=list)
    exits: dict[int, tuple[int, int]] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    arrivals: dict[tuple[int, int], list[int]] = field(default_factory=lambda: defaultdict(list))
    releases: dict[tuple[int, int], list[int]] = field(default_factory=lambda: defaultdict(list))
    spans: dict[int, list[Span]] = field(default_factory=dict)
    stands: dict[int, tuple[Activity, int]] = field(default_factory=dict)


def read_events(file: Path, cores: int) -> Events:
    """Read the file that the bench wrote.

    Raises
    ------
    ToolError
        It is not whole; or the network refused to be set up.
    """
    events = Events()
    texts: dict[int, tuple[int, str]] = {}
    since = dict.fromkeys(range(cores), (0, Activity.WORKS, False))
    spans: dict[int, list[Span]] = {core: [] for core in range(cores)}
    whole = False
    for line in file.read_text().splitlines():
        word, what, *rest = line.split()
        cycle, numbers = int(word), [int(number) for number in rest]
        match what:
            case "arrive":
                events.arrivals[numbers[0], numbers[1]].append(cycle)
            case "release":
                events.releases[numbers[0], numbers[1]].append(cycle)
            case "put":
                events.puts.append(Put(numbers[0], cycle, numbers[1]))
            case "char":
                _add_character(events, texts, numbers[0], cycle, chr(numbers[1] & 0xFF))
            case "does":
                core, activity, inside = numbers
                begin, before, was_inside = since[core]
                if cycle > begin:
                    spans[core].append(Span(begin, cycle, before, was_inside))
                since[core] = cycle, Activity(activity), bool(inside)
            case "exit":
                events.exits[numbers[0]] = cycle, numbers[1] - (numbers[1] >> 31 << 32)
            case "fault":
                core, reason, pc, address = numbers
                events.faults.append(Fault(core, cycle, FaultReason(reason), pc, address))
            case "stands":
                events.stands[numbers[0]] = Activity(numbers[1]), numbers[2]
            case "limit" | "stuck":
                events.end = what
            case "refused":
                raise ToolError(
                    f"set-up: the network refused a write to {numbers[0]}, word {numbers[1]}"
                )
            case "end":
                events.cycles, whole = cycle, True
    if not whole:
        raise ToolError("the simulation ended before the program did")
    for core, (begin, activity, inside) in since.items():
        if events.cycles > begin:
            spans[core].append(Span(begin, events.cycles, activity, inside))
    events.spans = spans
    for core, (cycle, text) in texts.items():
        events.puts.append(Put(core, cycle, text))
    events.puts.sort(key=lambda put: put.cycle)
    return events


def _add_character(
    events: Events, texts: dict[int, tuple[int, str]], core: int, cycle: int, character: str
) -> None:
    """Collect characters to lines; a line has the cycle of its first character."""
    begin, text = texts.pop(core, (cycle, ""))
    if character == "\n":
        events.puts.append(Put(core, begin, text))
    else:
        texts[core] = begin, text + character


@dataclass(frozen=True)
class Episode:
    """One barrier in hardware: cycles of its last arrival and of its last release."""

    arrived: int
    released: int

    @property
    def latency(self) -> int:
        """Cycles between them."""
        return self.released - self.arrived


@dataclass(frozen=True)
class Lost:
    """Cycles of a core in barriers: all, and those in which it waited for hardware."""

    core: int
    cycles: int
    waiting: int


def episodes_of(plan: BarrierPlan, group: GroupPlan, events: Events) -> list[Episode]:
    """Return the barriers of a group that all its members have been released from."""
    endpoints = plan.endpoints(group)
    arrivals = [events.arrivals.get(endpoint, []) for endpoint in endpoints]
    releases = [events.releases.get(endpoint, []) for endpoint in endpoints]
    whole = min(len(cycles) for cycles in (*arrivals, *releases))
    return [
        Episode(max(cycles[k] for cycles in arrivals), max(cycles[k] for cycles in releases))
        for k in range(whole)
    ]


def is_lost(span: Span) -> bool:
    """Return whether a core is in a barrier: in its code in software, or waiting for hardware."""
    waits = span.activity in (Activity.ARRIVES, Activity.WAITS, Activity.FENCED)
    return waits or (span.in_barrier and span.activity is not Activity.STOPPED)


def lost_cycles(events: Events, begin: int = 0, end: int | None = None) -> tuple[Lost, ...]:
    """Return what each core lost, by default in all cycles; the last is not included."""
    last = events.cycles if end is None else end

    def inside(span: Span) -> int:
        return max(0, min(span.end, last) - max(span.begin, begin))

    return tuple(
        Lost(
            core,
            sum(inside(span) for span in spans if is_lost(span)),
            sum(inside(span) for span in spans if span.activity is Activity.WAITS),
        )
        for core, spans in sorted(events.spans.items())
    )


GAP = 8
"""Cycles outside of a barrier's code between two of its functions: they count as inside."""


class Kind(enum.Enum):
    """A kind of event; the value is its name in words."""

    WORKS = "works"
    WAITS = "waits in a barrier for others"
    RELEASED = "all have arrived, and it is let go"
    PACKETS = "waits for packets, the network or the config port"
    STOPPED = "has ended"


@dataclass(frozen=True)
class Piece:
    """Cycles of one kind, the last not included."""

    begin: int
    end: int
    kind: Kind


def timeline(plan: BarrierPlan, events: Events) -> list[list[Piece]]:
    """Return the pieces of each core, without gaps, by its number.

    A barrier in hardware has all its members once its last one has arrived. One in software does
    once the last core has begun it, if all cores were in as many; else all of it counts as waiting.
    """
    barriers = {core: _barriers(spans) for core, spans in events.spans.items()}
    complete = _complete(plan, events, barriers)
    return [
        _pieces(spans, barriers[core], complete[core])
        for core, spans in sorted(events.spans.items())
    ]


def _barriers(spans: Sequence[Span]) -> list[tuple[int, int]]:
    """Return from where to where a core is in barriers."""
    found: list[tuple[int, int]] = []
    for span in spans:
        if not is_lost(span):
            continue
        if found and span.begin - found[-1][1] <= GAP * span.in_barrier:
            found[-1] = (found[-1][0], span.end)
        else:
            found.append((span.begin, span.end))
    return found


def _complete(
    plan: BarrierPlan, events: Events, barriers: dict[int, list[tuple[int, int]]]
) -> dict[int, list[int]]:
    """Return when each of a core's barriers had all its members; its end if that is not known."""
    found = {core: [end for _, end in spans] for core, spans in barriers.items()}
    counts = {len(spans) for spans in barriers.values()}
    if not events.arrivals:
        if len(counts) == 1:
            for k in range(counts.pop()):
                last = max(spans[k][0] for spans in barriers.values())
                for core in found:
                    found[core][k] = last
        return found
    let_go: dict[int, dict[int, int]] = {core: {} for core in barriers}
    for group in plan.groups:
        episodes = episodes_of(plan, group, events)
        for core, register in plan.endpoints(group):
            if core in let_go:
                cycles = events.releases.get((core, register), [])
                let_go[core] |= dict(zip(cycles, (e.arrived for e in episodes), strict=False))
    for core, spans in barriers.items():
        for k, (begin, end) in enumerate(spans):
            known = [arrived for cycle, arrived in let_go[core].items() if begin <= cycle <= end]
            if known:
                found[core][k] = known[-1]
    return found


def _pieces(
    spans: Sequence[Span], barriers: Iterable[tuple[int, int]], complete: Iterable[int]
) -> list[Piece]:
    pieces: list[Piece] = []

    def add(begin: int, end: int, kind: Kind) -> None:
        if begin >= end:
            return
        if pieces and pieces[-1].kind is kind and pieces[-1].end == begin:
            begin = pieces.pop().begin
        pieces.append(Piece(begin, end, kind))

    ahead = list(zip(barriers, complete, strict=True))[::-1]
    done = 0
    for span in spans:
        while done < span.end:
            while ahead and ahead[-1][0][1] <= done:
                ahead.pop()
            if ahead and ahead[-1][0][0] <= done:
                (begin, end), all_in = ahead[-1]
                split = min(max(all_in, begin), end)
                add(done, split, Kind.WAITS)
                add(split, end, Kind.RELEASED)
                done = end
            else:
                end = min(span.end, ahead[-1][0][0]) if ahead else span.end
                add(done, end, _kind(span))
                done = end
    return pieces


def _kind(span: Span) -> Kind:
    if span.activity is Activity.STOPPED:
        return Kind.STOPPED
    return Kind.WORKS if span.activity is Activity.WORKS else Kind.PACKETS
