"""What every node of a mesh shows outside, however its barriers travel."""

from typing import Any

from amaranth import Module
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.barrier.ports import (
    ConfigSignature,
)
from syncfabric.rtl.barrier.unit import observe_bits
from syncfabric.rtl.guard.place import place_guards
from syncfabric.rtl.guard.shape import GuardShape, guard_shape
from syncfabric.rtl.parts.link import LinkSignature, LocalLinkSignature
from syncfabric.rtl.parts.process_port import process_port

__all__ = ["DIRECTIONS", "guarded_links", "node_members"]

DIRECTIONS = ("east", "north", "west", "south")
"""Names of the network ports, by number."""


def node_members(network: MeshSpec) -> dict[str, Any]:
    """Return the members of a node.

    Parameters
    ----------
    network : MeshSpec
        The network's parameters; the position is an input, so that all nodes share one module.

    Returns
    -------
    dict
        x, y, index : In
            Position and number of this node; constant.
        start : In(1)
            From the cycle after it was high, barriers that are messages may begin.
        east_in .. south_in : In(LinkSignature), east_out .. south_out : Out(LinkSignature)
            Links to the neighbours.
        local_in : In(LocalLinkSignature), local_out : Out(LocalLinkSignature)
            Ordinary packets from and to the node; only with channels.
        arrive : In(port registers), data : In(port registers * data_bits)
            The node's process arrives in a register's group, with its data.
        released, ready, done : Out(port registers), result : Out(port registers * data_bits)
            One-cycle pulse; configured and started; sticky release; combined data.
        last : In(port registers)
            Only with managers and messages: the barrier arrived at is the group's last.
        broken : Out(port registers)
            Only with managers, a watchdog or wires: the release was no barrier's end.
        manager : In(1), manager_index : In(2)
            Only with managers: this node has one, and its number; constant.
        config : In(ConfigSignature)
            Config port of the whole network.
        observe : Out
            State for benches; leave it open elsewhere.
    """
    layout = network.layout
    members: dict[str, Any] = {
        "x": In(layout.x_bits),
        "y": In(layout.y_bits),
        "index": In(layout.node_bits),
        "start": In(1),
    }
    if network.channels:
        local = LocalLinkSignature(layout, network.channels)
        members |= {"local_in": In(local), "local_out": Out(local)}
    members |= {
        **process_port(
            network.port_registers,
            network.data_bits,
            last=network.takes_last,
            broken=network.tells_broken,
        ),
        "config": In(ConfigSignature(network)),
        "observe": Out(observe_bits(network)),
    }
    link = _link(network, plane=network.wire_plane, guard=guard_shape(network))
    for direction in DIRECTIONS:
        members |= {f"{direction}_in": In(link), f"{direction}_out": Out(link)}
    if network.managed:
        members |= {"manager": In(1), "manager_index": In(2)}
    return members


def _link(
    network: MeshSpec, *, plane: WirePlane | None = None, guard: GuardShape | None = None
) -> LinkSignature:
    """Return the link between two routers, with barrier wires or a guard's, or without."""
    return LinkSignature(
        network.layout,
        network.link_channels,
        own=network.sync_links == "own",
        messages=network.has_messages,
        plane=plane,
        guard=guard,
    )


def guarded_links(m: Module, network: MeshSpec, node: Any, unit: Any) -> dict[str, Any]:
    """Return a node's network links for its router: behind guards, where there are any."""
    incoming, outgoing = ([f"{name}_{way}" for name in DIRECTIONS] for way in ("in", "out"))
    return place_guards(m, network, node, _link(network), incoming, outgoing, unit)
