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
    message_bits : int
        Width of the messages of engines that share the link; 0: none do.
    classes : int
        If these are routed: classes, with a credit each.
    cut : bool
        Flits have the flag ``cut``: the links have check bits.

    Members
    -------
    valid : Out(channels)
        One-hot: the channel whose flit is on the link.
    flit : Out(flit)
        0 if nothing is on the link.
    credit : In(channels)
        A pulse for each place that the receiver frees.
    message_valid : Out(1)
        Only with ``message_bits``: a message is in the low bits of ``flit``. Routed: a bit a class.
    message_credit : In(classes)
        Only with ``classes``: a pulse for each message that the receiver has passed on.
    message_rest : Out
        Only if messages are wider than ``flit``: the rest of it, or 0.
    """

    def __init__(
        self,
        channels: int,
        flit_bits: int,
        *,
        message_bits: int = 0,
        classes: int = 0,
        cut: bool = False,
    ) -> None:
        self.channels = channels
        self.message_bits = message_bits
        self.classes = classes
        self.flit = struct(flit_layout(flit_bits, cut=cut))
        members: dict[str, Any] = {
            "valid": Out(channels),
            "flit": Out(self.flit),
            "credit": In(channels),
        }
        if message_bits:
            members["message_valid"] = Out(max(1, classes))
        if classes:
            members["message_credit"] = In(classes)
        if message_bits > self.flit.size:
            members["message_rest"] = Out(message_bits - self.flit.size)
        super().__init__(members)
