"""What each message of a schedule needs to have come, and the ports that it takes."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from syncfabric.models.collectives.schedule import Rules, Schedule, Step, Transfer
from syncfabric.models.errors import SpecError

__all__ = ["Slot", "Slots", "needs_of", "slots_of"]


def needs_of(schedule: Schedule) -> list[tuple[int, ...]]:
    """Return the messages that each one needs, numbered through all steps.

    A copy of a broadcast, or a message that goes hop by hop, needs to have come to its sender in a
    step before. What a node sends on in a reduce needs all that came to it for that destination.

    Raises
    ------
    SpecError
        A path cannot be taken, or a node sends what it has not got by then.
    """
    kind = schedule.collective
    combines = kind.reversal is not None and kind.reversal.broadcast
    came: defaultdict[tuple[int, ...], list[int]] = defaultdict(list)
    needs: list[tuple[int, ...]] = []
    number = 0
    for place, step in enumerate(schedule.steps, 1):
        fresh: list[tuple[tuple[int, ...], int]] = []
        for (origin, target), path in step:
            _check_path(schedule, place, (origin, target), path)
            content: tuple[int, ...]
            if combines:
                content = (target,)
            elif kind.broadcast:
                content = (origin,)
            else:
                content = (origin, target)
            before = came[(*content, path[0])]
            if not (before or combines or path[0] == origin):
                raise SpecError(
                    f"schedule: step {place}: message {origin} to {target}: node {path[0]} sends "
                    "it, but has not got it yet"
                )
            own = path[0] == origin and not combines
            needs.append(() if own else tuple(before if combines else before[:1]))
            fresh.append(((*content, path[-1]), number))
            number += 1
        for key, sent in fresh:
            came[key].append(sent)
    return needs


def _check_path(
    schedule: Schedule, step: int, message: tuple[int, int], path: tuple[int, ...]
) -> None:
    topology = schedule.topology
    subject = f"schedule: step {step}: message {message[0]} to {message[1]}"
    if len(path) < 2 or not all(0 <= end < topology.nodes for end in (path[0], path[-1])):
        raise SpecError(f"{subject}: its path must lead from node to node")
    for vertex in path[1:-1]:
        if not topology.routers[vertex]:
            raise SpecError(f"{subject} passes node {vertex}, a processor without a router")
    if len(set(path)) < len(path):
        raise SpecError(f"{subject} passes a vertex twice")


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
