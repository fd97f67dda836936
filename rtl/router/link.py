"""Links of packets between routers."""

from typing import Any

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.flit import flit_layout
from syncfabric.rtl.messages import struct

__all__ = ["FlitSignature"]


class FlitSignature(wiring.Signature):
    """One direction of a link. Nothing is combinational against it.

    Parameters
    ----------
    channels, flit_bits : int
    messages : bool
        Messages of engines share the link.
    classes : int
        If they are routed: classes, with a credit each.

    Members
    -------
    valid : Out(channels)
        One-hot: the channel whose flit is on the link.
    flit : Out(flit)
        0 if nothing is on the link.
    credit : In(channels)
        A pulse for each place that the receiver frees.
    message_valid : Out(1)
        Only with ``messages``: one is in the low bits of ``flit``. Routed: a bit a class.
    message_credit : In(classes)
        Only with ``classes``: a pulse for each message that the receiver has passed on.
    """

    def __init__(
        self, channels: int, flit_bits: int, *, messages: bool = False, classes: int = 0
    ) -> None:
        members: dict[str, Any] = {
            "valid": Out(channels),
            "flit": Out(struct(flit_layout(flit_bits))),
            "credit": In(channels),
        }
        if messages:
            members["message_valid"] = Out(max(1, classes))
        if classes:
            members["message_credit"] = In(classes)
        super().__init__(members)
