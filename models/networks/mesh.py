"""The 2-D mesh: nodes and ports."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeAlias

from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.irregular import Irregular, Link

Node: TypeAlias = tuple[int, int]
"""A node of a mesh as ``(x, y)``; north is +y."""


class Port(enum.IntEnum):
    """A router's port, named for where its link leads; also a barrier register's child."""

    EAST, NORTH, WEST, SOUTH, LOCAL = range(5)

    @property
    def opposite(self) -> Port:
        """The port at the link's other end; LOCAL is its own."""
        return self if self is Port.LOCAL else Port((self + 2) % 4)


STEP: dict[Port, tuple[int, int]] = {
    Port.EAST: (1, 0),
    Port.NORTH: (0, 1),
    Port.WEST: (-1, 0),
    Port.SOUTH: (0, -1),
    Port.LOCAL: (0, 0),
}
"""What a hop through each port adds to (x, y)."""


def hops(a: Node, b: Node) -> int:
    """Count the links between two nodes."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


@dataclass(frozen=True)
class Mesh:
    """A ``width`` by ``height`` mesh; node ``(x, y)`` has index ``y * width + x``."""

    NODE_FORM: ClassVar[str] = "[x, y]"

    width: int
    height: int

    def __str__(self) -> str:
        return f"{self.width}x{self.height} mesh"

    @cached_property
    def nodes(self) -> list[Node]:
        """All nodes in the order of their indices."""
        return [(x, y) for y in range(self.height) for x in range(self.width)]

    @cached_property
    def graph(self) -> Irregular:
        """Routers and links by number: router y * width + x, ports as :class:`Port`."""
        east, north, west, south, local = map(int, Port)
        links: list[Link] = []
        for index, (x, y) in enumerate(self.nodes):  # a million: no calls here
            if x < self.width - 1:
                links.append(((index, east), (index + 1, west)))
            if y < self.height - 1:
                links.append(((index, north), (index + self.width, south)))
        nodes = tuple((i, local) for i in range(len(self.nodes)))
        grid = Grid((self.width, self.height), pairs=True)
        return Irregular(
            len(Port), len(self.nodes), tuple(links), nodes, columns=self.width, own=True, grid=grid
        )

    @property
    def diameter(self) -> int:
        """Hops between opposite corners."""
        return self.width + self.height - 2

    def contains(self, node: Node) -> bool:
        """Return whether ``node`` is on the mesh."""
        return 0 <= node[0] < self.width and 0 <= node[1] < self.height

    def outside(self, node: Node) -> str:
        """Return why a place is not a node, and the range allowed, for an error message."""
        axis, count = ("y", self.height) if 0 <= node[0] < self.width else ("x", self.width)
        allowed = f"0..{count - 1}" if count > 1 else "0"
        return f"outside the {self}; {axis} must be {allowed}"

    def index(self, node: Node) -> int:
        """Return the node's number, 0 at the south-west corner, counting east, then north."""
        return node[1] * self.width + node[0]

    def node(self, index: int) -> Node:
        """Return the node of a number; the inverse of ``index``."""
        return index % self.width, index // self.width

    def output(self, router: int, port: int) -> tuple[Node, str]:
        """Return the name of a router's output: (x, y), and where it leads."""
        return self.node(router), Port(port).name.lower()

    def neighbour(self, node: Node, port: Port) -> Node | None:
        """Return the node at the other end of a port's link, or None at the mesh's edge."""
        step = STEP[port]
        other = node[0] + step[0], node[1] + step[1]
        return other if self.contains(other) else None

    def hops(self, a: Node, b: Node) -> int:
        """Count the links between two nodes."""
        return hops(a, b)
