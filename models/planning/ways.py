"""The links that a tree's messages take, all in one table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from syncfabric.models.networks.mesh import Port
from syncfabric.models.planning.tree import Ints, Tree

__all__ = ["Ways"]


@dataclass(frozen=True, eq=False)
class Ways:
    """Every link of the way between each member and its parent, a row for each link.

    Parameters
    ----------
    member : array of int64, shape (links,)
        Position of the member whose way it is.
    x, y : array of int64, shape (links,)
        The node that the link leaves.
    dx, dy : array of int64, shape (links,)
        The step to the node that it leads to.
    """

    member: Ints
    x: Ints
    y: Ints
    dx: Ints
    dy: Ints

    @classmethod
    def of(cls, tree: Tree, *, paper: bool = False) -> Ways:
        """List the links of the distributions, or with ``paper`` of paper BTM's reductions.

        Both go X first to or from the children at +X and -X, Y first to or from the others. The
        mesh's own reductions take the links of the distributions back.
        """
        below = np.flatnonzero(tree.parent >= 0)
        above = tree.parent[below]
        start, end = (below, above) if paper else (above, below)
        dx, dy = tree.x[end] - tree.x[start], tree.y[end] - tree.y[start]
        lengths = np.abs(dx) + np.abs(dy)
        row = np.repeat(np.arange(len(below)), lengths)
        step = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        x_first = (tree.port[below] % 2 == Port.EAST)[row]
        long_x, long_y = np.abs(dx)[row], np.abs(dy)[row]
        gone_x = np.where(x_first, np.minimum(step, long_x), np.maximum(step - long_y, 0))
        along_x = np.where(x_first, step < long_x, step >= long_y)
        sign_x, sign_y = np.sign(dx)[row], np.sign(dy)[row]
        return cls(
            below[row],
            tree.x[start][row] + sign_x * gone_x,
            tree.y[start][row] + sign_y * (step - gone_x),
            np.where(along_x, sign_x, 0),
            np.where(along_x, 0, sign_y),
        )

    @property
    def pairs(self) -> Ints:
        """A number for the two nodes of each link, the same both ways."""
        return ((2 * self.y + self.dy) << 32) + 2 * self.x + self.dx

    @property
    def links(self) -> Ints:
        """A number for each link, another for the link back."""
        return 2 * self.pairs + (self.dx + self.dy > 0)
