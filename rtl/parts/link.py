"""Links between routers: flits forward, credits back, nothing combinational against the link."""

from typing import Any

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import IrregularLayout, MeshLayout
from syncfabric.rtl.messages import struct

__all__ = ["LinkSignature", "LocalLinkSignature", "SwitchLinkSignature"]


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

    def __init__(self, layout: MeshLayout | IrregularLayout, channels: int) -> None:
        super().__init__(
            {
                "valid": Out(channels),
                "flit": Out(struct(layout.flit)),
                "credit": In(channels),
            }
        )


class LinkSignature(wiring.Signature):
    """Link between two routers.

    Members
    -------
    valid, flit, credit
        As in :class:`LocalLinkSignature`; ``flit`` also carries the synchronization messages
        where they have no wires of their own.
    sync_valid : Out(2)
        One-hot: class of the synchronization message on the link in this cycle.
    sync_credit : In(2)
        Pulses once for each of the receiver's slots that is freed.
    sync : Out(sync message)
        Only with ``own``: the synchronization message's own wires.
    """

    def __init__(self, layout: MeshLayout, channels: int, *, own: bool) -> None:
        members: dict[str, Any] = {
            "valid": Out(channels),
            "flit": Out(struct(layout.flit)),
            "credit": In(channels),
            "sync_valid": Out(2),
            "sync_credit": In(2),
        }
        if own:
            members["sync"] = Out(struct(layout.sync))
        super().__init__(members)


class SwitchLinkSignature(wiring.Signature):
    """Link of an irregular network: between two switches, or a switch and a node interface.

    Members
    -------
    valid, credit
        As in :class:`LocalLinkSignature`.
    flit : Out(flit)
        Payload, head and tail, or a synchronization message in the low bits; 0 when idle.
    sync_valid : Out(1)
        A synchronization message is on the link in this cycle.
    sync_credit : In(1)
        Only if ``buffered``: pulses when the receiver's slot is freed.
    """

    def __init__(self, layout: IrregularLayout, channels: int, *, buffered: bool) -> None:
        members: dict[str, Any] = {
            "valid": Out(channels),
            "flit": Out(struct(layout.flit)),
            "credit": In(channels),
            "sync_valid": Out(1),
        }
        if buffered:
            members["sync_credit"] = In(1)
        super().__init__(members)
