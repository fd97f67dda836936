"""Streams of a soak: in all groups that have them, one lot after the other, beside the barriers."""

import random

from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.sim.campaign.streams import STREAMS, CampaignStreams
from syncfabric.sim.lifecycle.effects import HANG, FoundError, Pause, Steps
from syncfabric.sim.soak.bench import Bench

LOOK = 500
"""Cycles until the sinks' counters are read again."""


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
        layout = bench.network.stream
        self._streams = CampaignStreams(bench.plan, layout) if layout else None
        self._bench, self._rng = bench, random.Random(f"{seed}/streams")
        self._open: dict[int, GroupPlan] = {}
        self._under_way, self._due, self.ended = set[int](), 0, 0

    @property
    def look(self) -> int | None:
        """Cycles until the next look, if there are streams."""
        return LOOK if self._open else None

    def open(self, group: GroupPlan) -> None:
        """Let a group have streams from now on."""
        if self._streams and group.stream_bound is not None:
            self._open[group.id] = group

    def close(self, gid: int) -> None:
        """Begin no more streams of a group, which ends or has ended."""
        self._open.pop(gid, None)

    def forget(self, gid: int) -> Steps[None]:
        """Await the end of what a group's members have sent, and check it."""
        self.close(gid)
        if self._streams and gid in self._under_way:
            yield Pause(self._streams.cycles)
            self._check(self._bench.fabric.streams())
            self._streams.forget(gid)
            self._under_way.discard(gid)

    def step(self, *, draining: bool) -> None:
        """Check what has come; when all has, begin the next streams.

        Raises
        ------
        FoundError
            A word is wrong, or streams do not end.
        """
        if not self._streams or not (self._open or self._under_way):
            return
        bench, rows = self._bench, self._bench.fabric.streams()
        self._check(rows)
        left = self._streams.unfinished(rows)
        done = self._under_way - left
        self.ended += STREAMS * len(done)
        self._under_way -= done
        if waiting := left & self._open.keys():
            if bench.cycle > self._due:
                groups = ", ".join(map(str, sorted(waiting)))
                raise FoundError(f"streams of groups {groups} have not come for {HANG} cycles")
            return
        if self._under_way or draining or not self._open:
            return  # what a group's end has cut is checked first
        seed = self._rng.getrandbits(32)
        stimuli = self._streams.begin(self._open, rows, bench.cycle, seed)
        self._under_way = {*self._open}
        bench.fabric.give(stimuli)
        self._due = bench.cycle + HANG + self._streams.cycles
        bench.wait(stimuli[-1].cycle - bench.cycle + 1)

    def _check(self, rows: list[list[int]]) -> None:
        assert self._streams
        for gid, node in self._streams.wrong(rows):
            raise FoundError(f"a word of a stream of group {gid} at node {node} is wrong")
