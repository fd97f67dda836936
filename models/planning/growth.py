"""Growing a tree of short paths from a given root, every subtree of a level at once.

Like ``btm`` it parts the members below a node into four, one for each port, and makes one of each
part its root. Unlike it, the parting may differ from node to node, and a part's root lies only as
far back from the node as a target for the greatest cost allows.

Every part is a rectangle of the plane, open or not, that holds the ways to its own members but for
their first link. So the ways of two members neither of which is above the other lie in different
parts, and their messages cannot meet (see ``meeting``).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from syncfabric.models.networks.mesh import Port
from syncfabric.models.planning.segments import Segments, quadrants
from syncfabric.models.planning.tree import Ints, Tree

__all__ = ["far", "grow", "least_heights"]


def _mirrored(dx: Ints, dy: Ints) -> Ints:
    """Quadrants that turn the other way: +X holds dx > 0, dy <= 0."""
    return quadrants(dy, dx) ^ 1


def _columns(dx: Ints, dy: Ints) -> Ints:
    """The column of the centre to +Y and -Y, all beside it to +X and -X."""
    return np.where(dx != 0, np.where(dx > 0, 0, 2), np.where(dy > 0, 1, 3))


def _rows(dx: Ints, dy: Ints) -> Ints:
    """The row of the centre to +X and -X, all beside it to +Y and -Y."""
    return _columns(dy, dx) ^ 1


PARTINGS: tuple[Callable[[Ints, Ints], Ints], ...] = (quadrants, _mirrored, _columns, _rows)


def least_heights(sizes: Ints) -> Ints:
    """Return the least height in edges of a tree of each size with four children a node."""
    limits = np.cumsum(4 ** np.arange(16, dtype=np.int64))
    heights: Ints = np.searchsorted(limits, sizes)
    return heights


def far(x: Ints, y: Ints, runs: Segments) -> Ints:
    """Return the hops from every place to the farthest of its run."""
    s, d = x + y, x - y
    back = np.maximum(runs.spread(runs.max(s)) - s, s - runs.spread(runs.min(s)))
    across = np.maximum(runs.spread(runs.max(d)) - d, d - runs.spread(runs.min(d)))
    farthest: Ints = np.maximum(back, across)
    return farthest


def grow(x: Ints, y: Ints, root: int, pipeline: int, target: int) -> Tree:
    """Grow a tree from ``root`` whose greatest hops + pipeline * depth is near ``target``.

    Parameters
    ----------
    x, y : array of int64, shape (n,)
        The members.
    root : int
        Position of the root among them.
    pipeline : int
        Cycles a tree node costs.
    target : int
        What the greatest cost should come to; it may come out above.
    """
    n = len(x)
    parent = np.full(n, -1, dtype=np.int64)
    port = np.full(n, int(Port.LOCAL), dtype=np.int64)
    cost = np.zeros(n, dtype=np.int64)
    rest = np.delete(np.arange(n), root)
    owner = np.full(n - 1, root, dtype=np.int64)
    while len(rest):
        side = _best_parting(x, y, rest, owner, cost, pipeline, target)
        keys = owner * 4 + side
        order = np.argsort(keys)
        rest, keys = rest[order], keys[order]
        owner = keys // 4
        runs = Segments.of(keys)
        chosen, _ = _choose(x, y, rest, owner, cost, runs, pipeline, target)
        heads, above = rest[chosen], owner[chosen]
        parent[heads], port[heads] = above, keys[chosen] % 4
        cost[heads] = cost[above] + _distance(x, y, heads, above) + pipeline
        owner = runs.spread(heads)
        others = np.ones(len(rest), dtype=bool)
        others[chosen] = False
        rest, owner = rest[others], owner[others]
    return Tree(x, y, parent, port)


def _distance(x: Ints, y: Ints, a: Ints, b: Ints) -> Ints:
    distance: Ints = np.abs(x[a] - x[b]) + np.abs(y[a] - y[b])
    return distance


def _best_parting(
    x: Ints, y: Ints, rest: Ints, owner: Ints, cost: Ints, pipeline: int, target: int
) -> Ints:
    """Return each member's port by the parting that promises its owner the least cost."""
    dx, dy = x[rest] - x[owner], y[rest] - y[owner]
    best_side, best = None, None
    for parting in PARTINGS:
        side = parting(dx, dy)
        keys = owner * 4 + side
        order = np.argsort(keys)
        runs = Segments.of(keys[order])
        chosen, estimate = _choose(x, y, rest[order], owner[order], cost, runs, pipeline, target)
        promise = np.zeros(len(x), dtype=np.int64)
        np.maximum.at(promise, owner[order][chosen], estimate)
        mine = promise[owner]
        if best is None or best_side is None:
            best_side, best = side, mine
        else:
            best_side = np.where(mine < best, side, best_side)
            best = np.minimum(mine, best)
    assert best_side is not None
    return best_side


def _choose(
    x: Ints,
    y: Ints,
    rest: Ints,
    owner: Ints,
    cost: Ints,
    runs: Segments,
    pipeline: int,
    target: int,
) -> tuple[Ints, Ints]:
    """Return the place of each run's root, and the cost expected below it.

    Among the members that keep the run's farthest within the target, the one nearest the run's
    centroid; without any, the one that exceeds it least.
    """
    px, py = x[rest], y[rest]
    reach = cost[owner] + _distance(x, y, rest, owner) + pipeline
    below = far(px, py, runs) + pipeline * runs.spread(least_heights(runs.lengths))
    estimate = reach + below
    n = runs.spread(runs.lengths)
    dx, dy = n * px - runs.spread(runs.sum(px)), n * py - runs.spread(runs.sum(py))
    excess = np.maximum(estimate - target, 0)
    chosen = runs.first_least(excess, dx * dx + dy * dy, -px, -py)
    return chosen, estimate[chosen]
