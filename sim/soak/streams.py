"""Streams of a soak's or a campaign's groups: what members send, and what must come of it."""

import random
from collections.abc import Iterable, Mapping, Set

from syncfabric.models.golden.record import Beat
from syncfabric.models.golden.stream_traffic import Counts
from syncfabric.models.layout.streams import Function, StreamLayout, Type
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.drive.scenario import Streaming
from syncfabric.sim.drive.stream_check import Expected
from syncfabric.sim.drive.streams import stream_command
from syncfabric.sim.lifecycle.effects import HANG, FoundError, Pause, Steps
from syncfabric.sim.soak.bench import Bench

STREAMS, WORDS = 3, 40
"""Of each group, one after the other, and of each operand."""
LOOK = 500
"""Cycles until a soak reads the sinks' counters again."""

Rows = list[list[int]]
"""Counters of the sinks, by node."""


class NoStreams:
    """The streams of a network that has none.

    Attributes
    ----------
    cycles : int
        In which what is sent at once has come, if no fault keeps it.
    groups : set of int
        Which have sent some.
    """

    cycles = 0
    groups: Set[int] = frozenset()

    def begin(self, groups: Mapping[int, GroupPlan], seed: int) -> None:
        """Draw streams of those groups that have them, as they are set up, by GID; send them."""

    def look(self) -> None:
        """Read what has come."""

    def unfinished(self) -> Set[int]:
        """Return the groups of which packets had still to come when it looked."""
        return set()

    def wrong(self) -> Iterable[tuple[int, int]]:
        """Yield group and node where a wrong word had come, whatever became of the group."""
        return ()

    def forget(self, gid: int) -> None:
        """Expect nothing more of a group that has been ended."""


class GroupStreams(NoStreams):
    """Streams of all groups that have them, drawn anew again and again.

    Parameters
    ----------
    bench : Bench
    layout : StreamLayout
        Of its routers.
    """

    def __init__(self, bench: Bench, layout: StreamLayout) -> None:
        self._bench, self._plan, self._layout = bench, bench.plan, layout
        self._first = bench.plan.spec.message_network.shape.entry_registers
        self.cycles = (STREAMS * (WORDS + 2) + 10) * 2 * layout.channels
        # What comes to each member of a group, by node and channel, and the counts before it.
        self._wanted: dict[int, dict[tuple[int, int], list[list[Beat]]]] = {}
        self._before: Rows = []
        self._rows: Rows = []

    def begin(self, groups: Mapping[int, GroupPlan], seed: int) -> None:
        """Draw streams, send them, and go on until all members have them."""
        self.look()
        self._before = self._rows
        if stimuli := self.drawn(groups, seed):
            self._bench.fabric.give(stimuli)
            self._bench.wait(stimuli[-1].cycle - self._bench.cycle + 1)

    def drawn(self, groups: Mapping[int, GroupPlan], seed: int) -> list[Stimulus]:
        """Return the commands of the sources of streams that are drawn, from this cycle on."""
        rng, stimuli = random.Random(seed), list[Stimulus]()
        self._wanted = {}
        self.groups = {gid for gid, group in groups.items() if group.stream_bound is not None}
        later: dict[int, int] = {}
        for gid, group in groups.items():
            if gid not in self.groups:
                continue
            ends = [(node, r - self._first) for node, r in self._plan.endpoints(group)]
            comes: dict[tuple[int, int], list[list[Beat]]] = {end: [] for end in ends}
            self._wanted[gid] = comes
            for _ in range(STREAMS):
                stream = _drawn(rng, gid, len(ends))
                result = Expected(self._plan, self._layout, stream)
                for member, (node, tid) in enumerate(ends):
                    comes[node, tid].append(result.beats(takes=member in stream.takes))
                    at = later[node] = later.get(node, self._bench.cycle) + 1
                    word = stream_command(stream, member, tid)
                    stimuli.append(Stimulus(at, StimulusKind.STREAM, node, word))
        return sorted(stimuli, key=lambda stimulus: stimulus.cycle)

    def _counts(self, rows: Rows, node: int, tid: int) -> Counts:
        packets, words, aborted, check, *_ = (word >> 32 * tid & 0xFFFFFFFF for word in rows[node])
        return Counts(packets, words, aborted, check)

    def look(self) -> None:
        """Read the sinks' counters."""
        self._rows = self._bench.fabric.streams()

    def unfinished(self) -> Set[int]:
        """Return the groups of which packets had still to come."""
        return {
            gid
            for gid, comes in self._wanted.items()
            for endpoint, packets in comes.items()
            if self._counts(self._rows, *endpoint).packets
            - self._counts(self._before, *endpoint).packets
            < len(packets)
        }

    def wrong(self) -> Iterable[tuple[int, int]]:
        """Yield where the checksum is not that of what was wanted."""
        for gid, comes in self._wanted.items():
            for (node, tid), packets in comes.items():
                now, before = (self._counts(r, node, tid) for r in (self._rows, self._before))
                if now.checksum != _checksum(packets, before, now):
                    yield gid, node

    def forget(self, gid: int) -> None:
        """Expect nothing more of a group."""
        self._wanted.pop(gid, None)


def streams_of(bench: Bench) -> NoStreams:
    """Return the streams of a bench's groups."""
    layout = bench.network.stream
    return GroupStreams(bench, layout) if layout else NoStreams()


def _drawn(rng: random.Random, gid: int, count: int) -> Streaming:
    """Return an all-reduce, a reduce or a broadcast."""
    every, one = range(count), [rng.randrange(count)]
    gives, takes = rng.choice(((every, every), (every, every), (every, one), (one, every)))
    what = gid, Function.ADD, Type.INT32, rng.choice((1, rng.randint(2, WORDS), WORDS)), 0
    return Streaming(*what, gives, takes, rng.getrandbits(32))


def _checksum(packets: list[list[Beat]], before: Counts, now: Counts) -> int:
    """Return the checksum behind so many packets and words, the last packet perhaps cut."""
    seen = Counts(checksum=before.checksum)
    whole = now.packets - before.packets
    for beat in (beat for packet in packets[:whole] for beat in packet):
        seen.take(beat, 0)
    left = now.words - before.words - seen.words
    rest = packets[whole][:left] if whole < len(packets) and left > 0 else []
    for beat in rest:
        seen.take(beat, 0)
    for _ in range(now.aborted - before.aborted):
        seen.take(Beat(0, 0, last=True, user=1), 0)
    return seen.checksum if len(rest) == left and not any(beat.last for beat in rest) else -1


class SoakStreams:
    """Keeps streams going in the groups that are set up; nothing where none has any.

    A group's end may cut a stream: then what has come of it is checked, and the rest dropped.

    Parameters
    ----------
    bench : Bench
    seed : int

    Attributes
    ----------
    ended : int
        Streams that have come whole.
    """

    def __init__(self, bench: Bench, seed: int) -> None:
        self._streams = streams_of(bench)
        self._bench, self._rng = bench, random.Random(f"{seed}/streams")
        self._open: dict[int, GroupPlan] = {}
        self._active, self._due, self.ended = set[int](), 0, 0

    @property
    def look(self) -> int | None:
        """Cycles until the next look, if there are streams."""
        return LOOK if self._open else None

    def open(self, group: GroupPlan) -> None:
        """Let a group have streams from now on."""
        if group.stream_bound is not None:
            self._open[group.id] = group

    def close(self, gid: int) -> None:
        """Begin no more streams of a group, which ends or has ended."""
        self._open.pop(gid, None)

    def forget(self, gid: int) -> Steps[None]:
        """Await the end of what a group's members have sent, and check it."""
        self.close(gid)
        if gid in self._active:
            yield Pause(self._streams.cycles)
            self._check()
            self._streams.forget(gid)
            self._active.discard(gid)

    def step(self, *, draining: bool) -> None:
        """Check what has come; when all has, begin the next streams.

        Raises
        ------
        FoundError
            A word is wrong, or streams do not end.
        """
        if not (self._open or self._active):
            return
        self._check()
        left = self._streams.unfinished()
        done = self._active - left
        self.ended += STREAMS * len(done)
        self._active -= done
        if waiting := left & self._open.keys():
            if self._bench.cycle > self._due:
                groups = ", ".join(map(str, sorted(waiting)))
                raise FoundError(f"streams of groups {groups} have not come for {HANG} cycles")
            return
        if self._active or draining or not self._open:
            return  # what a group's end has cut is checked first
        self._active = {*self._open}
        self._due = self._bench.cycle + HANG + self._streams.cycles
        self._streams.begin(self._open, self._rng.getrandbits(32))

    def _check(self) -> None:
        self._streams.look()
        for gid, node in self._streams.wrong():
            raise FoundError(f"a word of a stream of group {gid} at node {node} is wrong")
