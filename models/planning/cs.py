"""Planner ``cs``: the CS tree, all members' ways to the root as a tree of neighbours.

Every member's message goes X first, then Y, to the root of ``btm``'s tree; where two ways meet they
are one from there on. Every node on the way has a register, also one that is no member (a relay).
So an edge is one link, and no node is passed without routing at a register: the paper's formula for
its own trees gives that for the CS tree.

Source: paper BTM, sections 1 and 3.3, on the collective synchronization tree that it compares with.
Reading: the root is chosen as ``btm`` does, and the ways are the X-Y routes of packets.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from syncfabric.models.networks.mesh import Node
from syncfabric.models.planning.btm import local_roots
from syncfabric.models.planning.segments import Segments, quadrants
from syncfabric.models.planning.tree import Ints, Tree, coordinates

__all__ = ["build_tree"]


def build_tree(members: Sequence[Node] | ArrayLike) -> Tree:
    """Build the CS tree: the members first, in their order, then the relays by row and column.

    Parameters
    ----------
    members : sequence of Node, or array of shape (n, 2)
        The group.

    Returns
    -------
    Tree
        Every edge joins neighbours.
    """
    x, y = coordinates(members)
    (place,) = local_roots(x, y, Segments(np.zeros(1, np.int64), len(x))).tolist()
    root_x, root_y = int(x[place]), int(y[place])
    width = int(x.max()) + 1
    keys = y * width + x
    relays = np.setdiff1d(_on_the_way(x, y, root_x, root_y, width), keys)
    keys = np.concatenate([keys, relays])
    x, y = keys % width, keys // width
    along_x = x != root_x
    step_x = np.where(along_x, np.sign(root_x - x), 0)
    step_y = np.where(along_x, 0, np.sign(root_y - y))
    order = np.argsort(keys)
    above = keys + step_y * width + step_x
    parent = order[np.searchsorted(keys[order], above)]
    port = quadrants(-step_x, -step_y)
    root = (x == root_x) & (y == root_y)
    return Tree(x, y, np.where(root, -1, parent), port, len(relays))


def _on_the_way(x: Ints, y: Ints, root_x: int, root_y: int, width: int) -> Ints:
    """Return the nodes between members and root, as y * width + x, ends included."""
    rows = np.unique(np.append(y, root_y))
    row = np.searchsorted(rows, y)
    west, east = np.full(len(rows), root_x), np.full(len(rows), root_x)
    np.minimum.at(west, row, x)
    np.maximum.at(east, row, x)
    lengths = east - west + 1
    place = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    along_rows = np.repeat(rows * width + west, lengths) + place
    return np.union1d(along_rows, np.arange(rows[0], rows[-1] + 1) * width + root_x)
