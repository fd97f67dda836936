"""The compiled part of a tree: heights, and what trials would make of them.

The height of a position is the cost of the costliest path from it down to a leaf, so that of the
root is the cost of the tree. A move at a position changes heights on its way to the root only: at
most log2 N positions with log2 N children, in place of the costs of up to N / 2 leaves that paper
ADAPT recomputes.

Arrays of all functions: ``at`` (int64, the node at each position), ``edge`` (float64, the cost of
the link from each position to its parent; of the root unused), ``height`` (float64). Only the first
``size`` places count. ``start_up`` is what a message takes besides its link, and the time from one
message of a node to its next one. A move puts node ``one`` at position ``p`` and node ``other`` at
position ``q``; with p = q it is the same node.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from syncfabric.models.broadcast.costs import Floats, Ints
from syncfabric.models.compiled import compiled, inlined

Links: TypeAlias = tuple[Ints, Ints, Ints, Ints]
StartUpTimes: TypeAlias = tuple[float, float]

MOST = 160
"""Links that a move touches, or positions of two ways to the root, of fewer than 2 to the 63."""


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
def _climb(
    edge: Floats, height: Floats, size: int, start_up: StartUpTimes, p: int, q: int, old: Floats
) -> None:
    """Renew the heights from ``p`` and ``q`` to the root, and keep the old ones in their order."""
    count = 0
    while True:
        x = max(p, q)
        old[count] = height[x]
        count += 1
        height[x] = _height(edge, height, size, start_up, x)
        if x == 0:
            return
        if p == x:
            p &= p - 1
        if q == x:
            q &= q - 1


@compiled
def _return(height: Floats, p: int, q: int, old: Floats) -> None:
    """Put the old heights back."""
    count = 0
    while True:
        x = max(p, q)
        height[x] = old[count]
        count += 1
        if x == 0:
            return
        if p == x:
            p &= p - 1
        if q == x:
            q &= q - 1


@compiled
def longest_way(edge: Floats, height: Floats, size: int, start_up: StartUpTimes, x: int) -> Ints:
    """Return the positions on the costliest path down, of equal ones that with the higher one."""
    way, count = np.empty(MOST, np.int64), 0
    while True:
        step, reach = 1, _reach(x, size)
        while step < reach and x + step < size:
            step *= 2
        if step == 1:
            return way[:count].copy()
        most, start, below = -1.0, 0.0, x
        while step > 1:
            step //= 2
            cost = start + edge[x + step] + height[x + step]
            if cost > most:
                most, below = cost, x + step
            start += start_up[1]
        x = below
        way[count] = x
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
    _climb(edge, height, size, start_up, p, q, np.empty(MOST))


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
    old_edge, old_height = np.empty(MOST), np.empty(MOST)
    for k in range(len(p)):
        begin, end = first[k], first[k + 1]
        for link in range(begin, end):
            old_edge[link - begin] = edge[place[link]]
            edge[place[link]] = value[link]
        _climb(edge, height, size, start_up, p[k], q[k], old_height)
        if height[0] < best:
            best, found = height[0], k
        # Backwards: a link between p and q stands there twice.
        for link in range(end - 1, begin - 1, -1):
            edge[place[link]] = old_edge[link - begin]
        _return(height, p[k], q[k], old_height)
        if best <= goal:
            return k + 1, found, best
    return len(p), found, best
