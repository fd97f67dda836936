"""What groups' streams have on their links, and when members have their results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.lanes import LaneMasks
from syncfabric.sim.drive.log import EngineMessages
from syncfabric.sim.drive.scenario import Outcome, Scenario, StreamOutcome
from syncfabric.sim.drive.trace import Line, Rule, flits_on
from syncfabric.sim.results import Mismatch
from syncfabric.sim.stream_result import StreamFlow, StreamLink, StreamMember

__all__ = ["StreamCount", "StreamWords"]

MOST_WINDOWS = 150


class _Word(NamedTuple):
    """A word on a link; ``group`` is a place in the plan."""

    link: int
    group: int
    up: bool
    head: bool


class StreamWords:
    """Reads the words of groups' streams in the lines of a run.

    Parameters
    ----------
    plan : BarrierPlan

    Attributes
    ----------
    members : dict of (int, int) to (int, int)
        By node and channel, the place of a group in the plan, and of a member in it.
    """

    def __init__(self, plan: BarrierPlan) -> None:
        network = plan.spec.message_network
        stream = network.shape.router.stream
        self._head = stream.word.width - 1 if stream else 0
        self._links, self._lanes = links_of(network), LaneMasks(network).streams
        self._read = EngineMessages(plan).in_slot
        first = network.shape.entry_registers
        self.members = {
            (node, register - first): (number, member)
            for number, group in enumerate(plan.groups)
            if group.stream_bound is not None
            for member, (node, register) in enumerate(plan.endpoints(group))
        }

    def words(self, line: Line) -> Iterator[_Word]:
        """Yield the words on links; of those of no group none."""
        for lane, payload in flits_on(line.record, self._lanes):
            link, channel = divmod(lane, self._links.width)
            group, up = self._read(link, channel - self._links.first_stream)
            if group >= 0:
                yield _Word(link, group, up, bool(payload >> self._head & 1))

    def beats(self, line: Line) -> Iterator[tuple[int, int, bool, bool]]:
        """Yield group and member of each beat of a result, whether it has a word, and is last."""
        for node, beat in line.record.beats:
            if (node, beat.tid) in self.members:
                yield *self.members[node, beat.tid], bool(beat.keep), beat.last


class StreamCount(Rule):
    """Counts the words of streams, by group: on each link, and in each cycle.

    Parameters
    ----------
    plan : BarrierPlan
    scenario : Scenario
        With streams.
    """

    def __init__(self, plan: BarrierPlan, scenario: Scenario) -> None:
        self._plan, self._streams, self._read = plan, scenario.streams, StreamWords(plan)
        self._names = links_of(plan.spec.network).names
        self._links = [Counter[tuple[int, bool]]() for _ in plan.groups]
        self._cycles = [Counter[tuple[bool, int]]() for _ in plan.groups]
        self._taken: list[dict[int, tuple[int, int]]] = [{} for _ in plan.groups]

    def wires(self, line: Line) -> Sequence[Mismatch]:
        """Count the words on links, and note the beats that members take."""
        for word in self._read.words(line):
            if not word.head:
                self._links[word.group][word.link, word.up] += 1
                self._cycles[word.group][word.up, line.cycle] += 1
        for group, member, whole, _ in self._read.beats(line):
            if whole:
                first, _ = self._taken[group].get(member, (line.cycle, 0))
                self._taken[group][member] = first, line.cycle
        return ()

    def report(self, outcome: Outcome) -> None:
        """Add what was counted."""
        numbers = {group.id: number for number, group in enumerate(self._plan.groups)}
        for i, (stream, seen) in enumerate(zip(self._streams, outcome.streams, strict=True)):
            flow = self._flow(numbers[stream.gid], seen)
            outcome.streams[i] = replace(seen, flow=flow)

    def _flow(self, group: int, seen: StreamOutcome) -> StreamFlow:
        """Return what was counted of a group; cycles from the first beat of the last member."""
        cycles, zero = self._cycles[group], seen.begun
        times = [cycle for _, cycle in cycles] or [zero]
        begin = min(times)
        window = -(-(max(times) + 1 - begin) // MOST_WINDOWS)
        counts = [[0] * (1 + (max(times) - begin) // window) for _ in range(2)]
        for (upward, cycle), words in cycles.items():
            counts[upward][(cycle - begin) // window] += words
        links = (
            StreamLink(*name, upward, words)
            for (link, upward), words in sorted(self._links[group].items())
            if (name := self._names[link])
        )
        taken = self._taken[group]
        members = [
            StreamMember(node, *(None if at < 0 else at - zero for at in (begun, *came)))
            for node, begun, came in zip(
                self._plan.groups[group].members,
                seen.begins,
                (taken.get(member, (-1, -1)) for member in range(len(seen.begins))),
                strict=True,
            )
        ]
        down, up = counts
        return StreamFlow(
            tuple(links), begin - zero, window, tuple(up), tuple(down), tuple(members)
        )
