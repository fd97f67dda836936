"""Ordinary packets of an irregular network: tables, routes that packets bring, out buffers."""

from __future__ import annotations

from collections.abc import Collection

from syncfabric.models.golden.channel import HEAD, NOBODY, TAIL, Flit, Wormhole
from syncfabric.models.golden.irregular_wiring import IrregularWiring
from syncfabric.models.golden.record import Observer
from syncfabric.models.golden.route import FlitRoute
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["SwitchChannels"]

UNLIMITED = 1 << 62
"""Credits of sinks and drains, which always take what comes."""


class SwitchChannels(Wormhole):
    """All ordinary channels of an irregular network (docs/microarchitecture.md, section I2).

    Where a head goes is worked out as it arrives; a flit in a buffer carries the lane by which it
    leaves as its third part.

    Parameters
    ----------
    network : IrregularSpec
        Layouts, and cycles a hop.
    wiring : IrregularWiring
        Numbering and tables.
    credits, freed, observer
        As of ``Wormhole``.

    Attributes
    ----------
    dropped : list of int
        Switches whose sink has taken a tail in this cycle; the reader clears it.
    out : dict of link to (lane, flit)
        The occupied out buffers, with two cycles a hop.
    """

    def __init__(
        self,
        network: IrregularSpec,
        wiring: IrregularWiring,
        credits: list[int],
        freed: list[int],
        observer: Observer | None,
    ) -> None:
        super().__init__(wiring, credits, freed, observer)
        self.routes = [FlitRoute(network, wiring, switch) for switch in range(wiring.switches)]
        self.joined = wiring.joined
        self.outer_lanes = wiring.outer * wiring.lanes
        self.first_drain = wiring.drain(0, 0)
        for lane in range(self.outer_lanes, len(credits)):
            credits[lane] = UNLIMITED
        self.registered = network.cycles_per_hop == 2
        self.dropped: list[int] = []
        self.out: dict[int, tuple[int, Flit]] = {}
        self._heir: dict[int, int] = {}

    def is_moving(self) -> bool:
        """Return whether a flit may move in the coming cycle."""
        return bool(self.ready or self.out)

    def is_empty(self) -> bool:
        """Return whether no buffer holds a flit."""
        return not self.out and super().is_empty()

    def cross(self, now: int, held: Collection[int], sent: list[tuple[int, Flit]]) -> None:
        """Move a flit for every output that can, and put flits on the wires.

        Parameters
        ----------
        now : int
            This cycle.
        held : collection of int
            Links that carry a synchronization message.
        sent : list of (lane, flit)
            What is on the wires; appended to.
        """
        closed: Collection[int] = held
        if self.registered:
            closed = [link for link in held if link in self.out]
            for link in [link for link in self.out if link not in held]:
                self._put_on_wires(*self.out.pop(link), sent)
        moved: list[tuple[int, Flit]] = []
        self.send(now, (), closed, moved)
        for lane, flit in moved:
            if lane >= self.first_drain:
                self.owner[lane] = NOBODY
            elif lane >= self.outer_lanes:
                self._sink(lane, flit)
            elif self.registered:
                self.out[self.link[lane]] = (lane, flit)
            else:
                self._put_on_wires(lane, flit, sent)

    def _sink(self, lane: int, flit: Flit) -> None:
        """Drop a flit in a switch's sink."""
        if flit[1] & TAIL:
            self.dropped.append(self.link[lane] - self.link[self.outer_lanes])

    def _put_on_wires(self, lane: int, flit: Flit, sent: list[tuple[int, Flit]]) -> None:
        """Send a flit, unless the port has no link: what is sent there vanishes."""
        if self.joined[self.link[lane]]:
            sent.append((lane, flit))

    def deliver(self, now: int, sent: list[tuple[int, Flit]]) -> None:
        """Take the flits of this cycle from the wires into their buffers and sinks."""
        super().deliver(
            now,
            [
                (lane, flit if self.buffers[lane] is None else self._arrived(lane, flit))
                for lane, flit in sent
            ],
        )

    def _arrived(self, lane: int, flit: Flit) -> Flit:
        """Return a flit as it lies in the buffer behind a lane."""
        heir = self._heir.pop(lane, None)
        raw, mark, _, packet = flit
        route = self.routes[self.input[lane][0]]
        if heir is not None:
            return raw | route.head_bit, mark | HEAD, heir, packet
        if not mark & HEAD:
            return flit
        found = route.look(raw, bool(mark & TAIL), lane % self.wiring.lanes)
        if not found.used_up:
            return found.raw, mark, found.lane, packet
        self._heir[lane] = found.lane
        return raw, mark, self.first_drain + lane, packet

    def _route(self, buffer: int, flit: Flit) -> int:
        return flit[2]
