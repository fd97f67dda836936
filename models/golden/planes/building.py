"""The nodes and node interfaces of a network, from its numbers (N1)."""

from __future__ import annotations

from collections.abc import Callable

from syncfabric.models.golden.lifecycle.port import SetUpParameters
from syncfabric.models.golden.planes.interface import InterfaceParameters
from syncfabric.models.golden.planes.pins import NodeParameters
from syncfabric.models.golden.router import XY, Routing, Source, Table
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.shape import MeshNodeShape, NodeShape

__all__ = ["interface_parameters", "node_parameters", "transport_of"]


def transport_of(router: NodeShape) -> str:
    """Return how messages go: "own", "shared" or "routed"."""
    if router.transport == "routed":
        return "routed"
    return "shared" if router.shared else "own"


def _routing(shape: NetworkShape, number: int, place: tuple[int, int]) -> Callable[[], Routing]:
    router = shape.router
    pairs = {port: list(outputs) for port, outputs in enumerate(router.outputs)}
    if router.routing == "table":
        return lambda: Table(router.ports, pairs, number, shape.routes[number])
    if isinstance(router, MeshNodeShape) and router.routing == "xy":
        return lambda: XY(*router.coordinate_bits, *place)
    return lambda: Source(router.ports, pairs)


def _set_up(shape: NetworkShape, number: int) -> SetUpParameters:
    manager = -1
    if not shape.interfaces and number in shape.managers:
        manager = shape.managers.index(number)
    return SetUpParameters(
        [shape.manager_header(m) for m in range(len(shape.managers))],
        shape.header.offsets["reply"],
        number,
        shape.routers,
        manager,
        shape.router.wires,
    )


def node_parameters(shape: NetworkShape, number: int) -> NodeParameters:
    """Return what a router's node is built for.

    Parameters
    ----------
    shape : NetworkShape
    number : int
        The router's.
    """
    router = shape.router
    place = (0, 0)
    if isinstance(router, MeshNodeShape):
        place = number % router.width, number // router.width
    return NodeParameters(
        router.layout,
        router.stages,
        shape.target_of(number),
        place,
        transport_of(router),
        _routing(shape, number, place) if router.channels else None,
        router.channels,
        router.buffer_flits,
        router.flit_bits,
        output_register=router.output_register,
        registers=shape.entry_registers if router.own else 0,
        watchdog=router.watchdog,
        counters=router.counters,
        read_back=router.read_back,
        check_bits=router.check_bits,
        link_registers=router.link_registers,
        near=[p for n, p in shape.nodes if n == number and not router.own],
        datelines=[p for n, p in shape.datelines if n == number],
        set_up=_set_up(shape, number) if shape.managers else None,
        slots=router.slots,
    )


def interface_parameters(shape: NetworkShape, node: int) -> InterfaceParameters:
    """Return what a node's interface is built for."""
    router = shape.router
    return InterfaceParameters(
        router.layout,
        shape.entry_registers,
        node,
        transport_of(router),
        router.channels,
        router.buffer_flits,
        router.flit_bits,
        counters=router.counters,
        check_bits=router.check_bits,
        managed=bool(shape.managers),
        manager=shape.managers.index(node) if node in shape.managers else -1,
        routers=shape.routers,
        wires=router.wires,
    )
