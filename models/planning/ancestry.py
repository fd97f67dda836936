"""Who is above whom in a tree: each member and all below it are one run of numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.planning.tree import Ints, Tree

__all__ = ["Ancestry"]


@dataclass(frozen=True, eq=False)
class Ancestry:
    """Members numbered so that each comes just before all below it.

    Parameters
    ----------
    number : array of int64, shape (n,)
        Each member's number.
    size : array of int64, shape (n,)
        Members below each, itself included.
    """

    number: Ints
    size: Ints

    @classmethod
    def of(cls, tree: Tree) -> Ancestry:
        """Number a tree's members, level by level."""
        order = np.argsort(tree.depth, kind="stable")
        levels = np.split(order, np.flatnonzero(np.diff(tree.depth[order])) + 1)
        size = np.ones(len(tree), dtype=np.int64)
        for level in levels[:0:-1]:
            np.add.at(size, tree.parent[level], size[level])
        number = np.zeros(len(tree), dtype=np.int64)
        for level in levels[:-1]:
            children = tree.children[level]
            sizes = np.where(children >= 0, size[children], 0)
            first = number[level][:, None] + 1 + np.cumsum(sizes, axis=1) - sizes
            number[children[children >= 0]] = first[children >= 0]
        return cls(number, size)

    def above(self, a: Ints, b: Ints) -> NDArray[np.bool_]:
        """Return where members ``a`` are above members ``b``, or the same."""
        below = self.number[b] - self.number[a]
        found: NDArray[np.bool_] = (below >= 0) & (below < self.size[a])
        return found
