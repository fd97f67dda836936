"""What the bench wrote down, read again."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from syncfabric.models.errors import ToolError
from syncfabric.models.messages.core import Activity, FaultReason

__all__ = ["Events", "Fault", "Put", "Span", "read_events"]


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
        All cores are over or one was stopped; the limit; nobody can go on.
    puts : list of Put
    exits : dict of int to (int, int)
        Cycle and exit code, by core.
    faults : list of Fault
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
