"""The directed links of a mesh as numbers, and which of them are free."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from syncfabric.models.networks.mesh import STEP, Mesh, Node, Port

__all__ = ["AHEAD", "MeshLinks", "Output", "Routes", "link_numbers", "port_to"]

Output: TypeAlias = tuple[int, int, Port]
"""An output of a switch: x, y, port; LOCAL leads to its core."""

Routes: TypeAlias = dict[Output, Port]
"""The input that each output selects."""

SIDES = (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH)
"""The ports between switches, in the order of their numbers."""

SIDE = {STEP[port]: port for port in SIDES}
"""The port of a step to a neighbour."""

AHEAD = tuple(tuple(side for side in range(4) if side != (port + 2) % 4) for port in range(4))
"""By the port that a flit left by, those by which it may leave the next switch: no U-turn."""


class MeshLinks:
    """Links between the switches of a mesh; those that are taken lead nowhere.

    The link that leaves switch s by port p (0 to 3) is number ``4 s + p``, and a switch's number
    is its node's index.

    Parameters
    ----------
    mesh : Mesh
        The switches.
    taken : iterable of int
        Links that others use.

    Attributes
    ----------
    free : bytearray, by link
        1 where a link exists and is not taken.
    step : tuple of int, by port
        What a link adds to the number of a switch.
    """

    def __init__(self, mesh: Mesh, taken: Iterable[int] = ()) -> None:
        self.mesh = mesh
        width, height = mesh.width, mesh.height
        self.step = tuple(dx + width * dy for dx, dy in (STEP[port] for port in SIDES))
        self.free = bytearray(b"\x01") * (4 * width * height)
        self.free[4 * (width - 1) + Port.EAST :: 4 * width] = bytes(height)
        self.free[Port.WEST :: 4 * width] = bytes(height)
        self.free[Port.SOUTH : 4 * width : 4] = bytes(width)
        self.free[4 * width * (height - 1) + Port.NORTH :: 4] = bytes(width)
        for link in taken:
            self.free[link] = 0

    def head(self, link: int) -> int:
        """Return the switch that a link leads to."""
        return (link >> 2) + self.step[link & 3]

    def into(self, switch: int) -> Iterator[int]:
        """Yield the free links that lead to a switch."""
        for port in range(4):
            # The numbers of links that do not exist are not free, or lie outside.
            link = 4 * (switch - self.step[port]) + port
            if 0 <= link < len(self.free) and self.free[link]:
                yield link

    def distance(self, a: int, b: int) -> int:
        """Count the links between two switches."""
        ay, ax = divmod(a, self.mesh.width)
        by, bx = divmod(b, self.mesh.width)
        return abs(ax - bx) + abs(ay - by)

    def switches(self, links: Iterable[int]) -> list[Node]:
        """Return the switches that links leave, as (x, y)."""
        return [self.mesh.node(link >> 2) for link in links]


def port_to(switch: Node, neighbour: Node) -> Port:
    """Return the port by which a switch is joined to a neighbour."""
    return SIDE[neighbour[0] - switch[0], neighbour[1] - switch[1]]


def link_numbers(mesh: Mesh, hops: Iterable[tuple[Node, Node]]) -> list[int]:
    """Return the link that leads from the first to the second of each pair of neighbours."""
    return [4 * mesh.index(a) + port_to(a, b) for a, b in hops]
