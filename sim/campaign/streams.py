"""Streams of the groups of a campaign: what members send in a trial, and what must come of it."""

import random
from collections.abc import Iterator, Mapping

from syncfabric.models.golden.record import Beat
from syncfabric.models.golden.stream_traffic import Counts
from syncfabric.models.layout.streams import Function, StreamLayout, Type
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.script import Stimulus, StimulusKind
from syncfabric.sim.drive.scenario import Streaming
from syncfabric.sim.drive.stream_check import Expected
from syncfabric.sim.drive.streams import stream_command

STREAMS, WORDS = 3, 40
"""Of each group, one after the other, and of each operand."""

Rows = list[list[int]]
"""Counters of the sinks, by node."""


class CampaignStreams:
    """Streams of all groups that have them, drawn anew again and again.

    Parameters
    ----------
    plan : BarrierPlan
    layout : StreamLayout
        Of its routers.
    """

    def __init__(self, plan: BarrierPlan, layout: StreamLayout) -> None:
        self._plan, self._layout = plan, layout
        self._first = plan.spec.message_network.shape.entry_registers
        # What comes to each member of a group, by node and channel, and the counts before it.
        self._wanted: dict[int, dict[tuple[int, int], list[list[Beat]]]] = {}
        self._before: Rows = []

    @property
    def cycles(self) -> int:
        """Cycles in which what is sent at once has come, if no fault keeps it."""
        return (STREAMS * (WORDS + 2) + 10) * 2 * self._layout.channels

    def begin(
        self, groups: Mapping[int, GroupPlan], rows: Rows, cycle: int, seed: int
    ) -> list[Stimulus]:
        """Draw streams of these groups; return what tells the sources, from a cycle on.

        Parameters
        ----------
        groups : mapping of int to GroupPlan
            As they are set up, by GID; those without a stream are left out.
        rows : list of list of int
            The counters as they are.
        cycle, seed : int
        """
        rng, self._before, stimuli = random.Random(seed), rows, list[Stimulus]()
        self._wanted = {}
        later: dict[int, int] = {}
        for gid, group in groups.items():
            if group.stream_bound is None:
                continue
            ends = [(node, r - self._first) for node, r in self._plan.endpoints(group)]
            comes: dict[tuple[int, int], list[list[Beat]]] = {end: [] for end in ends}
            self._wanted[gid] = comes
            for _ in range(STREAMS):
                stream = self._drawn(rng, gid, len(ends))
                result = Expected(self._plan, self._layout, stream)
                for member, (node, tid) in enumerate(ends):
                    comes[node, tid].append(result.beats(takes=member in stream.takes))
                    at = later[node] = later.get(node, cycle) + 1
                    word = stream_command(stream, member, tid)
                    stimuli.append(Stimulus(at, StimulusKind.STREAM, node, word))
        return sorted(stimuli, key=lambda stimulus: stimulus.cycle)

    @staticmethod
    def _drawn(rng: random.Random, gid: int, count: int) -> Streaming:
        """Return an all-reduce, a reduce or a broadcast."""
        every, one = range(count), [rng.randrange(count)]
        gives, takes = rng.choice(((every, every), (every, every), (every, one), (one, every)))
        what = gid, Function.ADD, Type.INT32, rng.choice((1, rng.randint(2, WORDS), WORDS)), 0
        return Streaming(*what, gives, takes, rng.getrandbits(32))

    def _counts(self, rows: Rows, node: int, tid: int) -> Counts:
        packets, words, aborted, check, *_ = (word >> 32 * tid & 0xFFFFFFFF for word in rows[node])
        return Counts(packets, words, aborted, check)

    def unfinished(self, rows: Rows) -> set[int]:
        """Return the groups of which packets have still to come."""
        return {
            gid
            for gid, comes in self._wanted.items()
            for seat, packets in comes.items()
            if self._counts(rows, *seat).packets - self._counts(self._before, *seat).packets
            < len(packets)
        }

    def wrong(self, rows: Rows) -> Iterator[tuple[int, int]]:
        """Yield group and node where a wrong word has come, whatever became of the group."""
        for gid, comes in self._wanted.items():
            for (node, tid), packets in comes.items():
                now, before = (self._counts(r, node, tid) for r in (rows, self._before))
                if now.checksum != _checksum(packets, before, now):
                    yield gid, node

    def forget(self, gid: int) -> None:
        """Expect nothing more of a group that has been ended."""
        self._wanted.pop(gid, None)


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
