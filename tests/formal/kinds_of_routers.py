"""Routers of meshes and of irregular networks, as `routers` looks at them."""

from typing import Any

from amaranth import Cat, Mux, Value

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.irregular.switch import IrregularSwitch
from syncfabric.rtl.mesh.packets import PORT_NAMES, PacketRouter
from syncfabric.rtl.messages import struct
from tests.formal.routers import MARK, Router, xy_legal, xy_way
from tests.formal.tree_register import network_of

__all__ = ["mesh", "switch"]

ABOVE_ROUTES = 23
"""A bit of the payload as `MARK`, where headers may be routes, which fill what they can."""


def mesh(channels: int, places: int) -> Router:
    """Return the router at the centre of a mesh of 3x3, where a packet can go any way."""
    network = MeshSpec(
        kind="mesh", width=3, height=3, flit_bits=16, sync="wires",
        channels=channels, buffer_flits=places,
    )  # fmt: skip

    def way(link: Any) -> Value:
        header = struct(network.layout.header)(link.flit.payload[: network.layout.header.width])
        return xy_way(header.x, header.y)

    names = list(PORT_NAMES)
    return Router(
        PacketRouter(network),
        [f"{name}_in" for name in names],
        [f"{name}_out" for name in names],
        way,
        lambda port, link: xy_legal(port, way(link)),
        {"x": 1, "y": 1},
    )


def switch(channels: int, places: int, *, cycles: int = 1, routed: bool = False) -> Router:
    """Return a switch of three ports, with a table that leads to each of them and to the sink.

    Parameters
    ----------
    channels, places : int
    cycles : int
        A hop's.
    routed : bool
        Packets may bring their routes along.
    """
    network = network_of(
        ports=3, switches=5, flit_bits=24, channels=channels, buffer_flits=places,
        cycles_per_hop=cycles, sync="wires",
        links=[[[0, 0], [1, 0]], [[0, 1], [2, 0]], [[1, 1], [3, 0]], [[2, 1], [4, 0]]],
        nodes=[[0, 2], [4, 2]],
    )  # fmt: skip
    layout = network.layout
    bits, table = layout.port_bits, (0, 0, 1, 2, 3)

    def way(link: Any) -> Value:
        header = struct(layout.header)(link.flit.payload[: layout.header.width])
        code: Value = Mux(header.switch == 0, header.port, 3)
        for there, port in enumerate(table):
            code = Mux((header.switch == there) & (there != 0), port, code)
        route = route_of(link)
        code = Mux(header.by_route, Mux(ends(link), 3, route.port_0), code)
        return Cat(code == port for port in range(3))

    def route_of(link: Any) -> Any:
        return struct(layout.route)(link.flit.payload[: layout.route.width])

    def ends(link: Any) -> Value:
        """Return whether a route leads to the switch itself."""
        route = route_of(link)
        return (route.count == 0) | (route.port_0 >= 3) | (link.flit.tail & (route.count == 1))

    def used_up(link: Any) -> Value:
        route = route_of(link)
        return route.by_route & ~ends(link) & (route.count == 1)

    def legal(port: int, link: Any) -> Value:
        return routed | ~route_of(link).by_route

    routes = sum(port << bits * there for there, port in enumerate(table))
    return Router(
        IrregularSwitch(network),
        [f"in_{p}" for p in range(3)],
        [f"out_{p}" for p in range(3)],
        way,
        legal,
        {"number": 0, "routes": routes},
        used_up,
        cycles - 1,
        ABOVE_ROUTES if routed else MARK,
    )
