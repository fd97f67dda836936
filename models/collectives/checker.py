"""Whether a schedule is right, by its transfers alone.

Nothing here comes from the schedulers: every rule of docs/schedules.md is tested as it is written
there. Schedules of AOG, AOR and AAR are turned round, last step first and every path backwards, and
tested as those of OAS, OAB and AAB.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from syncfabric.models.collectives.collective import Collective
from syncfabric.models.collectives.schedule import Schedule, Transfer, turned
from syncfabric.models.collectives.task import Task
from syncfabric.models.collectives.topology import Channel, Topology

Message = tuple[int, int]
"""Origin and destination."""


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
    """Hops that some message's path is longer than a shortest path, at most."""

    @property
    def right(self) -> bool:
        """Whether no rule is broken."""
        return self.count == 0


NEVER = -1

_ReportOf = Callable[[int, Message, str], None]
"""Receives a conflict: the step, the message, and what follows its name in the text."""


# Either of these delivers what a step sends on paths that are real, reports the others, and
# finds in the end whether a message is where it must go, and how many hops more than the shortest
# path one has made at most. Schedules that are to be turned round are so already.


class _Copied:
    """Messages of a broadcast: the hops that each origin's took to each node, NEVER elsewhere."""

    def __init__(self, topology: Topology, collective: Collective, report_of: _ReportOf) -> None:
        self.topology, self.report_of = topology, report_of
        self.heard: dict[int, list[int]] = {}
        for sender in collective.senders:
            self.heard[sender] = [NEVER] * topology.nodes
            self.heard[sender][sender] = 0

    def take(self, step: int, transfers: Iterable[Transfer]) -> None:
        fresh: dict[Message, int] = {}
        for message, path in transfers:
            origin, target = message
            heard = self.heard.get(origin)
            if heard is None:
                self.report_of(step, message, f": node {origin} is no sender")
            elif path[-1] != target:
                self.report_of(step, message, f": its path ends at node {path[-1]}")
            elif heard[path[0]] == NEVER:
                text = f": node {path[0]} sends it, but has not got it yet"
                self.report_of(step, message, text)
            elif heard[target] != NEVER or message in fresh:
                self.report_of(step, message, f": node {target} gets it a second time")
            else:
                fresh[message] = heard[path[0]] + len(path) - 1
        # A receiver of this step sends from the next one on.
        for (origin, target), hops in fresh.items():
            self.heard[origin][target] = hops

    def is_delivered(self, message: Message) -> bool:
        origin, target = message
        return self.heard[origin][target] != NEVER

    def detour(self) -> int:
        most = 0
        for origin, heard in self.heard.items():
            far = self.topology.distances[origin].tolist()
            most = max(most, *(h - d for h, d in zip(heard, far, strict=False)))
        return most


class _Carried:
    """Messages that are not copied: where each is, and the hops that it took."""

    def __init__(
        self, topology: Topology, collective: Collective, stores: bool, report_of: _ReportOf
    ) -> None:
        self.topology, self.stores, self.report_of = topology, stores, report_of
        self.required = set(collective.pairs)
        self.place: dict[Message, int] = {}
        self.hops: dict[Message, int] = {}

    def take(self, step: int, transfers: Iterable[Transfer]) -> None:
        moved: set[Message] = set()
        for message, path in transfers:
            origin, target = message
            here = self.place.get(message, origin)
            if message not in self.required:
                self.report_of(step, message, " is not asked for")
            elif here == target:
                self.report_of(step, message, " is delivered a second time")
            elif message in moved:
                self.report_of(step, message, " is sent twice")
            elif path[0] != here:
                text = f": its path begins at node {path[0]}, but it is at node {here}"
                self.report_of(step, message, text)
            elif path[-1] != target and not self.stores:
                self.report_of(step, message, f": its path ends at node {path[-1]}")
            else:
                moved.add(message)
                self.place[message] = path[-1]
                self.hops[message] = self.hops.get(message, 0) + len(path) - 1

    def is_delivered(self, message: Message) -> bool:
        return self.place.get(message) == message[1]

    def detour(self) -> int:
        most = 0
        for message, hops in self.hops.items():
            away = self.topology.to_go(self.place[message])[message[0]]
            most = max(most, hops - away)
        return most


MOST = 20
"""Conflicts that are reported; others are only counted."""

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
        self.delivery: _Copied | _Carried
        if self.broadcast:
            self.delivery = _Copied(self.topology, self.collective, self.report_of)
        else:
            stores = self.rules.stores
            self.delivery = _Carried(self.topology, self.collective, stores, self.report_of)

    def run(self) -> Report:
        for number, step in enumerate(self.schedule.steps, 1):
            whole = [transfer for transfer in step if self.is_real(number, transfer)]
            self.channels(number, whole)
            if self.rules.ports != "all":
                self.ports(number, whole, self.rules.ports)
            self.delivery.take(number, whole)
        missing = [pair for pair in self.collective.pairs if not self.delivery.is_delivered(pair)]
        for origin, target in missing:
            self.report(
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

    def report(
        self, step: int | None, text: str, *message: int, channel: Channel | None = None
    ) -> None:
        """Note a conflict; ``message`` is the origin and the destination of one or two."""
        self.count += 1
        if len(self.conflicts) < MOST:
            pairs = tuple(zip(message[::2], message[1::2], strict=True))
            self.conflicts.append(Conflict(step, text, pairs, channel))

    def report_of(
        self, step: int, message: Message, text: str, channel: Channel | None = None
    ) -> None:
        """Note a conflict of one message."""
        self.report(step, f"message {message[0]} to {message[1]}{text}", *message, channel=channel)

    def is_real(self, step: int, transfer: Transfer) -> bool:
        """Return whether a path is real: else it is no use to look at what it carries."""
        message, path = transfer
        if path in self.real:
            return True
        fault, channel = self.fault(path)
        if fault is not None:
            self.report_of(step, message, fault, channel)
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
                    self.report(step, text, a, b, c, d, channel=channel)

    def along(self, path: Path) -> Links:
        """Return the channels of a path that is real, each once."""
        return self.real.get(path) or tuple(self.topology.along(path))

    def one_use(self, first: Transfer, second: Transfer, place: int) -> bool:
        """Return whether two transfers are copies of one message that have not parted yet."""
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
                    self.report(step, text, *(end for pair in messages for end in pair))


def _turned(schedule: Schedule) -> Schedule:
    """Return the schedule of which this one is the time reversal."""
    kind = schedule.collective.reversal
    assert kind is not None
    topology, steps = schedule.topology.reversed(), turned(schedule.steps)
    return replace(schedule, topology=topology, collective=kind, steps=steps)


def _turned_back(conflict: Conflict, steps: int) -> Conflict:
    """Return a conflict of the reversed schedule as one of the schedule itself."""
    return Conflict(
        None if conflict.step is None else steps + 1 - conflict.step,
        f"in reverse: {conflict.text}",
        tuple((b, a) for a, b in conflict.messages),
        conflict.channel and conflict.channel[::-1],
    )
