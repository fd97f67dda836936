"""Rings through every switch of a rectangle, written down without a search.

With an even number of switches that is a Hamiltonian cycle. With an odd number there is none, for a
ring changes the colour of a chessboard with every link; but one link more is enough from 3 x 5 on,
with one switch passed twice. (A 3 x 3 rectangle needs 14.)
"""

from __future__ import annotations

from syncfabric.models.networks.mesh import Node

__all__ = ["rectangle_ring"]

ODD = (
    *((0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (1, 3), (2, 3)),
    *((2, 4), (1, 4), (0, 4), (0, 3), (0, 2), (1, 2), (1, 1), (0, 1)),
)
"""A ring of 16 links through 3 x 5 switches; (1, 2) is passed twice."""


def rectangle_ring(width: int, height: int) -> list[Node] | None:
    """Return the switches of a shortest ring through a rectangle at (0, 0), in order.

    Parameters
    ----------
    width, height : int
        Its sides in switches.

    Returns
    -------
    list of Node, or None
        None for a single row or column, where there is no ring, and for 3 x 3.
    """
    if min(width, height) < 2 or (width, height) == (3, 3):
        return None
    if height % 2 == 0:
        return _comb(width, height)
    if width % 2 == 0 or height == 3:
        turned = rectangle_ring(height, width)
        return None if turned is None else [(y, x) for x, y in turned]
    # 3 x 5, then all columns to the east of it, then all rows to the north.
    ring = list(ODD)
    if width > 3:
        east = [(3 + y, x) for x, y in _comb(5, width - 3)]
        ring = _join(ring, east, (2, 0), (3, 0))
    if height > 5:
        north = [(x, 5 + y) for x, y in _comb(width, height - 5)]
        ring = _join(ring, north, (2, 4), (2, 5))
    return ring


def _comb(width: int, height: int) -> list[Node]:
    """Return a cycle along the bottom row, back in rows, and down the first column."""
    ring = [(x, 0) for x in range(width)]
    for y in range(1, height):
        row = range(width - 1, 0, -1) if y % 2 else range(1, width)
        ring += [(x, y) for x in row]
    return ring + [(0, y) for y in range(height - 1, 0, -1)]


def _join(ring: list[Node], other: list[Node], here: Node, there: Node) -> list[Node]:
    """Lead a ring from ``here`` over to its neighbour ``there``, round the other, and back.

    Both follow the line between them from these switches on, one way or the other.
    """
    place, turn = ring.index(here), other.index(there)
    x, y = ring[(place + 1) % len(ring)]
    across = x + there[0] - here[0], y + there[1] - here[1]
    other = other[turn:] + other[:turn]
    if other[-1] != across:
        other = [other[0], *other[:0:-1]]
    return [*ring[: place + 1], *other, *ring[place + 1 :]]
