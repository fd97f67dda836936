"""Where packets wait: what the links show, against the time of a packet that is alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from syncfabric.models.collectives.topology import Channel
from syncfabric.sim.drive.replay.script import Passage, ReplayOutcome
from syncfabric.sim.replay.ground import CYCLES_PER_HOP
from syncfabric.sim.replay.sends import Packets

__all__ = ["Wait", "waits_of"]


@dataclass(frozen=True)
class Wait:
    """A message that waited, and for which channel first of all.

    Parameters
    ----------
    step : int
        From 1.
    message : (origin, destination)
    channel : (from, to)
        Of the topology; a node twice is a port between it and its router.
    cycles : int
        By which its head or its tail is later than if it were alone, in the end.
    others : tuple of (origin, destination)
        Messages of the step that take the same link.
    """

    step: int
    message: tuple[int, int]
    channel: Channel
    cycles: int
    others: tuple[tuple[int, int], ...]

    def words(self) -> str:
        """Say it in one line."""
        a, b = self.channel
        where = f"a port of node {a}" if a == b else f"channel {a} to {b}"
        others = ", ".join(f"{c} to {d}" for c, d in self.others[:3])
        more = f" and {len(self.others) - 3} more" if len(self.others) > 3 else ""
        beside = f", which {others}{more} take{'s' * (len(self.others) == 1)} too" if others else ""
        origin, target = self.message
        cycles = f"{self.cycles} cycle{'s' * (self.cycles > 1)}"
        return f"step {self.step}: message {origin} to {target} waits {cycles} for {where}{beside}"

    def to_json(self) -> dict[str, Any]:
        """Return it as ``replay --json`` prints it."""
        return {
            "step": self.step,
            "message": list(self.message),
            "channel": list(self.channel),
            "cycles": self.cycles,
            "others": [list(other) for other in self.others],
        }


def waits_of(packets: Packets, outcome: ReplayOutcome) -> Iterator[Wait]:
    """Yield the waits of the packets that go step by step, one of each packet that waits.

    Flit j of a packet that is alone is on link i of its way, 0 the sender's, in cycle
    ``due + 1 + j + i`` times the cycles a hop.
    """
    passages: defaultdict[int, dict[int, Passage]] = defaultdict(dict)
    for passage in outcome.passages:
        passages[passage.number][passage.link] = passage
    messages = [transfer.message for step in packets.schedule.steps for transfer in step]
    takers: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for number, way in enumerate(packets.ways):
        for link in way.links:
            takers[packets.by_step.sends[number].step, link].append(number)
    for number, way in enumerate(packets.ways):
        late = list(_late(packets, number, outcome.due[number], passages[number]))
        cycles = max(map(max, late), default=0)
        if not cycles:
            continue
        step = packets.by_step.sends[number].step
        heads = [0, *(head for head, _ in late)]
        # Where two take turns on a link, heads are hardly late there, and tails before it as well.
        _, _, place = max(
            (len(takers[step, way.links[i]]) > 1, heads[i + 1] - heads[i], -i)
            for i, ends in enumerate(late)
            if max(ends)
        )
        link = way.links[-place]
        others = tuple(messages[other] for other in takers[step, link] if other != number)
        between = packets.ground.between(link)
        yield Wait(step + 1, messages[number], between, cycles, others)


def _late(
    packets: Packets, number: int, due: int, passages: Mapping[int, Passage]
) -> Iterator[tuple[int, int]]:
    """Yield how late a packet's head and tail are on each link of its way, as far as it came."""
    way, flits = packets.ways[number], len(packets.by_step.sends[number].payloads)
    for place, link in enumerate(way.links):
        if link not in passages:
            return
        alone = due + 1 + place * CYCLES_PER_HOP
        yield passages[link].first - alone, passages[link].last - alone - (flits - 1)
