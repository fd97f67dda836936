"""The links of a mesh by number, and the way to every destination."""

from __future__ import annotations

from syncfabric.models.golden.numbering import Numbering
from syncfabric.models.networks.mesh import Port, Turn
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["HERE", "Wiring"]

HERE = int(Port.LOCAL)
"""What ``route`` says of a message that has arrived."""


class Wiring(Numbering):
    """Numbering of a mesh; its routers are its nodes.

    Parameters
    ----------
    network : MeshSpec
        Size and channels.
    """

    def __init__(self, network: MeshSpec) -> None:
        mesh = self.mesh = network.mesh
        count = len(mesh.nodes)
        super().__init__(
            routers=count,
            ports=5,
            nodes=count,
            channels=network.channels,
            link_channels=network.link_channels,
            classes=2 if network.has_messages else 0,
        )
        layout = network.layout
        self.x_bits, self.y_bits = layout.x_bits, layout.y_bits
        self.code_mask = (1 << self.x_bits + self.y_bits) - 1
        for index in range(count):
            for port in (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH):
                other = mesh.neighbour(mesh.node(index), port)
                if other is not None:
                    self.join(index * 5 + port, mesh.index(other), port.opposite)
            self.join(count * 5 + index, index, Port.LOCAL)
        self.sinks = range(HERE, count * 5, 5)
        self.codes = [self.code(*node) for node in mesh.nodes]
        self.headers = [layout.header.pack({"x": x, "y": y}) for x, y in mesh.nodes]
        self.packet_channels = range(self.channels)
        self._routes: dict[tuple[int, int], bytes] = {}

    def code(self, x: int, y: int) -> int:
        """Return a destination as messages carry it, x below y, cut to the mesh's widths."""
        return (x & (1 << self.x_bits) - 1) | (y & (1 << self.y_bits) - 1) << self.x_bits

    def routes(self, node: int, turn: int) -> bytes:
        """Return, by destination code, the port by which a message leaves ``node``.

        Codes beyond the mesh have a route too: coordinates are only compared.
        """
        known = self._routes.get((node, turn))
        if known is None:
            known = self._routes[node, turn] = self._compare(node, turn)
        return known

    def allowed(self, port: int, turn: int) -> frozenset[int]:
        """Return where dimension order lets go on what has come by an input (sections 2 and 3)."""
        if port == HERE:
            return frozenset(range(5))
        along_y, second_is_y = port in (Port.NORTH, Port.SOUTH), turn == Turn.X_FIRST
        if along_y == second_is_y:
            return frozenset((Port(port).opposite, HERE))
        return frozenset(range(5)) - {port}

    def astray(self, node: int, port: int, code: int) -> int:
        """Return the way of what could not have come by a network input."""
        x, y = self.mesh.node(node)
        if port in (Port.NORTH, Port.SOUTH):
            arrived = code >> self.x_bits == y
        else:
            arrived = code & (1 << self.x_bits) - 1 == x
        return HERE if arrived else int(Port(port).opposite)

    def _compare(self, node: int, turn: int) -> bytes:
        """Lay out the answers row by row; only where a coordinate agrees does the other count."""
        x, y = self.mesh.node(node)
        width, height = 1 << self.x_bits, 1 << self.y_bits
        rows = []
        for row in range(height):
            along = HERE if row == y else Port.NORTH if row > y else Port.SOUTH
            if turn == Turn.Y_FIRST and row != y:
                rows.append(bytes([along]) * width)
            else:
                west, east = bytes([Port.WEST]) * x, bytes([Port.EAST]) * (width - x - 1)
                rows.append(west + bytes([along]) + east)
        return b"".join(rows)
