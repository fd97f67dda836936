"""Whether a schedule is right, told by its transfers alone.

Nothing here comes from the schedulers: every rule of docs/schedules.md is tested as it is written
there. Schedules of AOG, AOR and AAR are turned round, last step first and every path backwards, and
tested as those of OAS, OAB and AAB.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

from syncfabric.models.collectives.delivery import delivery_of
from syncfabric.models.collectives.report import Conflict, Message, Report
from syncfabric.models.collectives.schedule import Schedule, Step, Transfer
from syncfabric.models.collectives.task import Task
from syncfabric.models.collectives.topology import Channel

__all__ = ["check"]

MOST = 20
"""Conflicts that are told; others are only counted."""

KEPT = 100_000
"""Paths whose channels are remembered."""

Path = tuple[int, ...]
Links = tuple[int, ...]


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
        self.schedule, self.collective = schedule, schedule.collective
        self.topology, self.rules = schedule.topology, schedule.rules
        self.broadcast = schedule.collective.broadcast
        self.direct = Task(self.topology, schedule.collective, self.rules).hop_by_hop
        self.conflicts: list[Conflict] = []
        self.count = self.longest = self.detour = 0
        # The channels of paths that are real, by their numbers; those seen last, for many come
        # again and again.
        self.real: dict[Path, Links] = {}
        self.delivery = delivery_of(
            self.topology, self.collective, stores=self.rules.stores, tell_of=self.tell_of
        )

    def run(self) -> Report:
        for number, step in enumerate(self.schedule.steps, 1):
            whole = [transfer for transfer in step if self.is_real(number, transfer)]
            self.channels(number, whole)
            if self.rules.ports != "all":
                self.ports(number, whole, self.rules.ports)
            self.delivery.take(number, whole)
        missing = [pair for pair in self.collective.pairs if not self.delivery.is_served(pair)]
        for origin, target in missing:
            self.tell(
                None, f"node {target} never gets the message of node {origin}", origin, target
            )
        if self.direct:
            self.detour = self.delivery.detour()
        return Report(
            tuple(self.conflicts),
            self.count,
            self.collective.demand,
            self.collective.demand - len(missing),
            self.longest,
            self.detour,
        )

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

    def is_real(self, step: int, transfer: Transfer) -> bool:
        """Tell whether a path is real: else it is no use to look at what it carries."""
        message, path = transfer
        if path in self.real:
            return True
        fault, channel = self.fault(path)
        if fault is not None:
            self.tell_of(step, message, fault, channel)
            return False
        if len(self.real) == KEPT:
            self.real.clear()
        self.real[path] = tuple(self.topology.along(path))
        self.longest = max(self.longest, len(path) - 1)
        if not self.direct:
            away = self.topology.to_go(path[-1])[path[0]]
            self.detour = max(self.detour, len(path) - 1 - away)
        return True

    def fault(self, path: Path) -> tuple[str | None, Channel | None]:
        """Return what is wrong with a path, and on which channel; None if it is real."""
        if len(path) < 2 or not all(0 <= end < self.topology.nodes for end in (path[0], path[-1])):
            return ": its path must lead from node to node", None
        for link in pairwise(path):
            if link not in self.topology.number:
                return f": there is no channel {link[0]} to {link[1]}", link
        for vertex in path[1:-1]:
            if self.rules.stores and vertex < self.topology.nodes:
                return f" passes node {vertex}, but with store and forward it stops there", None
            if not self.topology.routers[vertex]:
                return f" passes node {vertex}, which is a processor without a router", None
        if len(set(path)) < len(path):
            twice = next(v for v, times in Counter(path).items() if times > 1)
            return f" passes vertex {twice} twice", None
        return None, None

    def channels(self, step: int, transfers: Sequence[Transfer]) -> None:
        """Find channels that carry two messages."""
        links = [self.along(transfer.path) for transfer in transfers]
        if len(set().union(*links)) == sum(map(len, links)):
            return
        taken: dict[int, Transfer] = {}
        for transfer, channels in zip(transfers, links, strict=True):
            for place, number in enumerate(channels):
                other = taken.setdefault(number, transfer)
                if other is not transfer and not self.one_use(other, transfer, place):
                    (a, b), (c, d) = other.message, transfer.message
                    channel = self.topology.channels[number]
                    text = (
                        f"channel {channel[0]} to {channel[1]} carries both message {a} to {b} "
                        f"and message {c} to {d}"
                    )
                    self.tell(step, text, a, b, c, d, channel=channel)

    def along(self, path: Path) -> Links:
        """Return the channels of a path that is real, each once."""
        return self.real.get(path) or tuple(self.topology.along(path))

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
