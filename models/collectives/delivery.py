"""Who has got which message, step by step: what the checker remembers.

Only its rules of delivery stand here, as docs/schedules.md has them: informed before it sends,
never twice, and each message where it must go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from syncfabric.models.collectives.collective import Collective
from syncfabric.models.collectives.report import Message
from syncfabric.models.collectives.schedule import Transfer
from syncfabric.models.collectives.topology import Topology

__all__ = ["Delivery", "TellOf", "delivery_of"]

NEVER = -1

TellOf = Callable[[int, Message, str], None]
"""Is told a conflict: the step, the message, and what follows its name in the text."""


class Delivery(Protocol):
    """What a schedule has delivered so far."""

    def take(self, step: int, transfers: Iterable[Transfer]) -> None:
        """Deliver what a step sends on paths that are real, and tell what cannot be."""

    def is_served(self, message: Message) -> bool:
        """Tell whether a message is where it must go in the end."""

    def detour(self) -> int:
        """Return how many hops more than the shortest way a message's whole way has at most."""


def delivery_of(
    topology: Topology, collective: Collective, *, stores: bool, tell_of: TellOf
) -> Delivery:
    """Return the deliveries of a collective that is not to be turned round, before its first step.

    Parameters
    ----------
    topology : Topology
    collective : Collective
    stores : bool
        Whether messages go by store and forward.
    tell_of : callable
    """
    if collective.broadcast:
        return _Copied(topology, collective, tell_of)
    return _Carried(topology, collective, stores, tell_of)


class _Copied:
    """Messages of a broadcast: the hops that each origin's took to each node, NEVER elsewhere."""

    def __init__(self, topology: Topology, collective: Collective, tell_of: TellOf) -> None:
        self.topology, self.tell_of = topology, tell_of
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
                self.tell_of(step, message, f": node {origin} is no sender")
            elif path[-1] != target:
                self.tell_of(step, message, f": its path ends at node {path[-1]}")
            elif heard[path[0]] == NEVER:
                text = f": node {path[0]} sends it, but has not got it yet"
                self.tell_of(step, message, text)
            elif heard[target] != NEVER or message in fresh:
                self.tell_of(step, message, f": node {target} gets it a second time")
            else:
                fresh[message] = heard[path[0]] + len(path) - 1
        # Who hears of it in this step sends from the next one on.
        for (origin, target), hops in fresh.items():
            self.heard[origin][target] = hops

    def is_served(self, message: Message) -> bool:
        origin, target = message
        return self.heard[origin][target] != NEVER

    def detour(self) -> int:
        most = 0
        for origin, heard in self.heard.items():
            far = self.topology.distances[origin].tolist()
            most = max(most, *(h - d for h, d in zip(heard, far, strict=False)))
        return most


class _Carried:
    """Messages that nobody copies: where each is, and the hops that it took."""

    def __init__(
        self, topology: Topology, collective: Collective, stores: bool, tell_of: TellOf
    ) -> None:
        self.topology, self.stores, self.tell_of = topology, stores, tell_of
        self.required = set(collective.pairs)
        self.place: dict[Message, int] = {}
        self.hops: dict[Message, int] = {}

    def take(self, step: int, transfers: Iterable[Transfer]) -> None:
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
            elif path[-1] != target and not self.stores:
                self.tell_of(step, message, f": its path ends at node {path[-1]}")
            else:
                moved.add(message)
                self.place[message] = path[-1]
                self.hops[message] = self.hops.get(message, 0) + len(path) - 1

    def is_served(self, message: Message) -> bool:
        return self.place.get(message) == message[1]

    def detour(self) -> int:
        most = 0
        for message, hops in self.hops.items():
            away = self.topology.to_go(self.place[message])[message[0]]
            most = max(most, hops - away)
        return most
