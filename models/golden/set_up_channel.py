"""Packets of an irregular network where managers set groups up: sinks and replies of switches."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from syncfabric.models.golden.channel import HEAD, NOBODY, TAIL, Flit
from syncfabric.models.golden.irregular_wiring import IrregularWiring
from syncfabric.models.golden.record import Observer, Packet
from syncfabric.models.golden.switch_channel import UNLIMITED, SwitchChannels
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["SetUpChannels"]


class SetUpChannels(SwitchChannels):
    """All channels, with that of set-up packets (sections S2 and S3).

    A switch's sink takes one packet at a time, be it ordinary or for set-up.

    Parameters
    ----------
    network, wiring, credits, freed, observer
        As of ``SwitchChannels``.

    Attributes
    ----------
    taken : list of (switch, image of the flit)
        What the set-up sinks have taken in this cycle; the reader clears it.
    replied : list of int
        Switches from whose set-up sink a reply's tail has been taken in this cycle; likewise.
    """

    def __init__(
        self,
        network: IrregularSpec,
        wiring: IrregularWiring,
        credits: list[int],
        freed: list[int],
        observer: Observer | None,
    ) -> None:
        super().__init__(network, wiring, credits, freed, observer)
        self.set_up = wiring.channels
        self.sink_lanes = [wiring.sink(switch, self.set_up) for switch in range(wiring.switches)]
        self.reply_lanes = [wiring.reply(switch) for switch in range(wiring.switches)]
        self.taken: list[tuple[int, int]] = []
        self.replied: list[int] = []
        self._replying: list[int] = []

    def listen(self, switch: int, listening: bool) -> None:
        """Let a set-up sink take flits from the next cycle on, or not."""
        lane = self.sink_lanes[switch]
        if listening and not self.credits[lane]:
            self.credits[lane] = UNLIMITED
            if self.owner[lane] < 0:
                self.credited(lane)
        elif not listening:
            self.credits[lane] = 0

    def reply(self, switch: int, flits: Sequence[int]) -> None:
        """Offer a reply to a switch's crossbar from the next cycle on; none is under way there."""
        lane = self.reply_lanes[switch]
        buffer = self.buffers[lane]
        assert buffer is not None
        assert not buffer
        route = self.routes[switch]
        way = route.look(flits[0], False, self.set_up)
        packet = Packet(-1, -1, -1, -1)
        for place, raw in enumerate(flits):
            mark = (place == 0) * HEAD | (place == len(flits) - 1) * TAIL
            buffer.append((raw, mark, way.lane, packet))
        self._look_at_head(lane, buffer[0])
        self._replying.append(switch)

    def cross(self, now: int, held: Collection[int], sent: list[tuple[int, Flit]]) -> None:
        """Move a flit for every output that can, and put flits on the wires."""
        super().cross(now, held, sent)
        if self._replying:
            # A reply comes from no link to which a credit could go back.
            self.freed[:] = [lane for lane in self.freed if lane < self.outer_lanes]
            for switch in self._replying:
                if not self.buffers[self.reply_lanes[switch]]:
                    self.replied.append(switch)
            for switch in self.replied:
                self._replying.remove(switch)

    def _sink(self, lane: int, flit: Flit) -> None:
        switch = self.link[lane] - self.link[self.outer_lanes]
        set_up, ordinary = self.sink_lanes[switch], self.wiring.lanes * self.link[lane]
        other = ordinary if lane == set_up else set_up
        if lane == set_up:
            self.taken.append((switch, flit[0]))
        else:
            super()._sink(lane, flit)
        if not flit[1] & TAIL:
            # No buffer has the number of the sink's own lane.
            self.owner[other] = ordinary
            return
        self.owner[other] = NOBODY
        if self.credits[other]:
            self.credited(other)

    def deliver(self, now: int, sent: list[tuple[int, Flit]]) -> None:
        """Take the flits of this cycle from the wires; replies to managers are theirs."""
        lanes = self.wiring.lanes
        ordinary = []
        for lane, flit in sent:
            if lane % lanes == self.set_up and self.sink[lane]:
                self.freed.append(lane)
            else:
                ordinary.append((lane, flit))
        super().deliver(now, ordinary)
