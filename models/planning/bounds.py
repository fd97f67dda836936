"""The most cycles that a barrier of one group alone on an idle network may take."""

from __future__ import annotations

import numpy as np

from syncfabric.models.networks.spec import IrregularSpec, MeshSpec
from syncfabric.models.planning.switch_tree import SwitchTree
from syncfabric.models.planning.tree import Ints, Tree, path_sums

__all__ = ["bound_cycles", "bound_links", "irregular_bound_cycles", "there_and_back"]


def bound_cycles(tree: Tree, network: MeshSpec) -> int:
    """Return the bound from the last arrival to the last release on a mesh.

    ``2 L + 2 h node_cycles + 2``, L the longest path in hops and h the height: one way up the
    tree and one down, the root's cycle and the release's. It holds for trees whose messages cannot
    meet (see ``meeting``), as all planners' are. To this is added what waiting may make the
    way up longer than the longest without: where a node combines one arrival a cycle
    (``takes_one``), children's messages may come together, and if j of them are ready in one
    cycle, the last is combined j - 1 cycles later.

    Parameters
    ----------
    tree : Tree
        As a planner made it.
    network : MeshSpec
        The mesh it is for.
    """
    bound = there_and_back(tree.longest_path + network.node_cycles * tree.height)
    if not network.takes_one:
        return bound
    way = tree.hops + network.node_cycles * tree.depth
    return bound + _latest(tree, way) - int(way.max())


def there_and_back(way: int) -> int:
    """Return the cycles of a barrier of which a way takes ``way``, its nodes included."""
    return 2 * way + 2


def _latest(tree: Tree, way: Ints) -> int:
    """Return how long after the last arrival the root may have all, waits included.

    Level by level from the leaves, as late as can be: whoever arrives decides how many messages of
    children come together, but none can come later than its own latest. A member's own arrival is
    there before any message that could be the last.
    """
    above = np.where(tree.parent >= 0, tree.parent, tree.root_position)
    edge = way - way[above]
    late = np.arange(4)
    ready = np.zeros(len(tree) + 1, dtype=np.int64)  # the last place stands for no child
    order = np.argsort(-tree.depth, kind="stable")
    levels = np.flatnonzero(np.diff(tree.depth[order])) + 1
    for nodes in np.split(order, levels):
        children = tree.children[nodes]
        times = np.where(children >= 0, ready[children] + edge[children], np.iinfo(np.int32).min)
        ready[nodes] = (late - np.sort(-times, axis=1)).max(axis=1).clip(min=0)
    return int(ready[tree.root_position])


def bound_links(tree: SwitchTree) -> int:
    """Return the links from the root switch to the farthest member's node."""
    return tree.height + 1


def irregular_bound_cycles(tree: SwitchTree, nodes: Ints, network: IrregularSpec) -> int:
    """Return the bound from the last arrival to the last release on an irregular network.

    ``2 L c + 2``, L the links from the root switch to the farthest member and c the cycles a hop;
    with ``turnaround = "node"`` the root node's link comes to L. With ``operations = "all"`` a
    switch combines one arrival a cycle, and the bound is longer by what that adds to the longest
    way up: at each switch on it, its arrivals less one. A group of one is released locally.

    Parameters
    ----------
    tree : SwitchTree
        As a planner made it.
    nodes : array of int64, shape (n, 2)
        The members, as rows of switch and port.
    network : IrregularSpec
        The network it is for.
    """
    if len(nodes) == 1:
        return 2
    cycles, at_node = network.cycles_per_hop, network.turnaround == "node"
    bound = 2 * (bound_links(tree) + at_node) * cycles + 2
    if network.operations == "bitwise":
        return bound
    waits = np.bincount(tree.positions(nodes[:, 0]), minlength=len(tree)) + tree.child_count - 1
    waits[tree.root_position] -= at_node
    ways = cycles * tree.depth + path_sums(tree.parent, waits)
    return bound + int(ways.max()) - cycles * tree.height
