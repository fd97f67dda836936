"""The link between a node and its router: flits forward, credits back."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.network_words import NetworkWords
from syncfabric.rtl.messages import struct

__all__ = ["LocalLinkSignature"]


class LocalLinkSignature(wiring.Signature):
    """Link between a node and its router: ordinary flits only.

    Members
    -------
    valid : Out(channels)
        One-hot: the ordinary channel whose flit is on the link in this cycle.
    flit : Out(flit)
        Payload, head and tail; 0 when nothing is valid.
    credit : In(channels)
        Pulses once for each place freed in the receiver's buffer of that channel.
    """

    def __init__(self, layout: NetworkWords, channels: int) -> None:
        super().__init__(
            {
                "valid": Out(channels),
                "flit": Out(struct(layout.flit)),
                "credit": In(channels),
            }
        )
