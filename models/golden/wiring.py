"""Numbers for the links of a mesh and their channels, and the way to every destination."""

from __future__ import annotations

from syncfabric.models.networks.mesh import Mesh, Port, Turn
from syncfabric.models.networks.spec import MeshSpec

__all__ = ["HERE", "Wiring"]

HERE = int(Port.LOCAL)
"""What ``route`` says of a message that has arrived."""


class Wiring:
    """Numbering of a mesh.

    A *lane* is one channel of one link: ``link * lanes + c``, where c below V is an ordinary
    channel and V + k is class k of synchronization. It is the bit number in a ``Record``, the
    number of the credit counter at the sending end and of the buffer at the receiving end.

    Parameters
    ----------
    network : MeshSpec
        Size and channels.

    Attributes
    ----------
    nodes : int
        Number of nodes.
    lanes : int
        Lanes of a link, V + 2.
    links : int
        Number of links, with those into the rim and those from the sources.
    fed : list of (node, port) or None, by link
        The router input that a link leads to; None for LOCAL outputs and into the rim.
    feeding : list of list, by node and port
        The link that leads to an input; None at the rim.
    """

    def __init__(self, network: MeshSpec) -> None:
        mesh: Mesh = network.mesh
        layout = network.layout
        self.mesh = mesh
        self.nodes = mesh.width * mesh.height
        self.channels = network.channels
        self.lanes = network.channels + 2
        self.links = 6 * self.nodes
        self.x_bits, self.y_bits = layout.x_bits, layout.y_bits
        self.code_mask = (1 << self.x_bits + self.y_bits) - 1
        self.fed: list[tuple[int, int] | None] = [None] * self.links
        self.feeding: list[list[int | None]] = [[None] * 5 for _ in range(self.nodes)]
        for index in range(self.nodes):
            for port in (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH):
                other = mesh.neighbour(mesh.node(index), port)
                if other is not None:
                    self._join(index * 5 + port, mesh.index(other), port.opposite)
            self._join(self.nodes * 5 + index, index, Port.LOCAL)
        self._routes: dict[tuple[int, int], bytes] = {}

    def _join(self, link: int, node: int, port: int) -> None:
        self.fed[link] = (node, port)
        self.feeding[node][port] = link

    def lane(self, node: int, port: int, channel: int) -> int:
        """Return the lane of a router's output."""
        return (node * 5 + port) * self.lanes + channel

    def injection(self, node: int, channel: int) -> int:
        """Return the lane from a node's source into its router."""
        return (self.nodes * 5 + node) * self.lanes + channel

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
