"""Nodes at the positions of a binomial tree, and the tree's cost, kept up to date.

Position 0 is the root, and the parent of x is x with its lowest bit cleared. A tree of n nodes has
the positions 0 to n - 1, whether n is a power of two or not. The subtree of x is a run of
positions, from x on (paper ADAPT, sections 2 and 4.1).

The cost is that of the costliest path from the root to a leaf (paper ADAPT, section 3). With costs
of start-up, which are ours, it is the time in which the last node has the message. A layout knows
no strategy: it carries out moves, and tells what trials would cost.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from syncfabric.models.broadcast.costs import Costs, Floats, Ints
from syncfabric.models.broadcast.kernel import (
    build_heights,
    carry_out,
    links_of,
    longest_way,
    try_moves,
)
from syncfabric.models.broadcast.start_up import NO_START_UP, StartUp


def parent(x: int) -> int:
    """Return the position above ``x``, which is not 0."""
    return x & (x - 1)


def subtree(x: int, size: int) -> range:
    """Return the positions at and below ``x`` in a tree of ``size`` nodes."""
    return range(x, min(x + (x & -x), size) if x else size)


def children(x: int, size: int) -> tuple[int, ...]:
    """Return the positions right below ``x``, ascending, in a tree of ``size`` nodes."""
    below = subtree(x, size)
    return tuple(x + (1 << k) for k in range((len(below) - 1).bit_length()))


def ancestors(x: int) -> tuple[int, ...]:
    """Return the positions above ``x`` from its parent to the root."""
    above = []
    while x:
        x = parent(x)
        above.append(x)
    return tuple(above)


def leaves(x: int, size: int) -> tuple[int, ...]:
    """Return the leaves at and below ``x``, ascending: those whose path a move at ``x`` changes.

    They are the odd positions, and the last one.
    """
    below = subtree(x, size)
    last = size - 1
    odd = tuple(range(below.start | 1, below.stop, 2))
    return (*odd, last) if last in below and last % 2 == 0 else odd


NO_GOAL = -1.0
"""Below any cost: all moves are tried."""


class Layout:
    """A binomial tree of nodes.

    Parameters
    ----------
    costs : Costs
        Asked for links of the tree, and of trials; never changed.
    order : iterable of int
        The node at each position; one or more, each once.
    start_up : StartUp
        By default none, as in the paper.

    Raises
    ------
    SpecError
        A cost function returned what is no cost; so do all methods that ask for costs, before they
        change anything.
    """

    def __init__(self, costs: Costs, order: Iterable[int], start_up: StartUp = NO_START_UP) -> None:
        self.costs = costs
        self._start_up = float(start_up.transfer), float(start_up.interval)
        self.at: Ints = np.array(list(order), dtype=np.int64)
        """The node at each position; beyond ``size`` nothing is meant."""
        self.size = len(self.at)
        self._edge = np.zeros(self.size)
        self._height = np.zeros(self.size)
        below = np.arange(1, self.size)
        self._edge[1:] = self.costs.between(self.at[below & (below - 1)], self.at[below])
        build_heights(self._edge, self._height, self.size, self._start_up)

    def copy(self) -> Layout:
        """Return another one, with the same costs."""
        twin = object.__new__(Layout)
        twin.costs, twin.size, twin._start_up = self.costs, self.size, self._start_up
        twin.at, twin._edge, twin._height = self.at.copy(), self._edge.copy(), self._height.copy()
        return twin

    @property
    def cost(self) -> float:
        """Of the costliest path from the root to a leaf."""
        return float(self._height[0])

    def link(self, x: int) -> float:
        """Return the cost of the link from position ``x``, which is not 0, to its parent."""
        return float(self._edge[x])

    def path(self, x: int) -> float:
        """Return the cost of the way from the root to position ``x``, start-ups included."""
        cost, (transfer, interval) = 0.0, self._start_up
        while x:
            above = parent(x)
            sent = sum(y > x for y in children(above, self.size))
            cost += self._edge[x] + transfer + sent * interval
            x = above
        return float(cost)

    def leaves(self) -> tuple[int, ...]:
        """Return the positions of all leaves, ascending."""
        return leaves(0, self.size)

    def longest_way(self, x: int) -> tuple[int, ...]:
        """Return the positions below ``x`` on the costliest path down to a leaf.

        Of equal ones that with the higher position.
        """
        way = longest_way(self._edge, self._height, self.size, self._start_up, x)
        return tuple(way.tolist())

    def try_swaps(self, p: Ints, q: Ints, best: float, goal: float) -> tuple[int, int, float]:
        """Try swaps of positions ``p[k]`` and ``q[k]``, each from the tree as it is.

        Returns
        -------
        tuple of int, int, float
            Swaps tried, up to the first that costs no more than ``goal``; the first of the
            cheapest, or -1 if none costs less than ``best``; its cost, or ``best``.
        """
        return self.try_moves(p, q, self.at[q], self.at[p], best, goal)

    def try_moves(
        self, p: Ints, q: Ints, one: Ints, other: Ints, best: float, goal: float
    ) -> tuple[int, int, float]:
        """Try to put node ``one[k]`` at position ``p[k]`` and ``other[k]`` at ``q[k]``.

        As ``try_swaps``, but the nodes may come from anywhere.
        """
        first, place, below, above = links_of(self.at, self.size, p, q, one, other)
        value = self.costs.between(above, below)
        tree = self._edge, self._height, self.size, self._start_up
        tried, found, cost = try_moves(*tree, p, q, first, place, value, best, goal)
        return int(tried), int(found), float(cost)

    def swap(self, p: int, q: int) -> None:
        """Let the nodes of two positions change places."""
        self.put(p, q, int(self.at[q]), int(self.at[p]))

    def put(self, p: int, q: int, one: int, other: int) -> None:
        """Put node ``one`` at position ``p`` and ``other`` at ``q``."""
        moves = (np.array([number], dtype=np.int64) for number in (p, q, one, other))
        _, place, below, above = links_of(self.at, self.size, *moves)
        value = self.costs.between(above, below)
        self.at[p], self.at[q] = one, other
        self._carry_out(p, q, place, value)

    def elect(self, last: int) -> int:
        """Put a child of the root in its place, and the last node into the child's.

        It is the child with which the tree is cheapest, of equal ones that at the lowest position.
        Ours: the paper never lets the root leave. To be called when the last position is dropped.

        Parameters
        ----------
        last : int
            The node that stood there; it may be a child of the root, too.

        Returns
        -------
        int
            The child's old position; 0 if it is the last node.
        """
        places = [x for x in children(0, self.size + 1) if x < self.size]
        moves = [(0, x, int(self.at[x]), last) for x in places]
        if parent(self.size) == 0:
            moves.append((0, 0, last, last))
        p, q, one, other = np.array(moves, dtype=np.int64).T.copy()
        _, best, _ = self.try_moves(p, q, one, other, float("inf"), NO_GOAL)
        self.put(*moves[best])
        return int(q[best])

    def price(self, x: int, cost: float) -> None:
        """Take a new cost of the link from position ``x`` to its parent."""
        place, value = np.array([x], dtype=np.int64), np.array([cost])
        above = parent(x)
        self._carry_out(above, above, place, value)

    def append(self, node: int) -> None:
        """Let a node join at the next position."""
        if self.size == len(self.at):
            self.at = np.concatenate([self.at, np.zeros_like(self.at)])
            self._edge = np.concatenate([self._edge, np.zeros(self.size)])
            self._height = np.concatenate([self._height, np.zeros(self.size)])
        self.size += 1
        try:
            self.put(self.size - 1, self.size - 1, node, node)
        except Exception:
            self.size -= 1
            raise

    def drop(self) -> int:
        """Take the last position away, not the root's, and return the node that stood there."""
        self.size -= 1
        self._renew(parent(self.size))
        return int(self.at[self.size])

    def undrop(self) -> None:
        """Take back the last ``drop``, nothing else having been done since."""
        self.size += 1
        self._renew(parent(self.size - 1))

    def _renew(self, x: int) -> None:
        """Work out heights anew from position ``x`` up."""
        none, nothing = np.empty(0, dtype=np.int64), np.empty(0)
        self._carry_out(x, x, none, nothing)

    def _carry_out(self, p: int, q: int, place: Ints, value: Floats) -> None:
        """Give the links at ``place`` their costs, and renew heights from ``p`` and ``q`` up."""
        carry_out(self._edge, self._height, self.size, self._start_up, p, q, place, value)
