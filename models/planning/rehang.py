"""Local improvement of a tree: the worst paths are hung elsewhere, one subtree at a time."""

from __future__ import annotations

import numpy as np

from syncfabric.models.planning.tree import Ints, Tree

__all__ = ["rehang"]

MOVES = 400


def rehang(tree: Tree, pipeline: int) -> Tree:
    """Move subtrees on the worst path to free ports nearer the root, while that helps.

    A move takes a member on the way to one of the worst, with all below it, to another member
    with a free port that faces it. Of all such moves the one that lowers its own cost most is made;
    it ends when the worst member and all above it have none.

    Parameters
    ----------
    tree : Tree
        Where to start.
    pipeline : int
        Cycles a tree node costs.

    Returns
    -------
    Tree
        A tree whose greatest hops + pipeline * depth is no greater.
    """
    x, y = tree.x, tree.y
    parent, port = tree.parent.copy(), tree.port.copy()
    cost = tree.hops + pipeline * tree.depth
    for _ in range(MOVES):
        worst = int(cost.argmax())
        move = _best_move(x, y, parent, port, cost, worst, pipeline)
        if move is None:
            break
        head, above, side = move
        below = _below(parent, head)
        parent[head], port[head] = above, side
        distance = abs(int(x[head] - x[above])) + abs(int(y[head] - y[above]))
        cost[below] += int(cost[above]) + distance + pipeline - int(cost[head])
    return Tree(x, y, parent, port)


def _best_move(
    x: Ints, y: Ints, parent: Ints, port: Ints, cost: Ints, worst: int, pipeline: int
) -> tuple[int, int, int] | None:
    """Return the (member, new parent, port) that shortens the way to ``worst`` most."""
    taken = np.zeros((len(x), 4), dtype=bool)
    hung = parent >= 0
    taken[parent[hung], port[hung]] = True
    best, gain, head = None, 0, worst
    while parent[head] >= 0:
        dx, dy = x[head] - x, y[head] - y
        new = cost + np.abs(dx) + np.abs(dy) + pipeline
        faces = np.stack([dx > 0, dy > 0, dx < 0, dy < 0], axis=1) & ~taken
        fits = faces.any(axis=1) & (new < cost[head] - gain)
        if fits.any():
            fits[_below(parent, head)] = False
        if fits.any():
            above = int(np.where(fits, new, new.max() + 1).argmin())
            gain = int(cost[head] - new[above])
            best = head, above, int(faces[above].argmax())
        head = int(parent[head])
    return best


def _below(parent: Ints, head: int) -> Ints:
    """Return the positions of a member and of all below it."""
    inside = np.zeros(len(parent), dtype=bool)
    inside[head] = True
    count = 0
    while count != (count := int(inside.sum())):
        inside |= (parent >= 0) & inside[parent]
    return np.flatnonzero(inside)
