"""Whether a schedule is right, told by its transfers alone.

Nothing here comes from the schedulers: every rule of docs/schedules.md is tested as it is written
there. Schedules of AOG, AOR and AAR are turned round, last step first and every path backwards, and
tested as those of OAS, OAB and AAB.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from syncfabric.models.collectives.schedule import Schedule, Step, Transfer
from syncfabric.models.collectives.task import Task
from syncfabric.models.collectives.topology import Channel

__all__ = ["Conflict", "Report", "check"]

MOST = 20
"""Conflicts that are told; others are only counted."""

Message = tuple[int, int]


@dataclass(frozen=True)
class Conflict:
    """One place where a schedule breaks a rule."""

    step: int | None
    """From 1; None if it is about the whole schedule."""
    text: str
    messages: tuple[Message, ...] = ()
    """Origin and destination of the messages that it is about."""
    channel: Channel | None = None
    """Where they meet."""

    def words(self) -> str:
        """Say it in one line."""
        return self.text if self.step is None else f"step {self.step}: {self.text}"

    def to_json(self) -> dict[str, Any]:
        """Return the conflict as ``check --json`` prints it."""
        return {
            "step": self.step,
            "channel": None if self.channel is None else list(self.channel),
            "messages": [list(message) for message in self.messages],
            "text": self.text,
        }


@dataclass(frozen=True)
class Report:
    """What the checker found."""

    conflicts: tuple[Conflict, ...]
    """The first ones, by steps; none if the schedule is right."""
    count: int
    """All of them."""
    required: int
    """Pairs of origin and destination that must be served."""
    served: int
    """Of these: served."""
    longest: int
    """Channels of the longest path of a transfer."""
    detour: int
    """Hops that some message's way is longer than a shortest path, at most."""

    @property
    def right(self) -> bool:
        """Whether no rule is broken."""
        return self.count == 0


def check(schedule: Schedule) -> Report:
    """Test every rule on every transfer of a schedule.

    Raises
    ------
    SpecError
        The topology lacks a node of the collective, or the collective leaves out a node.
    """
    schedule.collective.check_on(schedule.topology)
    if schedule.collective.reversal is None:
        return _Check(schedule).run()
    report = _Check(_turned(schedule)).run()
    back = sorted(
        (_turned_back(conflict, len(schedule.steps)) for conflict in report.conflicts),
        key=lambda conflict: conflict.step or len(schedule.steps) + 1,
    )
    return replace(report, conflicts=tuple(back))


class _Check:
    """One pass over the steps of a schedule that is not to be turned round."""

    def __init__(self, schedule: Schedule) -> None:
        self.schedule = schedule
        self.topology, self.rules = schedule.topology, schedule.rules
        self.broadcast = schedule.collective.broadcast
        self.direct = Task(self.topology, schedule.collective, self.rules).hop_by_hop
        self.conflicts: list[Conflict] = []
        self.count = self.longest = self.detour = 0
        self.required = set(schedule.collective.pairs)
        # Of each message: where it has been delivered or is, and the hops it took to get there.
        self.hops: dict[tuple[int, int], int] = {}
        self.place: dict[Message, int] = {}
        if self.broadcast:
            self.hops = {(sender, sender): 0 for sender in schedule.collective.senders}

    def run(self) -> Report:
        for number, step in enumerate(self.schedule.steps, 1):
            whole = [transfer for transfer in step if self.path(number, transfer)]
            self.channels(number, whole)
            if self.rules.ports != "all":
                self.ports(number, whole, self.rules.ports)
            deliver = self.inform if self.broadcast else self.carry
            deliver(number, whole)
        served = self.served()
        for origin, target in sorted(self.required - served):
            self.tell(
                None, f"node {target} never gets the message of node {origin}", origin, target
            )
        return Report(
            tuple(self.conflicts),
            self.count,
            len(self.required),
            len(served),
            self.longest,
            self.detour,
        )

    def served(self) -> set[Message]:
        if self.broadcast:
            return self.required & self.hops.keys()
        return {message for message, place in self.place.items() if place == message[1]}

    def tell(
        self, step: int | None, text: str, *message: int, channel: Channel | None = None
    ) -> None:
        """Note a conflict; ``message`` is the origin and the destination of one or two."""
        self.count += 1
        if len(self.conflicts) < MOST:
            pairs = tuple(zip(message[::2], message[1::2], strict=True))
            self.conflicts.append(Conflict(step, text, pairs, channel))

    def tell_of(
        self, step: int, message: Message, text: str, channel: Channel | None = None
    ) -> None:
        """Note a conflict of one message."""
        self.tell(step, f"message {message[0]} to {message[1]}{text}", *message, channel=channel)

    def path(self, step: int, transfer: Transfer) -> bool:
        """Tell whether a path is real: else it is no use to look at what it carries."""
        message, path = transfer
        number, routers = self.topology.number, self.topology.routers
        if len(path) < 2 or not all(0 <= end < self.topology.nodes for end in (path[0], path[-1])):
            self.tell_of(step, message, ": its path must lead from node to node")
            return False
        for link in pairwise(path):
            if link not in number:
                text = f": there is no channel {link[0]} to {link[1]}"
                self.tell_of(step, message, text, channel=link)
                return False
        for vertex in path[1:-1]:
            if self.rules.stores and vertex < self.topology.nodes:
                text = f" passes node {vertex}, but with store and forward it stops there"
                self.tell_of(step, message, text)
                return False
            if not routers[vertex]:
                text = f" passes node {vertex}, which is a processor without a router"
                self.tell_of(step, message, text)
                return False
        if len(set(path)) < len(path):
            twice = next(v for v, times in Counter(path).items() if times > 1)
            self.tell_of(step, message, f" passes vertex {twice} twice")
            return False
        self.longest = max(self.longest, len(path) - 1)
        return True

    def channels(self, step: int, transfers: Iterable[Transfer]) -> None:
        """Find channels that carry two messages."""
        taken: dict[Channel, Transfer] = {}
        for transfer in transfers:
            path = transfer.path
            for place, channel in enumerate(pairwise(path)):
                other = taken.setdefault(channel, transfer)
                if other is not transfer and not self.one_use(other, transfer, place):
                    (a, b), (c, d) = other.message, transfer.message
                    text = (
                        f"channel {channel[0]} to {channel[1]} carries both message {a} to {b} "
                        f"and message {c} to {d}"
                    )
                    self.tell(step, text, a, b, c, d, channel=channel)

    def one_use(self, first: Transfer, second: Transfer, place: int) -> bool:
        """Tell whether two transfers are copies of one message that have not parted yet."""
        if not self.broadcast or not self.rules.single_use:
            return False
        if not self.rules.stores and (place > 0 or self.topology.routers[first.path[0]]):
            return False
        same = first.path[: place + 2] == second.path[: place + 2]
        return same and first.message[0] == second.message[0]

    def ports(self, step: int, transfers: Iterable[Transfer], most: int) -> None:
        """Find nodes that inject or eject more than their ports can."""
        sent: dict[int, list[Message]] = {}
        received: dict[int, list[Message]] = {}
        for (origin, target), path in transfers:
            out = sent.setdefault(path[0], [])
            copy = self.broadcast and self.rules.single_use and any(origin == o for o, _ in out)
            if not copy:
                out.append((origin, target))
            received.setdefault(path[-1], []).append((origin, target))
        for nodes, does in ((sent, "injects"), (received, "ejects")):
            for node, messages in nodes.items():
                if len(messages) > most:
                    ports = f"its {most} ports" if most > 1 else "its one port"
                    text = f"node {node} {does} {len(messages)} messages through {ports}"
                    self.tell(step, text, *(end for pair in messages for end in pair))

    def inform(self, step: int, transfers: Iterable[Transfer]) -> None:
        """Deliver the messages of a broadcast."""
        fresh: dict[tuple[int, int], int] = {}
        for message, path in transfers:
            origin, target = message
            if (origin, origin) not in self.hops:
                self.tell_of(step, message, f": node {origin} is no sender")
            elif path[-1] != target:
                self.tell_of(step, message, f": its path ends at node {path[-1]}")
            elif (origin, path[0]) not in self.hops:
                text = f": node {path[0]} sends it, but has not got it yet"
                self.tell_of(step, message, text)
            elif message in self.hops or message in fresh:
                self.tell_of(step, message, f": node {target} gets it a second time")
            else:
                hops = self.hops[origin, path[0]] if self.direct else 0
                fresh[message] = hops + len(path) - 1
                start = origin if self.direct else path[0]
                self.measure(start, target, fresh[message])
        self.hops |= fresh

    def carry(self, step: int, transfers: Iterable[Transfer]) -> None:
        """Move messages that nobody copies."""
        moved: set[Message] = set()
        for message, path in transfers:
            origin, target = message
            here = self.place.get(message, origin)
            if message not in self.required:
                self.tell_of(step, message, " is not asked for")
            elif here == target:
                self.tell_of(step, message, " is delivered a second time")
            elif message in moved:
                self.tell_of(step, message, " is sent twice")
            elif path[0] != here:
                text = f": its path begins at node {path[0]}, but it is at node {here}"
                self.tell_of(step, message, text)
            elif path[-1] != target and not self.rules.stores:
                self.tell_of(step, message, f": its path ends at node {path[-1]}")
            else:
                moved.add(message)
                self.place[message] = path[-1]
                hops = self.hops.get(message, 0) if self.direct else 0
                self.hops[message] = hops + len(path) - 1
                start = origin if self.direct else path[0]
                self.measure(start, path[-1], self.hops[message])

    def measure(self, start: int, end: int, hops: int) -> None:
        self.detour = max(self.detour, hops - self.topology.to_go(end)[start])


def _turned(schedule: Schedule) -> Schedule:
    """Return the schedule of which this one is the time reversal."""
    turned = schedule.collective.reversal
    assert turned is not None

    def back(step: Step) -> Step:
        return tuple(Transfer((b, a), path[::-1]) for (a, b), path in step)

    steps = tuple(map(back, reversed(schedule.steps)))
    return replace(schedule, topology=schedule.topology.reversed(), collective=turned, steps=steps)


def _turned_back(conflict: Conflict, steps: int) -> Conflict:
    """Return a conflict of the reversed schedule as one of the schedule itself."""
    return Conflict(
        None if conflict.step is None else steps + 1 - conflict.step,
        f"in reverse: {conflict.text}",
        tuple((b, a) for a, b in conflict.messages),
        conflict.channel and conflict.channel[::-1],
    )
