"""Nodes at the positions of a binomial tree, and the tree's cost, kept up to date.

Position 0 is the root, and the parent of x is x with its lowest bit cleared. A tree of n nodes has
the positions 0 to n - 1, whether n is a power of two or not. The subtree of x is a run of
positions, from x on (paper ADAPT, sections 2 and 4.1).

The cost is that of the costliest path from the root to a leaf (paper ADAPT, section 3). With costs
of start-up, which are ours, it is the time in which the last node has the message. A layout knows
no strategy: it carries out moves, and returns what trials would cost.

The height of a position is the cost of the costliest path from it down to a leaf, so that of the
root is the cost of the tree. A move at a position changes heights on the path to the root only: at
most log2 N positions with log2 N children, in place of the costs of up to N / 2 leaves that paper
ADAPT recomputes.

Arrays of all functions: ``at`` (int64, the node at each position), ``edge`` (float64, the cost of
the link from each position to its parent; of the root unused), ``height`` (float64). Only the first
``size`` places count. ``start_up`` is what a message takes besides its link, and the time from one
message of a node to its next one. A move puts node ``one`` at position ``p`` and node ``other`` at
position ``q``; with p = q it is the same node.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np

from syncfabric.models.broadcast.costs import Costs, Floats, Ints
from syncfabric.models.broadcast.start_up import NO_START_UP, StartUp
from syncfabric.models.compiled import compiled, inlined

Links: TypeAlias = tuple[Ints, Ints, Ints, Ints]
StartUpTimes: TypeAlias = tuple[float, float]

MOST = 160
"""Links that a move touches, or positions of two paths to the root, of fewer than 2 to the 63."""


@inlined
def _reach(x: int, size: int) -> int:
    """Return the positions at and below ``x``, those beyond the last one among them."""
    return x & -x if x else size


@compiled
def _height(edge: Floats, height: Floats, size: int, start_up: StartUpTimes, x: int) -> float:
    """Return the height of ``x`` from those of its children, which hear from it downwards."""
    step, reach = 1, _reach(x, size)
    while step < reach and x + step < size:
        step *= 2
    most, (start, interval) = 0.0, start_up
    while step > 1:
        step //= 2
        most = max(most, start + edge[x + step] + height[x + step])
        start += interval
    return most


@compiled
def build_heights(edge: Floats, height: Floats, size: int, start_up: StartUpTimes) -> None:
    """Fill in all heights."""
    for x in range(size - 1, -1, -1):
        height[x] = _height(edge, height, size, start_up, x)


@compiled
def _upwards(p: int, q: int, path: Ints) -> int:
    """List the positions from ``p`` and ``q`` up to the root, each once; return how many."""
    count = 0
    while True:
        x = max(p, q)
        path[count] = x
        count += 1
        if x == 0:
            return count
        if p == x:
            p &= p - 1
        if q == x:
            q &= q - 1


@compiled
def _climb(
    edge: Floats, height: Floats, size: int, start_up: StartUpTimes, path: Ints, old: Floats
) -> None:
    """Renew the heights on a path to the root, and keep the old ones in their order."""
    for k in range(len(path)):
        old[k] = height[path[k]]
        height[path[k]] = _height(edge, height, size, start_up, path[k])


@compiled
def longest_path(edge: Floats, height: Floats, size: int, start_up: StartUpTimes, x: int) -> Ints:
    """Return the positions on the costliest path down, of equal ones that with the higher one."""
    path, count = np.empty(MOST, np.int64), 0
    while True:
        step, reach = 1, _reach(x, size)
        while step < reach and x + step < size:
            step *= 2
        if step == 1:
            return path[:count].copy()
        most, start, below = -1.0, 0.0, x
        while step > 1:
            step //= 2
            cost = start + edge[x + step] + height[x + step]
            if cost > most:
                most, below = cost, x + step
            start += start_up[1]
        x = below
        path[count] = x
        count += 1


@compiled
def links_of(at: Ints, size: int, p: Ints, q: Ints, one: Ints, other: Ints) -> Links:
    """Return the links that moves touch, with the nodes that they would join.

    Returns
    -------
    tuple of int64 arrays
        ``first``, of shape (moves + 1): the links of move k are those from ``first[k]`` on. Of each
        link: the position below it, and the nodes at its ends.
    """
    first = np.zeros(len(p) + 1, np.int64)
    place = np.empty(len(p) * MOST, np.int64)
    count = 0
    for k in range(len(p)):
        for twice in range(2 if p[k] != q[k] else 1):
            x = q[k] if twice else p[k]
            if x:
                place[count] = x
                count += 1
            step, reach = 1, _reach(x, size)
            while step < reach and x + step < size:
                place[count] = x + step
                count += 1
                step *= 2
        first[k + 1] = count
    below, above_nodes = np.empty(count, np.int64), np.empty(count, np.int64)
    for k in range(len(p)):
        for link in range(first[k], first[k + 1]):
            x = place[link]
            above = x & (x - 1)
            below[link] = one[k] if x == p[k] else other[k] if x == q[k] else at[x]
            above_nodes[link] = (
                one[k] if above == p[k] else other[k] if above == q[k] else at[above]
            )
    return first, place[:count].copy(), below, above_nodes


@compiled
def carry_out(
    edge: Floats,
    height: Floats,
    size: int,
    start_up: StartUpTimes,
    p: int,
    q: int,
    place: Ints,
    value: Floats,
) -> None:
    """Give links their costs, those at ``place`` the ones in ``value``, after a move at p and q."""
    for link in range(len(place)):
        edge[place[link]] = value[link]
    path = np.empty(MOST, np.int64)
    count = _upwards(p, q, path)
    _climb(edge, height, size, start_up, path[:count], np.empty(MOST))


@compiled
def try_moves(
    edge: Floats,
    height: Floats,
    size: int,
    start_up: StartUpTimes,
    p: Ints,
    q: Ints,
    first: Ints,
    place: Ints,
    value: Floats,
    best: float,
    goal: float,
) -> tuple[int, int, float]:
    """Try moves one after the other, each from the same tree, until one meets the goal.

    Parameters
    ----------
    best : float
        Only moves to a lower cost count; of equal ones the first.
    goal : float
        The cost that ends the trials.

    Returns
    -------
    tuple of int, int, float
        Moves tried; the best one, or -1; the best cost.
    """
    found = -1
    path, old_edge, old_height = np.empty(MOST, np.int64), np.empty(MOST), np.empty(MOST)
    for k in range(len(p)):
        begin, end = first[k], first[k + 1]
        for link in range(begin, end):
            old_edge[link - begin] = edge[place[link]]
            edge[place[link]] = value[link]
        count = _upwards(p[k], q[k], path)
        _climb(edge, height, size, start_up, path[:count], old_height)
        if height[0] < best:
            best, found = height[0], k
        # Backwards: a link between p and q stands there twice.
        for link in range(end - 1, begin - 1, -1):
            edge[place[link]] = old_edge[link - begin]
        for up in range(count):
            height[path[up]] = old_height[up]
        if best <= goal:
            return k + 1, found, best
    return len(p), found, best


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
        """Return the cost of the path from the root to position ``x``, start-ups included."""
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

    def longest_path(self, x: int) -> tuple[int, ...]:
        """Return the positions below ``x`` on the costliest path down to a leaf.

        Of equal ones that with the higher position.
        """
        path = longest_path(self._edge, self._height, self.size, self._start_up, x)
        return tuple(path.tolist())

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
        tried, found, cost = try_moves(*tree, p, q, first, place, value, best, float(goal))
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
