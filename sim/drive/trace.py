"""A run's trace: what software did, what was on the wires in each cycle, and a probe's words."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, TypeAlias

from syncfabric.models.faults.fault import Fault
from syncfabric.models.golden.record import Beat, ConfigRequest, GuardWires, PortState, Record
from syncfabric.models.layout.setup import Operation
from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.drive.scenario import Outcome
from syncfabric.sim.results import Mismatch

EMPTY = Record(0, 0, (), 0, ())
"""A cycle in which nothing is on any wire."""


class Arrival(NamedTuple):
    """A member's arrival that the network takes."""

    cycle: int
    group: int
    """Place of the group in the plan; above these, a group's that comes and goes."""
    member: int
    data: int


class StepKind(Enum):
    """What a member of a scheme does."""

    ARRIVE = "arrive"
    NOTIFY = "notify"
    """It notifies all members of what it knows, other than by packets."""
    RELEASE = "release"


class MemberStep(NamedTuple):
    """A step of a scheme's member."""

    cycle: int
    member: int
    kind: StepKind


class Put(NamedTuple):
    """A flit that a node's software puts into its source."""

    cycle: int
    node: int
    channel: int
    head: bool
    tail: bool
    payload: int

    def stimulus(self) -> Stimulus:
        """Return the same for the player."""
        extra = self.channel | self.head << 4 | self.tail << 5
        return Stimulus(self.cycle, StimulusKind.PACKET, self.node, self.payload, extra)


class Turn(NamedTuple):
    """A member begins an operation in a cycle, or has ended one before it, with a word or None.

    ``course`` and ``member`` are the places of the group among those with collectives, and of the
    member in it.
    """

    cycle: int
    course: int
    member: int
    ends: bool = False
    word: int | None = None


class Created(NamedTuple):
    """A group begins: its members know of it, the network does not."""

    cycle: int
    number: int
    gid: int
    op: str
    nodes: tuple[int, ...]
    """Its members'."""
    targets: tuple[int, ...] = ()
    """Where it has entries that are read when it is over, numbered as on the config port."""
    episodes: int = 0
    entries: tuple[int, ...] = ()
    """Its entry at each of the targets."""


class Joined(NamedTuple):
    """A member found its register ready, and arrives there from now on."""

    cycle: int
    number: int
    member: int
    node: int
    register: int


class Commanded(NamedTuple):
    """A manager, or the host, has begun with a command for a group."""

    cycle: int
    number: int
    manager: int
    """The manager's node; -1: it is the host's."""
    operation: Operation


class BrokenRelease(NamedTuple):
    """The release of a register in this cycle is a broken one."""

    cycle: int
    node: int
    register: int


class Removed(NamedTuple):
    """A group is over: no member is inside, and its entries are free."""

    cycle: int
    number: int


class AllOver(NamedTuple):
    """All is over: every counter is read from now on."""

    cycle: int


Act: TypeAlias = (
    Arrival
    | MemberStep
    | Put
    | Turn
    | Created
    | Joined
    | Commanded
    | BrokenRelease
    | Removed
    | AllOver
)
"""Something that software does in a cycle."""


@dataclass(frozen=True)
class Line:
    """A line of the probe, read: the wires of a cycle, or what changed of ``observe`` in it.

    Parameters
    ----------
    cycle : int
    record : Record
        The wires; ``EMPTY`` in a line of the other kind.
    answer : (error, data), optional
        Of the config port.
    observed : tuple of (target, observe), optional
        None in a line of wires.
    """

    cycle: int
    record: Record
    answer: tuple[int, int] | None = None
    observed: tuple[tuple[int, int], ...] | None = None


@dataclass
class Chunk:
    """Cycles ``first`` up to, but not including, ``end``.

    Parameters
    ----------
    stimuli : list of Stimulus
        For the player.
    text : list of str
        What the probe must write.
    lines : list of Line
        The same, read.
    faults : list of Fault
        Faults of links from these cycles on; all of a run's are in one chunk.
    acts : list of Act
        What software does, in order.
    answered : dict of int to ConfigRequest
        The requests that the config port answers, by cycle.
    meanings : dict of int to int
        Mask of an answer's defined bits, where some are not, by cycle.
    """

    first: int
    end: int = 0
    stimuli: list[Stimulus] = field(default_factory=list)
    text: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    answered: dict[int, ConfigRequest] = field(default_factory=dict)
    meanings: dict[int, int] = field(default_factory=dict)


Report: TypeAlias = Sequence[Sequence[int]] | None
"""The hardware's traffic report, a row a node; see ``sim/assemble/bench.py``. None without one.

A count with unknown bits is -1.
"""


class Rule:
    """A rule that a trace must satisfy, or a measure of it: it takes the trace in, in order.

    In a cycle the wires come first; then software's acts, except turns, which come before them.
    """

    def begin(self, chunk: Chunk) -> None:
        """Take a chunk in, before its lines."""

    def act(self, act: Act) -> Iterable[Mismatch]:
        """Take an act in; return what violates the rule."""
        return ()

    def wires(self, line: Line) -> Iterable[Mismatch]:
        """Take a cycle's wires in; return what violates the rule."""
        return ()

    def close(self, cycle: int, report: Report = None) -> Iterator[Mismatch]:
        """Yield what violates the rule at the end of the run, which is in this cycle."""
        yield from ()

    def report(self, outcome: Outcome) -> None:
        """Add what was measured to a run's outcome."""


def bits(word: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, rising."""
    while word:
        low = word & -word
        yield low.bit_length() - 1
        word ^= low


def flits_on(record: Record, lanes: int) -> Iterator[tuple[int, int]]:
    """Yield (lane, flit) of every flit on a set of lanes, rising; see `sim.drive.lanes`."""
    valid, payloads = record.valid, record.payloads
    for lane in bits(valid & lanes):
        yield lane, payloads[(valid & (1 << lane) - 1).bit_count()]


def record_line(cycle: int, record: Record, answer: tuple[bool, bool, int]) -> str:
    """Return the line that the probe writes for a cycle."""
    parts = [f"{cycle:x} {record.valid:x} {record.credit:x} {record.release:x}"]
    parts += [f"{payload:x}" for payload in record.payloads]
    parts += [f"{result:x}" for result in record.results]
    parts += [
        f"g{link:x}:" + ":".join(f"{wire:x}" for wire in shown)
        for link, shown in record.guards
        if any(shown)
    ]
    parts += [
        f"m{node:x}:{beat.tid:x}:{beat.last:x}:{beat.keep:x}:{beat.user:x}:{beat.data:x}"
        for node, beat in record.beats
    ]
    parts += [
        f"p{node:x}:" + ":".join(f"{word:x}" for word in state) for node, state in record.ports
    ]
    if answer[0]:
        parts.append(f"c{answer[1]:x}:{answer[2]:x}")
    return " ".join(parts)


def observe_line(changed: Sequence[tuple[int, int]]) -> str:
    """Return the line that follows a cycle with a release: targets, their new ``observe``."""
    return " ".join(["o", *(f"{target:x}:{value:x}" for target, value in changed)])


def parse(text: str, cycle: int) -> Line:
    """Read a line; an observation belongs to the cycle of the line before.

    Raises
    ------
    ValueError
        A word is no number: the hardware showed an unknown value. Or the line has fewer flits than
        valid links: two bits of a link were high together.
    """
    words = text.split()
    if words[0] == "o":
        pairs = (word.split(":") for word in words[1:])
        return Line(cycle, EMPTY, observed=tuple((int(n, 16), int(v, 16)) for n, v in pairs))
    cycle, valid, credit, release = (int(word, 16) for word in words[:4])
    flits, released = valid.bit_count(), release.bit_count()
    if len(words) < 4 + flits + released:
        raise ValueError(text)
    payloads = [int(word, 16) for word in words[4 : 4 + flits]]
    results = [int(word, 16) for word in words[4 + flits : 4 + flits + released]]
    guards: list[tuple[int, GuardWires]] = []
    beats: list[tuple[int, Beat]] = []
    ports: list[tuple[int, PortState]] = []
    answer = None
    for word in words[4 + flits + released :]:
        numbers = [int(number, 16) for number in word[1:].split(":")]
        if word[0] == "g" and len(numbers) == 5:
            guards.append((numbers[0], GuardWires(*numbers[1:])))
        elif word[0] == "m":
            node, tid, last, keep, user, data = numbers
            beats.append((node, Beat(data, keep, bool(last), tid, user)))
        elif word[0] == "p":
            ports.append((numbers[0], PortState(*numbers[1:])))
        elif word[0] == "c":
            answer = (numbers[0], numbers[1])
        else:
            raise ValueError(word)
    also = tuple(guards), tuple(beats), tuple(ports)
    record = Record(valid, credit, payloads, release, results, *also)
    return Line(cycle, record, answer)


def wires_of(line: Line) -> Line:
    """Return a line without data: which wires of links and releases are high."""
    record = line.record
    return Line(line.cycle, Record(record.valid, record.credit, (), record.release, ()))


def parse_wires(text: str) -> Line:
    """Read as much of a line as `wires_of` leaves, whatever follows.

    Raises
    ------
    ValueError
        That is not readable either.
    """
    cycle, valid, credit, release = (int(word, 16) for word in text.split()[:4])
    return Line(cycle, Record(valid, credit, (), release, ()))
