"""Links of packets between routers."""

from typing import Any, Self

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.flit import flit_layout
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.rtl.messages import struct


class FlitSignature(wiring.Signature):
    """One direction of a link. Nothing is combinational against it.

    Parameters
    ----------
    channels, flit_bits : int
    message_bits : int
        Width of the messages that share the link; 0: none do.
    classes : int
        If these have credits: classes, with a credit each. Where words of streams have check bits,
        their guards bring these credits back, and there are no wires for them here.
    sharer : {"message", "stream"}
        They are messages of engines, or words of streams with a channel a class: how the names of
        their members begin.
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
        Only with ``message_bits``: a message is in the low bits of ``flit``. With ``classes`` a bit
        for each.
    message_credit : In(classes)
        Only with ``classes`` that have credits here: a pulse for each place that the receiver
        frees.
    message_rest : Out
        Only if messages are wider than ``flit``: the rest of it, or 0.
    """

    @classmethod
    def of(cls, network: MessageSpec) -> Self:
        """Return a link that a network's packets have alone, as at a node."""
        return cls(network.channels, network.flit_bits, cut=network.guarded)

    def __init__(
        self,
        channels: int,
        flit_bits: int,
        *,
        message_bits: int = 0,
        classes: int = 0,
        sharer: str = "message",
        cut: bool = False,
    ) -> None:
        self.channels = channels
        self.sharer = sharer
        self.message_bits = message_bits
        self.classes = classes
        self.credits = classes if sharer == "message" or not cut else 0
        self.flit = struct(flit_layout(flit_bits, cut=cut))
        members: dict[str, Any] = {
            "valid": Out(channels),
            "flit": Out(self.flit),
            "credit": In(channels),
        }
        if message_bits:
            members[f"{sharer}_valid"] = Out(max(1, classes))
        if self.credits:
            members[f"{sharer}_credit"] = In(classes)
        if message_bits > self.flit.size:
            members[f"{sharer}_rest"] = Out(message_bits - self.flit.size)
        super().__init__(members)
