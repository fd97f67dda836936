"""Paper ADAPT's example: its eight tables, and the figures that go with them."""

from __future__ import annotations

import numpy as np

from syncfabric.models.broadcast.tree import Policy, Tree
from syncfabric.sim.experiments.frame import Work, experiment

TABLE_5 = (
    (0, 2, 2, 0, 3, 3, 0, 0, 4),
    (2, 0, 0, 2, 5, 5, 2, 2, 2),
    (2, 0, 0, 2, 5, 5, 2, 2, 5),
    (0, 2, 2, 0, 3, 3, 0, 0, 0),
    (3, 5, 5, 3, 0, 0, 3, 3, 0),
    (3, 5, 5, 3, 0, 0, 3, 3, 4),
    (0, 2, 2, 0, 3, 3, 0, 0, 4),
    (0, 2, 2, 0, 3, 3, 0, 0, 3),
    (4, 2, 5, 0, 0, 4, 4, 3, 0),
)
"""Hops between nodes 0 to 8."""
TABLE_1 = tuple(row[:8] for row in TABLE_5[:8])
"""Hops between nodes 0 to 7."""
FIG_1 = (0, 5, 7, 4, 3, 2, 6, 1)
"""The nodes of Fig. 1 left, by position."""


@experiment(
    "adapt-tables",
    "the example of the paper: tree, swaps, a join and a leave, with the cost of each path",
    "paper ADAPT, Tables 1 to 8",
)
def tables(work: Work) -> None:
    """Build the tree of Fig. 1, and do to it what the text does."""
    hops = np.array(TABLE_5)
    work.confirm("Table 1: the same both ways", bool((hops == hops.T).all()), by_formula=True)
    tree = Tree(TABLE_1)
    _nodes(work, "Table 1: nodes of the tree by position (Fig. 1)", FIG_1, tree)
    _paths(work, "Table 2: the tree", "5: 3, 4: 3, 2: 2, 1: 2", tree)
    tree.layout.swap(FIG_1.index(5), FIG_1.index(6))
    _paths(
        work, "Table 3: 5 and 6 swapped", "6: 0, 4: 3, 2: 2, 1: 8", Tree(TABLE_1, order=tree.nodes)
    )
    joining = dict(enumerate(TABLE_5[8][:8]))
    tree = Tree(TABLE_1, policy=Policy(join=None))
    tree.join(joining)
    _paths(work, "Table 4: 8 joins", "5: 3, 4: 3, 2: 2, 1: 2, 8: 4", tree)
    known = Tree(TABLE_5, nodes=range(8))
    same = known.join(node=8) == (change := Tree(TABLE_1).join(joining))
    work.confirm("Table 5: its matrix and a row of 8 give the same swap", same)
    work.claim("swaps of Position that are tried for 8", 2, change.steps)
    _paths(work, "Table 6: 8 swapped by Position", "5: 3, 4: 3, 2: 2, 1: 2, 6: 0", known)
    tree = Tree(TABLE_1, policy=Policy(leave=None))
    tree.leave(7)
    _paths(work, "Table 7: 7 leaves", "5: 3, 4: 7, 2: 2, 6: 0", tree)
    tree = Tree(TABLE_1)
    change = tree.leave(7)
    work.confirm("Path finds no swap then", change.swapped is None)
    tree.layout.swap(tree.position(1), tree.position(4))
    work.claim("cost with 1 and 4 swapped (Fig. 6)", 8, tree.cost)
    tree = Tree(TABLE_1, policy=Policy(leave="position"))
    tree.leave(7)
    _paths(work, "Table 8: 1 swapped by Position", "1: 2, 4: 3, 2: 2, 6: 0", tree)


def _nodes(work: Work, what: str, paper: tuple[int, ...], tree: Tree) -> None:
    work.claim(what, " ".join(map(str, paper)), " ".join(map(str, tree.nodes)))


def _paths(work: Work, what: str, paper: str, tree: Tree) -> None:
    """Claim the cost of the path to each leaf."""
    found = ", ".join(f"{leaf}: {cost:g}" for leaf, cost in tree.paths().items())
    work.claim(f"{what}: leaf and cost of its path", paper, found)
