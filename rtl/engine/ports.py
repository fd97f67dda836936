"""Interfaces of an engine: a link of messages, and its config port."""

from typing import Any

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import WORD_BITS, EngineLayout
from syncfabric.models.layout.words import ADDRESS_BITS
from syncfabric.rtl.messages import struct


class MessageSignature(wiring.Signature):
    """One direction of a link, or of the process's port. No credits and no back-pressure.

    Members
    -------
    valid : Out(1)
        A message is on the link in this cycle.
    message : Out(message)
        Without a meaning while ``valid`` is low.
    """

    def __init__(self, layout: EngineLayout) -> None:
        super().__init__({"valid": Out(1), "message": Out(struct(layout.message))})


class OutputSignature(wiring.Signature):
    """Messages of an engine to a link; routed ones stay until they are sent.

    Members
    -------
    valid : Out(1), message : Out(link_message)
        As of :class:`MessageSignature`; with the receiver's column and row, if it is routed.
    route_class : Out(1), sent : In(1)
        Only of routed messages: the class; the message leaves in this cycle.
    """

    def __init__(self, layout: EngineLayout) -> None:
        members: dict[str, Any] = {"valid": Out(1), "message": Out(struct(layout.link_message))}
        if layout.routed:
            members |= {"route_class": Out(1), "sent": In(1)}
        super().__init__(members)


class EngineConfigSignature(wiring.Signature):
    """Config port of an engine, or of a part beside it, from the side that requests.

    Parameters
    ----------
    address_bits : int, optional

    Members
    -------
    valid, write : Out(1), address : Out(address_bits), data : Out(32)
        A request; all stay the same until and with ``ready``.
    ready, error : In(1), rdata : In(32)
        Its answer, for one cycle; 0 otherwise.
    """

    def __init__(self, address_bits: int = ADDRESS_BITS) -> None:
        super().__init__(
            {
                "valid": Out(1),
                "write": Out(1),
                "address": Out(address_bits),
                "data": Out(WORD_BITS),
                "ready": In(1),
                "error": In(1),
                "rdata": In(WORD_BITS),
            }
        )
