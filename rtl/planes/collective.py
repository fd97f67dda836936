"""A router with its engine: the one place in which their parts are chosen."""

from syncfabric.models.layout.shape import MeshNodeShape, NodeShape
from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.router.router import Router
from syncfabric.rtl.router.routing import Routing, SourceRouting, TableRouting, XyRouting
from syncfabric.rtl.transport.guarded import GuardedLinks
from syncfabric.rtl.transport.link import Joined, OwnLinks, SharedLinks
from syncfabric.rtl.transport.routed import CLASSES, RoutedLinks

__all__ = ["collective", "router"]


def collective(shape: NodeShape) -> Joined | GuardedLinks:
    """Return a router and its engine, joined by their transport, with guards if links have them.

    Parameters
    ----------
    shape : NodeShape
    """
    joined = _joined(shape)
    if not shape.check_bits:
        return joined
    return GuardedLinks(
        joined,
        links=shape.links,
        check_bits=shape.check_bits,
        places=shape.buffer_flits,
        registers=shape.link_registers,
    )


def _joined(shape: NodeShape) -> Joined:
    engine = Engine(shape.layout, **shape.options)
    packets = router(shape) if shape.channels else None
    if packets and shape.layout.routed:
        return RoutedLinks(packets, engine, shape.layout)
    if packets and shape.shared:
        return SharedLinks(packets, engine, shape.links)
    return OwnLinks(packets, engine)


def router(shape: NodeShape) -> Router:
    """Return the router of packets."""
    return Router(
        _routing(shape),
        channels=shape.link_channels,
        buffer_flits=shape.buffer_flits,
        flit_bits=shape.flit_bits,
        output_register=shape.output_register,
        messages=tuple(range(shape.links)) if shape.shared else (),
        message_bits=shape.layout.link_message.width,
        classes=CLASSES if shape.layout.routed else 0,
        cut=shape.check_bits > 0,
        dated=shape.channels if shape.datelines else 0,
    )


def _routing(shape: NodeShape) -> Routing:
    if shape.routing == "table":
        return TableRouting(shape.outputs, shape.routers)
    if isinstance(shape, MeshNodeShape) and shape.routing == "xy":
        return XyRouting(*shape.coordinate_bits)
    return SourceRouting(shape.outputs)
