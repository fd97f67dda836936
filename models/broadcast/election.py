"""A new root. Ours: the paper never lets the root leave."""

from __future__ import annotations

import numpy as np

from syncfabric.models.broadcast.layout import NO_GOAL, Layout, children, parent

__all__ = ["elect"]


def elect(layout: Layout, last: int) -> int:
    """Put a child of the root in its place, and the last node into the child's.

    It is the child with which the tree is cheapest, of equal ones that at the lowest position.

    Parameters
    ----------
    layout : Layout
        Without the last position, and with the old root, who leaves.
    last : int
        The node that stood there; it may be a child of the root, too.

    Returns
    -------
    int
        The child's old position; 0 if it is the last node.
    """
    size = layout.size
    places = [x for x in children(0, size + 1) if x < size]
    moves = [(0, x, int(layout.at[x]), last) for x in places]
    if parent(size) == 0:
        moves.append((0, 0, last, last))
    p, q, one, other = np.array(moves, dtype=np.int64).T.copy()
    _, best, _ = layout.try_moves(p, q, one, other, float("inf"), NO_GOAL)
    layout.put(*moves[best])
    return int(q[best])
