"""The packets of a schedule: what each needs, its ports, and when it goes."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from syncfabric.models.collectives.schedule import Schedule, Step, Transfer
from syncfabric.models.collectives.task import Rules
from syncfabric.models.errors import SpecError, check_range
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.sim.drive.scenario import NUMBER_BITS, Mode, Replay, Send, data_flits
from syncfabric.sim.replay.routes import (
    FLIT_BITS,
    MOST_FLIT_BITS,
    FreeRoutes,
    ReplayFabric,
    Route,
    at_once,
    fabric_of,
    free_routes,
)


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
            content = (origin,) if kind.broadcast else (origin, target)
            content = (target,) if combines else content
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


def slots_of(schedule: Schedule) -> tuple[list[tuple[int, int]], list[int]]:
    """Return the ports of each message, its sender's and its receiver's, and how many nodes have.

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
    used = [max(1, out.used[node], into.used[node]) for node in range(topology.nodes)]
    return list(zip(*taken, strict=True)), used


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


MOST_BYTES = FLIT_BITS // 8 << FLIT_BITS - NUMBER_BITS
"""Bytes of a message: its flits are numbered beside the packet."""
MOST_QUEUED = 16384
"""Flits that can wait in a node's source."""


@dataclass(frozen=True)
class Packets:
    """All messages of a schedule, in steps or in chunks, as packets.

    Parameters
    ----------
    messages : tuple of (origin, destination)
    fabric : ReplayFabric
    routes : tuple of Route
        The schedule's own, message by message.
    flits : int
        Of data in a message.
    channels : int
        Virtual channels that packets without barriers need.
    flit_bits : int
        Of a flit, in which the longest route must fit.
    rerouted : int
        Messages that go by up/down routes when there are no barriers, since on the schedule's paths
        they could wait for each other in a cycle.
    replays : tuple of Replay
        In chunks one. In steps with barriers between them; the same without; with no schedule.
    """

    messages: tuple[tuple[int, int], ...]
    fabric: ReplayFabric
    routes: tuple[Route, ...]
    flits: int
    channels: int
    flit_bits: int
    rerouted: int
    replays: tuple[Replay, ...]

    def to_json(self) -> dict[str, Any]:
        """Return what ``replay --json`` prints of it."""
        irregular = self.fabric.irregular
        return {
            "messages": len(self.replays[0].sends),
            "flits": self.flits,
            "switches": irregular.switches,
            "switch_ports": irregular.ports,
            "nodes": len(irregular.nodes),
            "channels": self.channels,
            "flit_bits": self.flit_bits,
            "rerouted": self.rerouted,
        }


class Routed(NamedTuple):
    """Routes of messages, and those that need no barrier."""

    routes: list[Route]
    free: FreeRoutes
    flit_bits: int
    header: Callable[[Sequence[int]], int]
    """Returns the flit of a route's ports."""


def routed(
    fabric: ReplayFabric,
    paths: Sequence[tuple[int, ...]],
    ends: Sequence[tuple[int, int]],
    *,
    kept: bool,
) -> Routed:
    """Return the routes of messages between ports; ``kept``: flits hold those with barriers, too.

    Raises
    ------
    SpecError
        There is no message, there are too many, or a route is too long.
    """
    if not paths:
        raise SpecError("schedule: it has no message to send")
    if len(paths) >> NUMBER_BITS:
        raise SpecError(
            f"schedule: {len(paths):,} messages are too many to be played; at most "
            f"{1 << NUMBER_BITS:,} have numbers"
        )
    routes = [fabric.route(path, *pair) for path, pair in zip(paths, ends, strict=True)]
    free = free_routes(fabric, routes, ends)
    flit_bits = _flit_bits(fabric, paths, [*(routes if kept else ()), *free.routes])
    network = fabric.spec(1, flit_bits).network
    assert isinstance(network, IrregularSpec)
    return Routed(routes, free, flit_bits, network.shape.route_header)


def packets_of(schedule: Schedule, size: int) -> Packets:
    """Make packets of a schedule's messages.

    Parameters
    ----------
    size : int
        Bytes of a message.

    Raises
    ------
    SpecError
        It cannot be played on routers of an irregular network; the message says why.
    """
    check_range("bytes", size, 1, MOST_BYTES)
    transfers = [transfer for step in schedule.steps for transfer in step]
    needs = needs_of(schedule)
    slots, ports = slots_of(schedule)
    fabric = fabric_of(schedule.topology, ports)
    own = [
        (fabric.first[path[0]] + out, fabric.first[path[-1]] + into)
        for (_, path), (out, into) in zip(transfers, slots, strict=True)
    ]
    paths = [path for _, path in transfers]
    routes, free, flit_bits, header = routed(fabric, paths, own, kept=True)
    flits = -(-size * 8 // FLIT_BITS)
    step_of = [number for number, step in enumerate(schedule.steps) for _ in step]

    def packets(mode: Mode, order: Sequence[int], *columns: Sequence[Any]) -> Replay:
        """Make packets, of messages in an order: ends, output ports, channels, and needs."""
        sends = tuple(
            Send(
                step_of[message],
                pair[0],
                pair[1],
                channel,
                (header(route), *data_flits(number, flits)),
                needed,
            )
            for number, (message, pair, route, channel, needed) in enumerate(
                zip(order, *columns, strict=True)
            )
        )
        replay = Replay(sends, fabric.processors, len(schedule.steps), mode)
        check_queues(replay)
        return replay

    # A message that kept its path has its channel by step as well; else a conflict may be a cycle.
    kept = [
        channel if route is other else 0
        for route, other, channel in zip(routes, free.routes, free.channels, strict=True)
    ]
    every = range(len(transfers))
    outputs, free_outputs = ([route.ports for route in each] for each in (routes, free.routes))
    order, ends, turns = at_once(fabric, transfers, free.routes)
    place = {message: number for number, message in enumerate(order)}
    renumbered = [tuple(place[other] for other in needs[message]) for message in order]
    return Packets(
        tuple(transfer.message for transfer in transfers),
        fabric,
        tuple(routes),
        flits,
        max(free.channels) + 1,
        flit_bits,
        free.rerouted,
        (
            packets("barriers", every, own, outputs, kept, [()] * len(every)),
            packets("ordered", every, own, free_outputs, free.channels, needs),
            packets("free", order, ends, turns, [free.channels[m] for m in order], renumbered),
        ),
    )


def _flit_bits(
    fabric: ReplayFabric, paths: Sequence[tuple[int, ...]], routes: Sequence[Route]
) -> int:
    """Return the least width of a flit that holds the longest route."""
    number, route = max(enumerate(routes), key=lambda each: len(each[1].ports))
    needed = len(route.ports) * (fabric.irregular.ports - 1).bit_length()
    if needed > MOST_FLIT_BITS:
        origin, *_, target = paths[number % len(paths)]
        raise SpecError(
            f"topology {fabric.topology.name}: message {origin} to {target} passes "
            f"{len(route.ports)} switches of {fabric.irregular.ports} ports; its route takes "
            f"{needed} bits, and a flit has {MOST_FLIT_BITS} at most"
        )
    return max(FLIT_BITS, needed)


def check_queues(replay: Replay) -> None:
    """Refuse what the queue of a node's port cannot hold.

    Raises
    ------
    SpecError
        With the node, and its flits.
    """
    queued = Counter[int]()
    for send in replay.sends:
        queued[send.source] += len(send.payloads)
    port, most = queued.most_common(1)[0]
    if most > MOST_QUEUED:
        raise SpecError(
            f"node {replay.processors[port]} sends {most:,} flits through one port, but its "
            f"queue holds {MOST_QUEUED:,}; take fewer bytes"
        )
