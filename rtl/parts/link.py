"""Links between routers: flits forward, credits back, nothing combinational against the link."""

from typing import Any

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.network_words import NetworkWords
from syncfabric.models.messages import IrregularLayout, MeshLayout
from syncfabric.models.networks.spec import IrregularSpec, MeshSpec
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.guard.shape import GuardShape, guard_shape
from syncfabric.rtl.messages import struct

__all__ = ["LinkSignature", "LocalLinkSignature", "SwitchLinkSignature", "pass_on", "shares_links"]


def shares_links(network: MeshSpec) -> bool:
    """Return whether messages and packets go over the same links of a mesh."""
    return network.has_messages and network.sync_links == "shared"


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

    def __init__(self, layout: MeshLayout | IrregularLayout | NetworkWords, channels: int) -> None:
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
        where they have no wires of their own. Only with channels.
    sync_valid : Out(2)
        One-hot: class of the synchronization message on the link in this cycle. This and the
        next only with ``messages``.
    sync_credit : In(2)
        Pulses once for each of the receiver's slots that is freed.
    sync : Out(sync message)
        Only with ``own``: the synchronization message's own wires.
    wires : Out(plane.link)
        Only with a plane: its wires, as one word.
    check, sync_check, probe, empty
        Only with a guard: as of :class:`GuardShape`.
    """

    def __init__(
        self,
        layout: MeshLayout,
        channels: int,
        *,
        own: bool,
        messages: bool = True,
        plane: WirePlane | None = None,
        guard: GuardShape | None = None,
    ) -> None:
        members: dict[str, Any] = {}
        if channels:
            members |= LocalLinkSignature(layout, channels).members
        if messages:
            members |= {"sync_valid": Out(2), "sync_credit": In(2)}
        if own:
            members["sync"] = Out(struct(layout.sync))
        if plane:
            members["wires"] = Out(plane.link.width)
        super().__init__(members | (guard.members if guard else {}))


class SwitchLinkSignature(wiring.Signature):
    """Link of an irregular network: between two switches, or a switch and a node interface.

    ``wires`` says whether barrier wires, and those of guards, are part of it if there are any: no
    port of a switch has to do with them.

    Members
    -------
    valid, credit
        As in :class:`LocalLinkSignature`; not without packets, and no ``flit`` either.
    flit : Out(flit)
        Payload, head and tail, or a synchronization message in the low bits; 0 when idle.
    sync_valid : Out(1)
        Not where barriers are on wires alone: a synchronization message is on the link in this
        cycle.
    sync_credit : In(1)
        Only if messages are buffered: pulses when the receiver's slot is freed.
    wires : Out
        Only with barrier wires: those of all slots.
    check, probe, empty
        Only with guarded links: as of :class:`GuardShape`.
    """

    def __init__(self, network: IrregularSpec, *, wires: bool = True) -> None:
        members: dict[str, Any] = {}
        plane = network.wire_plane if wires else None
        if network.channels:
            members |= LocalLinkSignature(network.layout, network.link_channels).members
        if network.has_messages:
            members["sync_valid"] = Out(1)
            if network.buffered:
                members["sync_credit"] = In(1)
        if plane:
            members["wires"] = Out(plane.link.width)
        guard = guard_shape(network) if wires else None
        super().__init__(members | (guard.members if guard else {}))


def pass_on(m: Module, inside: Any, outside: Any) -> None:
    """Join a part's link to its node's, which may carry more than the part looks at.

    Parameters
    ----------
    m : Module
        The node's.
    inside, outside : interface
        The link as the part has it, and as the node has it: both In, or both Out.
    """
    for name, member in inside.signature.members.items():
        inner, outer = getattr(inside, name), getattr(outside, name)
        m.d.comb += inner.eq(outer) if member.flow == In else outer.eq(inner)
