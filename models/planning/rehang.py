"""Local improvement of a tree: the worst paths are hung elsewhere, one subtree at a time."""

from __future__ import annotations

import numpy as np

from syncfabric.models.planning.meeting import can_meet
from syncfabric.models.planning.tree import Ints, Tree

__all__ = ["rehang"]

MOVES = 400
TRIES = 16
"""Moves that are looked at before a tree is left as it is."""

Move = tuple[int, int, int]


def rehang(tree: Tree, pipeline: int) -> Tree:
    """Move subtrees on the worst path to free ports nearer the root, while that helps.

    A move takes a member on the way to one of the worst, with all below it, to another member
    with a free port that faces it. Of the moves that lower its own cost most the first is made
    after which messages still cannot meet; it ends when the worst member and all above it have
    none.

    Parameters
    ----------
    tree : Tree
        Where to start; its messages cannot meet.
    pipeline : int
        Cycles a tree node costs.

    Returns
    -------
    Tree
        A tree whose greatest hops + pipeline * depth is no greater, and whose messages cannot meet.
    """
    for _ in range(MOVES):
        moved = (_moved(tree, move) for move in _best_moves(tree, pipeline))
        better = next((found for found in moved if not can_meet(found)), None)
        if better is None:
            break
        tree = better
    return tree


def _moved(tree: Tree, move: Move) -> Tree:
    head, above, side = move
    parent, port = tree.parent.copy(), tree.port.copy()
    parent[head], port[head] = above, side
    return Tree(tree.x, tree.y, parent, port)


def _best_moves(tree: Tree, pipeline: int) -> list[Move]:
    """Return (member, new parent, port) for the moves that shorten the way to the worst most."""
    cost = tree.hops + pipeline * tree.depth
    taken = tree.children >= 0
    moves: list[tuple[int, Move]] = []
    head = int(cost.argmax())
    while tree.parent[head] >= 0:
        dx, dy = tree.x[head] - tree.x, tree.y[head] - tree.y
        gain = cost[head] - (cost + np.abs(dx) + np.abs(dy) + pipeline)
        fits = np.stack([dx > 0, dy > 0, dx < 0, dy < 0], axis=1) & ~taken
        fits[gain <= 0] = False
        fits[_below(tree.parent, head)] = False
        above, side = np.nonzero(fits)
        for best in np.argsort(-gain[above], kind="stable")[:TRIES].tolist():
            moves.append((int(gain[above[best]]), (head, int(above[best]), int(side[best]))))
        head = int(tree.parent[head])
    moves.sort(key=lambda move: -move[0])
    return [move for _, move in moves[:TRIES]]


def _below(parent: Ints, head: int) -> Ints:
    """Return the positions of a member and of all below it."""
    inside = np.zeros(len(parent), dtype=bool)
    inside[head] = True
    count = 0
    while count != (count := int(inside.sum())):
        inside |= (parent >= 0) & inside[parent]
    return np.flatnonzero(inside)
