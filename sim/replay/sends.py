"""The packets of a schedule: step by step, without barriers, and all at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from syncfabric.models.collectives.schedule import Schedule, Transfer
from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.sim.drive.scenario import NUMBER_BITS, Mode, Replay, Send, data_flits
from syncfabric.sim.replay.free import Ends, at_once, free_ways
from syncfabric.sim.replay.ground import FLIT_BITS, MOST_FLIT_BITS, Ground, Way, ground_of
from syncfabric.sim.replay.slots import needs_of, slots_of

__all__ = ["MOST_BYTES", "Packets", "packets_of"]

MOST_BYTES = FLIT_BITS // 8 << FLIT_BITS - NUMBER_BITS
"""Bytes of a message: its flits are numbered beside the packet."""
MOST_QUEUED = 16384
"""Flits that can wait in a node's source."""


@dataclass(frozen=True)
class Packets:
    """All messages of a schedule as packets.

    Parameters
    ----------
    schedule : Schedule
    ground : Ground
    ways : tuple of Way
        The schedule's own, message by message through all steps.
    flits : int
        Of data in a message.
    channels : int
        Virtual channels that packets without barriers need.
    flit_bits : int
        Of a flit, in which the longest route must fit.
    rerouted : int
        Messages that go by up/down routes when there are no barriers, since on the schedule's paths
        they could wait for each other in a cycle.
    by_step, unbarred, at_once : Replay
        With barriers between the steps; the same without; with no schedule.
    """

    schedule: Schedule
    ground: Ground
    ways: tuple[Way, ...]
    flits: int
    channels: int
    flit_bits: int
    rerouted: int
    by_step: Replay
    unbarred: Replay
    at_once: Replay


def packets_of(schedule: Schedule, size: int) -> Packets:
    """Make packets of a schedule's messages.

    Parameters
    ----------
    schedule : Schedule
    size : int
        Bytes of a message.

    Raises
    ------
    SpecError
        It cannot be played on routers of an irregular network; the message says why.
    """
    if not 1 <= size <= MOST_BYTES:
        raise SpecError(f"bytes must be 1 to {MOST_BYTES:,}, not {size:,}")
    transfers = [transfer for step in schedule.steps for transfer in step]
    if not transfers:
        raise SpecError("schedule: it has no message to send")
    if len(transfers) >> NUMBER_BITS:
        raise SpecError(
            f"schedule: {len(transfers):,} messages are too many to be played; at most "
            f"{1 << NUMBER_BITS:,} are told apart"
        )
    needs = needs_of(schedule)
    slots = slots_of(schedule)
    ground = ground_of(schedule.topology, slots.ports)
    own = [
        (ground.first[path[0]] + slot.out, ground.first[path[-1]] + slot.into)
        for (_, path), slot in zip(transfers, slots.messages, strict=True)
    ]
    ways = [ground.way(path, *ends) for (_, path), ends in zip(transfers, own, strict=True)]
    free = free_ways(ground, ways, own)
    flit_bits = _flit_bits(schedule, ground, transfers, [*ways, *free.ways])
    maker = _Maker(schedule, ground, flit_bits, -(-size * 8 // FLIT_BITS))
    # A message that kept its path has its channel by step as well; else a conflict may be a cycle.
    kept = [
        channel if way is other else 0
        for way, other, channel in zip(ways, free.ways, free.channels, strict=True)
    ]
    every = range(len(transfers))
    order, ends, ports = at_once(ground, transfers, free.ways)
    place = {message: number for number, message in enumerate(order)}
    renumbered = [tuple(place[other] for other in needs[message]) for message in order]
    channels = [free.channels[message] for message in order]
    made = Packets(
        schedule,
        ground,
        tuple(ways),
        maker.flits,
        max(free.channels) + 1,
        flit_bits,
        free.rerouted,
        maker.replay("barriers", every, own, [way.ports for way in ways], kept, [()] * len(every)),
        maker.replay("ordered", every, own, [way.ports for way in free.ways], free.channels, needs),
        maker.replay("free", order, ends, ports, channels, renumbered),
    )
    for replay in (made.by_step, made.unbarred, made.at_once):
        _check_queues(replay)
    return made


class _Maker:
    """Makes packets of messages."""

    def __init__(self, schedule: Schedule, ground: Ground, flit_bits: int, flits: int) -> None:
        self._schedule, self._ground, self.flits = schedule, ground, flits
        self._step = [n for n, step in enumerate(schedule.steps) for _ in step]
        network = ground.spec(1, flit_bits).network
        assert isinstance(network, IrregularSpec)
        self._header = network.shape.route_header

    def replay(
        self,
        mode: Mode,
        order: Sequence[int],
        ends: Sequence[Ends],
        ports: Sequence[tuple[int, ...]],
        channels: Sequence[int],
        needs: Sequence[tuple[int, ...]],
    ) -> Replay:
        """Return packets, of messages in an order, all else in that order."""
        sends = tuple(
            Send(
                self._step[message],
                *pair,
                channel,
                (self._header(route), *data_flits(number, self.flits)),
                needed,
            )
            for number, (message, pair, route, channel, needed) in enumerate(
                zip(order, ends, ports, channels, needs, strict=True)
            )
        )
        return Replay(sends, self._ground.processors, len(self._schedule.steps), mode)


def _flit_bits(
    schedule: Schedule, ground: Ground, transfers: Sequence[Transfer], ways: Sequence[Way]
) -> int:
    """Return the least width of a flit that holds the longest route."""
    number, way = max(enumerate(ways), key=lambda each: len(each[1].ports))
    needed = len(way.ports) * (ground.irregular.ports - 1).bit_length()
    if needed > MOST_FLIT_BITS:
        origin, target = transfers[number % len(transfers)].message
        raise SpecError(
            f"topology {schedule.topology.name}: message {origin} to {target} passes "
            f"{len(way.ports)} switches of {ground.irregular.ports} ports; its route takes "
            f"{needed} bits, and a flit has {MOST_FLIT_BITS} at most"
        )
    return max(FLIT_BITS, needed)


def _check_queues(replay: Replay) -> None:
    queued = Counter[int]()
    for send in replay.sends:
        queued[send.source] += len(send.payloads)
    port, most = queued.most_common(1)[0]
    if most > MOST_QUEUED:
        raise SpecError(
            f"node {replay.processors[port]} sends {most:,} flits through one port, but its "
            f"queue holds {MOST_QUEUED:,}; take fewer bytes"
        )
