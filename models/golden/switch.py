"""One switch or node interface: messages at its inputs, its registers, and what it sends."""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.golden.outbox import Offer
from syncfabric.models.golden.plane import Plane
from syncfabric.models.golden.record import Message
from syncfabric.models.golden.switch_unit import SwitchUnit
from syncfabric.models.networks.spec import IrregularSpec

__all__ = ["Switch"]


class Switch:
    """Synchronization at one place (docs/microarchitecture.md, sections I3 and I4).

    In a cycle, all places ``send`` first and then ``take``: what is on a link can be presented in
    the same cycle. Credits make an overflow impossible here: every sender is part of the model.

    Parameters
    ----------
    network : IrregularSpec
        Options.
    unit : SwitchUnit
        Its registers.
    plane : Plane
        What all places share.
    lanes_in : sequence of (int or None)
        By port, the lane of synchronization that leads to it.
    lanes : int
        Lanes of a link.

    Attributes
    ----------
    standing : dict of port to message
        What is presented in this cycle but is not on a link: it was on one before.
    arriving : dict of port to message
        What is on the links in this cycle and presented at once.
    """

    def __init__(
        self,
        network: IrregularSpec,
        unit: SwitchUnit,
        plane: Plane,
        lanes_in: Sequence[int | None],
        lanes: int,
    ) -> None:
        self.unit, self.plane = unit, plane
        self.buffered, self.lanes_in, self.lanes = network.buffered, lanes_in, lanes
        self.standing: dict[int, Message] = {}
        self.arriving: dict[int, Message] = {}
        self._offers: dict[int, Offer] = {}

    def send(self, now: int) -> None:
        """Put the messages of one register on the links, by the state at the start of the cycle.

        They stay pending until the end of ``take``, which looks at that state too.
        """
        unit, plane = self.unit, self.plane
        if not unit.outbox.sending:
            return
        self._offers = unit.outbox.offers()
        for offer in self._offers.values():
            letter, sender = offer.letter, unit.outbox.senders[offer.sender]
            data = sender.data_for(offer.place)
            raw = letter.raw | data << unit.rules.data_at
            plane.sent.append(
                (
                    letter.lane,
                    Message(raw, letter.kind, sender.gid, sender.epoch, 0, 0, data, unit.node, now),
                )
            )
            plane.credits[letter.lane] -= 1
            plane.held_outputs.add(letter.lane // self.lanes)

    def take(self, now: int) -> bool:
        """Do everything else that happens here in a cycle.

        Returns
        -------
        bool
            Whether it has to be looked at again in the next cycle; else it can sleep until a
            message, a credit or its own process wakes it.
        """
        unit, offers = self.unit, self._offers
        presented = self._present()
        news = bool(presented or unit.arriving or unit.restless)
        moved = news or bool(offers)
        if not moved:
            return False
        for port in unit.absorb(now, presented) if news else ():
            self._free(now, port, presented.pop(port))
        self.standing = presented
        for offer in offers.values():
            unit.outbox.sent(offer)
        offers.clear()
        if unit.restless:
            unit.settle()
        self.plane.touched.add(unit.node)
        return bool(unit.outbox.sending) or unit.restless or bool(presented)

    def matched(self, now: int) -> set[int]:
        """Return the registers that a message presented in this cycle matches."""
        presented = self.arriving | self.standing
        found = (self.unit.match(message, now) for message in presented.values())
        return {register for register in found if register is not None}

    def _present(self) -> dict[int, Message]:
        """Return the messages presented in this cycle, in ascending order of the ports."""
        presented, self.arriving = self.arriving, {}
        presented.update(self.standing)
        return dict(sorted(presented.items())) if len(presented) > 1 else presented

    def _free(self, now: int, port: int, message: Message) -> None:
        """Return the credit of a message that has been taken."""
        lane = self.lanes_in[port]
        assert lane is not None, "a message came in where no link is"
        if self.buffered:
            self.plane.freed.append(lane)
        if self.plane.observer is not None:
            self.plane.observer.sync(
                message.kind, message.gid, message.source, self.unit.node, message.sent, now
            )
