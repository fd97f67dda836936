"""Through which of its processor's ports each message of a schedule goes out and comes in."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from syncfabric.models.collectives.schedule import Rules, Schedule, Step, Transfer
from syncfabric.models.errors import SpecError

__all__ = ["Slot", "Slots", "slots_of"]


class Slot(NamedTuple):
    """Port of the sender, and of the receiver."""

    out: int
    into: int


@dataclass(frozen=True)
class Slots:
    """The ports of all messages, and how many each processor has.

    Parameters
    ----------
    messages : tuple of Slot
        Of the messages of all steps, one after the other.
    ports : tuple of int, by node of the topology
        As many as are used at once, 1 at least.
    """

    messages: tuple[Slot, ...]
    ports: tuple[int, ...]


def slots_of(schedule: Schedule) -> Slots:
    """Give every message a port at its sender and at its receiver.

    Messages of a step take ports 0, 1, …; where the rules allow no more, they share them and wait.
    Copies that count once have ports of their own. In a reduce those are the messages for one
    destination.

    Raises
    ------
    SpecError
        Copies are one message on a channel that leads from a router or into one: switches do not
        copy packets, nor combine them.
    """
    topology, rules = schedule.topology, schedule.rules
    backward = schedule.collective.reversal is not None
    forward = schedule.collective.reversal or schedule.collective
    once = rules.single_use and forward.broadcast
    for number, step in enumerate(schedule.steps, 1):
        if once and rules.stores:
            _refuse_copies(schedule, number, step, backward=backward)
    out = _End(0, once and not backward, list(map(len, topology.successors)), rules)
    into = _End(-1, once and backward, list(map(len, topology.sources)), rules)
    taken = [[port for step in schedule.steps for port in end.take(step)] for end in (out, into)]
    return Slots(
        tuple(map(Slot, *taken)),
        tuple(max(1, out.used[node], into.used[node]) for node in range(topology.nodes)),
    )


class _End:
    """The first or the last vertex of messages' paths, and the ports that they take there.

    Parameters
    ----------
    place : int
        Of the vertex on the path, and of the message's content among its origin and destination.
    once : bool
        Whether messages of one content count once.
    channels : list of int, by vertex
        That it has.
    rules : Rules
        How many ports a node may use.
    """

    def __init__(self, place: int, once: bool, channels: list[int], rules: Rules) -> None:
        self._place, self._once, self._channels, self._rules = place, once, channels, rules
        self.used: Counter[int] = Counter()

    def take(self, step: Step) -> list[int]:
        """Return the port of each message of a step."""
        seen: set[tuple[int, int]] = set()
        copies: list[bool] = []
        counted: Counter[int] = Counter()
        for message, path in step:
            node = path[self._place]
            key = node, message[self._place]
            copies.append(self._once and key in seen)
            seen.add(key)
            counted[node] += not copies[-1]
        # Copies come behind all that count.
        taken = Counter({node: min(n, self._most(node)) for node, n in counted.items()})
        order: Counter[int] = Counter()
        found: list[int] = []
        for (_, path), copy in zip(step, copies, strict=True):
            node = path[self._place]
            if copy:
                found.append(taken[node])
                taken[node] += 1
            else:
                found.append(order[node] % self._most(node))
                order[node] += 1
        self.used |= taken
        return found

    def _most(self, node: int) -> int:
        return self._rules.at_most(self._channels[node])


def _refuse_copies(schedule: Schedule, number: int, step: Step, *, backward: bool) -> None:
    routers = schedule.topology.routers
    taken: dict[tuple[tuple[int, int], int], Transfer] = {}
    for transfer in step:
        content = transfer.message[-1 if backward else 0]
        for a, b in pairwise(transfer.path):
            other = taken.setdefault(((a, b), content), transfer)
            if other is not transfer and routers[a] and routers[b]:
                (c, d), (e, f) = other.message, transfer.message
                raise SpecError(
                    f"schedule: step {number}: messages {c} to {d} and {e} to {f} are one on "
                    f"channel {a} to {b}, but switches neither copy nor combine packets; it "
                    "cannot be played"
                )
