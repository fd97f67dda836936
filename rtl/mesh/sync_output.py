"""Synchronization messages at a network output port: credits, and who sends in this cycle."""

from typing import Any

from amaranth import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.mesh.routing import legal_outputs
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.parts.selector import Selector

__all__ = ["UNIT", "SyncOutput"]

UNIT = 4
"""Place of the barrier unit among those that ask to send a synchronization message."""


class SyncOutput(wiring.Component):
    """Takes one of the messages offered to it a cycle.

    Only requests that hold a credit are made to it, so a class that waits never holds up the
    other.

    Parameters
    ----------
    network : MeshSpec
        Layouts; whether messages have links of their own.
    port : int
        EAST 0 to SOUTH 3.

    Members
    -------
    valid : Out(2), credit : In(2)
        The link's: class of the message that is sent, one-hot, and the classes freed.
    offer : In(5)
        Inputs EAST to SOUTH and the barrier unit: a message for this output. It is not looked at
        for the input of this port.
    class_0 .. class_4 : In(2)
        Class of each such message, one-hot; one that dimension order allows from there to here.
    sends : Out(1), take : Out(5)
        A message is sent, and whose, one-hot.
    has_credit : Out(2)
        Per class.
    sync_0 .. sync_4 : In(sync message), sync : Out(sync message)
        Only with links of their own: contents of the messages, and of the one that is sent.
    """

    def __init__(self, network: MeshSpec, port: int) -> None:
        self._port = port
        self._own = network.sync_links == "own"
        self._width = network.layout.sync.width
        members: dict[str, Any] = {
            "valid": Out(2),
            "credit": In(2),
            "offer": In(5),
            "sends": Out(1),
            "take": Out(5),
            "has_credit": Out(2),
        }
        members |= {f"class_{i}": In(2) for i in range(5)}
        if self._own:
            sync = struct(network.layout.sync)
            members |= {"sync": Out(sync)} | {f"sync_{i}": In(sync) for i in range(5)}
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        senders = [i for i in range(UNIT) if i != self._port] + [UNIT]
        m.submodules.arbiter = arbiter = LeastRecentArbiter(len(senders))
        m.d.comb += [
            arbiter.request.eq(Cat(self.offer[i] for i in senders)),
            arbiter.sent.eq(arbiter.grant),
            # Whoever asks, one is sent: nothing waits for which.
            self.sends.eq(arbiter.request.any()),
        ]
        for place, i in enumerate(senders):
            m.d.comb += self.take[i].eq(arbiter.grant[place])
        # Messages of the class that turns away from this dimension come straight on, or from the
        # unit; any other message is of the class that turns into it.
        away = self._port % 2
        sends_away = [
            self.take[i] & getattr(self, f"class_{i}")[away]
            for i in senders
            if i == UNIT or self._port in legal_outputs(i, y_first=bool(away))
        ]
        m.d.comb += [
            self.valid[away].eq(Cat(sends_away).any()),
            self.valid[1 - away].eq(self.sends & ~self.valid[away]),
        ]
        for turn in range(2):
            m.submodules[f"credit_{turn}"] = credit = CreditCounter(1)
            m.d.comb += [
                credit.credit.eq(self.credit[turn]),
                credit.spend.eq(self.valid[turn]),
                self.has_credit[turn].eq(credit.available),
            ]
        if self._own:
            m.submodules.word = selector = Selector(len(senders), self._width)
            m.d.comb += [
                selector.select.eq(Cat(self.take[i] for i in senders)),
                self.sync.eq(selector.word),
                *(
                    getattr(selector, f"word_{place}").eq(getattr(self, f"sync_{i}").as_value())
                    for place, i in enumerate(senders)
                ),
            ]
        return m
