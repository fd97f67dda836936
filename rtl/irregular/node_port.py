"""The node port: where a node interface and its process meet."""

from typing import Any

from amaranth import Module
from amaranth.lib.wiring import In

from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.parts.process_port import process_port

__all__ = ["join_node_port", "node_port"]


def node_port(network: IrregularSpec) -> dict[str, Any]:
    """Return the members of a node interface that are its process's."""
    members: dict[str, Any] = {
        "start": In(1),
        **process_port(
            network.port_registers,
            network.data_bits,
            last=network.takes_last,
            broken=network.tells_broken,
        ),
    }
    return members


def join_node_port(m: Module, network: IrregularSpec, outside: Any, unit: Any) -> None:
    """Join a node interface's node port to its unit's, which has no ``start`` on wires alone."""
    for name, member in node_port(network).items():
        if name not in unit.signature.members:
            continue
        ours, theirs = getattr(outside, name), getattr(unit, name)
        m.d.comb += theirs.eq(ours) if member.flow == In else ours.eq(theirs)
