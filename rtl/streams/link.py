"""Links of streams between routers, and to process ports."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import StreamLayout
from syncfabric.rtl.messages import struct


class StreamSignature(wiring.Signature):
    """One direction of a link. Nothing is combinational against it.

    Rules: docs/microarchitecture-streams.md, V2.

    Members
    -------
    valid : Out(channels)
        One-hot: the channel whose word is on the link.
    word : Out(word)
        No meaning while nothing is valid.
    fault : Out(channels)
        The channel has failed at the sender, which is a child.
    credit : In(channels)
        A pulse for each place that the receiver frees.
    """

    def __init__(self, layout: StreamLayout) -> None:
        count = layout.channels
        super().__init__(
            {
                "valid": Out(count),
                "word": Out(struct(layout.word)),
                "fault": Out(count),
                "credit": In(count),
            }
        )


class FaultSignature(wiring.Signature):
    """What streams add to one direction of a link that they share with packets.

    Rules: docs/microarchitecture-streams.md, V13.

    Members
    -------
    fault : Out(channels)
        As of :class:`StreamSignature`.
    """

    def __init__(self, layout: StreamLayout) -> None:
        super().__init__({"fault": Out(layout.channels)})
