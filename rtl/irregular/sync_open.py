"""When a synchronization message may be sent on a link."""

from typing import Any

from amaranth import Module, Signal, Value

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.parts.credit import CreditCounter

__all__ = ["open_to_messages"]


def open_to_messages(m: Module, network: IrregularSpec, link: Any, send: Value) -> Value:
    """Return whether the receiver's slot is free, or no message was sent a cycle ago.

    Parameters
    ----------
    m : Module
        Where the link begins.
    network : IrregularSpec
        Whether messages are buffered.
    link : SwitchLinkSignature
        The link.
    send : Value
        A message is sent in this cycle.
    """
    if network.buffered:
        m.submodules.sync_credit = slot = CreditCounter(1)
        m.d.comb += [slot.credit.eq(link.sync_credit), slot.spend.eq(send)]
        return slot.available
    sent = Signal()
    m.d.sync += sent.eq(send)
    return ~sent
