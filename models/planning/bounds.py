"""The most cycles that a barrier of one group alone on an idle network may take."""

from __future__ import annotations

import numpy as np

from syncfabric.models.networks.spec import IrregularSpec, MeshSpec
from syncfabric.models.planning.meeting import waits
from syncfabric.models.planning.switch_tree import SwitchTree
from syncfabric.models.planning.tree import Ints, Tree, path_sums

__all__ = ["bound_cycles", "bound_links", "irregular_bound_cycles", "there_and_back"]


def bound_cycles(tree: Tree, network: MeshSpec) -> int:
    """Return the bound from the last arrival to the last release on a mesh.

    ``2 L + 2 h node_cycles + 2``, L the longest path in hops and h the height: one way up the
    tree and one down, the root's cycle and the release's; with ``barrier_unit = "serial"`` a cycle
    more, in which the last arrival is chosen. It holds for trees whose messages cannot
    meet (see ``meeting``), as all planners' are. To this is added what waiting may make the way up
    longer than the longest without, a sum over the members on it of

    - where a node combines one arrival a cycle (``takes_one``), the arrivals less one, of each
      child and, unless it is a relay, its own;
    - with ``reduction_route = "paper"``, the waits for other messages (``meeting.waits``).

    Parameters
    ----------
    tree : Tree
        As a planner made it.
    network : MeshSpec
        The mesh it is for.
    """
    bound = there_and_back(tree.longest_path + network.node_cycles * tree.height, network)
    delays = _delays(tree, network)
    if delays is None:
        return bound
    way = tree.hops + network.node_cycles * tree.depth
    return bound + int((way + tree.path_sums(delays)).max() - way.max())


def there_and_back(way: int, network: MeshSpec) -> int:
    """Return the cycles of a barrier of which a way takes ``way``, nodes on it included."""
    return 2 * way + 2 + (network.barrier_unit == "serial")


def _delays(tree: Tree, network: MeshSpec) -> Ints | None:
    """Return the cycles that the way up may lose at each member and on its way to its parent."""
    if not network.takes_one and network.reduction_route == "reverse":
        return None
    arrivals = np.zeros(len(tree), dtype=np.int64)
    if network.takes_one:
        arrivals = np.count_nonzero(tree.children >= 0, axis=1).astype(np.int64)
        arrivals[len(tree) - tree.relays :] -= 1
    if network.reduction_route == "reverse":
        return arrivals
    return arrivals + waits(tree, np.where(tree.parent >= 0, arrivals[tree.parent], 0))


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
