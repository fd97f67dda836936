"""A link's registers, and its two ends with check bits or without (L1.5, L3)."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from syncfabric.models.golden.receiver_guard import ReceiverGuard, Seen
from syncfabric.models.golden.router import Flit
from syncfabric.models.golden.sender_guard import SenderGuard
from syncfabric.models.golden.transport.wires import Back, Forward, LinkForm, Sent

__all__ = ["Arrived", "Link", "LinkEnd"]


class Link:
    """Registers on the wires of one directed link; 0 to 3 in both directions."""

    def __init__(self, registers: int) -> None:
        self._forward = deque([Forward()] * registers)
        self._back = deque([Back()] * registers)

    def step(self, forward: Forward, back: Back) -> tuple[Forward, Back]:
        """Go through a cycle; return what is at the far ends in it."""
        self._forward.append(forward)
        self._back.append(back)
        return self._forward.popleft(), self._back.popleft()


class Arrived(NamedTuple):
    """What a router gets from a link's end; credits are a bit a channel, messages' above."""

    flit: Flit | None
    sent: Sent | None
    credit: int
    corrupt: int
    lost: bool


STILL, SILENCE = Forward(), Seen()
NOTHING = Arrived(None, None, 0, 0, False)


class LinkEnd:
    """A router's end of both directions of a link.

    Parameters
    ----------
    form : LinkForm
    buffer_flits : int
    registers : int
        On the link.
    guarded : bool
        There are check bits.
    """

    def __init__(self, form: LinkForm, buffer_flits: int, registers: int, *, guarded: bool) -> None:
        self.form, self.fenced = form, False
        slots = 2 if form.transport == "routed" else 0
        places = (buffer_flits,) * form.channels + (1,) * slots
        self._sender = SenderGuard(places, registers) if guarded else None
        own = form.transport == "own"
        receiver = ReceiverGuard(places, form.channels, own=own, registers=registers)
        self._receiver = receiver if guarded else None

    @property
    def is_idle(self) -> bool:
        """Whether nothing moves, and nothing is on the wires, without a flit, message or credit."""
        sender, receiver = self._sender, self._receiver
        if sender is None or receiver is None:
            return True
        if self.fenced and receiver.open:
            return False
        return not (sender.is_awake() or receiver.is_awake() or receiver.remembers)

    def forward(self, flit: Flit | None, sent: Sent | None) -> Forward:
        """Return the wires away, in a cycle in which the router sends that."""
        if self.fenced:
            return Forward()
        probe = self._sender.probe if self._sender else 0
        return self.form.pack(flit, sent, probe) if flit or sent or probe else Forward()

    def back(self, credit: int) -> Back:
        """Return the wires back, in a cycle in which the router frees that."""
        if self.fenced:
            return Back()
        empty = 0
        if self._receiver:
            credit, empty = self._receiver.credit(credit), self._receiver.empty
        channels = self.form.channels
        return Back(credit % (1 << channels), credit >> channels, empty)

    def step(
        self, flit: Flit | None, sent: Sent | None, freed: int, forward: Forward, back: Back
    ) -> Arrived:
        """Go over a clock edge.

        Parameters
        ----------
        flit, sent : Flit or None, Sent or None
            What the router sends.
        freed : int
            The router's credits.
        forward : Forward
            From the other end.
        back : Back
            To this sender.
        """
        form = self.form
        credit = back.credit | back.message_credit << form.channels
        if self._sender is None or self._receiver is None:
            return Arrived(*form.unpack(forward), credit, 0, False)
        used = 1 << flit.channel if flit else 0
        if sent and sent.way:
            used |= 1 << form.channels + sent.way.route_class
        still = forward == STILL
        if still and not (used or freed or credit) and self.is_idle:
            return NOTHING
        if self.fenced:
            given, lost = self._sender.shut(used), False
            taken = self._receiver.shut(freed)
        else:
            given, lost = self._sender.advance(used, credit, back.empty)
            seen = SILENCE
            if not still:
                there = form.flit(forward, 0)
                marks = there.head, there.tail
                wires = forward.valid, forward.message_valid, *marks, forward.probe
                seen = Seen(*wires, *form.right(forward))
            taken = self._receiver.advance(seen, freed)
        got: Flit | None = None
        if taken.flit >= 0:
            got = form.flit(forward, taken.flit)
        elif taken.cut >= 0:
            got = Flit(taken.cut, 0, False, True, True)
        message = form.sent(forward, taken.sync) if taken.sync >= 0 else None
        return Arrived(got, message, given, taken.events, lost)
