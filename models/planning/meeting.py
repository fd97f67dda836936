"""Where a tree's messages can meet, and so delay each other beyond the bound.

Alone on an idle mesh a message waits only for another one that uses the same link: a link carries
one message a cycle, and one of a class every third cycle. Two messages whose nodes lie one above
the other cannot be under way together, for the second is sent because of the first. So nothing ever
waits, whatever the arrivals, if

1. the ways of two members to their parents share a link only where one member is above the other;
2. no way leads through a node above both its ends.

Why 2: say that a message crosses the link u -> v in cycle t, and the later one the same link. All
that lies between leads from v to a node c and on to u, one cycle a link, so the second crosses in
t + 1 + |v c| + |c u| at the earliest, c being the end of the upper way, or the root where a
reduction comes before a distribution. That is t + 2 if c is u or v, which 2 rules out, and at least
t + 4 else: the two distances together are odd.

Distributions and, with ``reduction_route = "reverse"``, reductions use the same ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from syncfabric.models.networks.mesh import Port
from syncfabric.models.planning.segments import Segments
from syncfabric.models.planning.tree import Ints, Tree

__all__ = ["Ways", "can_meet", "paper_waits"]

WAIT = 3
"""Cycles that one message on a link can hold back the next one of its class."""


@dataclass(frozen=True, eq=False)
class Ways:
    """Every link of every member's way, a row for each: the way ``member``'s messages take.

    Parameters
    ----------
    member : array of int64, shape (links,)
        Position of the member, in runs: from the start of the way to its end.
    x, y : array of int64, shape (links + 1,)
        The node at the near end of each link, seen from the start.
    dx, dy : array of int64, shape (links,)
        The step to the far end.
    """

    member: Ints
    x: Ints
    y: Ints
    dx: Ints
    dy: Ints

    @classmethod
    def of(cls, tree: Tree, *, paper: bool = False) -> Ways:
        """List the ways of the distributions, or of the paper's reductions."""
        below = np.flatnonzero(tree.parent >= 0)
        above = tree.parent[below]
        start, end = (below, above) if paper else (above, below)
        dx, dy = tree.x[end] - tree.x[start], tree.y[end] - tree.y[start]
        lengths = np.abs(dx) + np.abs(dy)
        row = np.repeat(np.arange(len(below)), lengths)
        step = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        x_first = (tree.port[below] % 2 == Port.EAST)[row]
        in_x, in_y = np.abs(dx)[row], np.abs(dy)[row]
        done_x = np.where(x_first, np.minimum(step, in_x), np.maximum(step - in_y, 0))
        along_x = np.where(x_first, step < in_x, step >= in_y)
        sign_x, sign_y = np.sign(dx)[row], np.sign(dy)[row]
        return cls(
            below[row],
            tree.x[start][row] + sign_x * done_x,
            tree.y[start][row] + sign_y * (step - done_x),
            np.where(along_x, sign_x, 0),
            np.where(along_x, 0, sign_y),
        )

    @cached_property
    def directed(self) -> Ints:
        """A number for each link and direction."""
        return _number(2 * self.x + self.dx, 2 * self.y + self.dy) * 2 + (self.dx + self.dy > 0)

    @cached_property
    def undirected(self) -> Ints:
        """A number for each pair of neighbours."""
        return _number(2 * self.x + self.dx, 2 * self.y + self.dy)


def _number(x: Ints, y: Ints) -> Ints:
    return (y << 24) + x
