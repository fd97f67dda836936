"""Planner ``btin``: the barrier tree for irregular networks, of least height.

Source: paper BTIN, section 3.1. Readings where the paper is open: the parent of a switch is the
lowest-numbered switch of the level above; nonmember leaves go before trees are compared; among
trees of equal height, edges and leaves that of the lowest-numbered root switch is taken; of
parallel links that with the parent's lowest port.
"""

from __future__ import annotations

import numpy as np

from syncfabric.models.planning.centre import least_eccentric, shapes
from syncfabric.models.planning.graph import LinkGraph
from syncfabric.models.planning.port_tree import PortTree
from syncfabric.models.planning.tree import Ints

__all__ = ["build_tree", "root_switch"]


def build_tree(graph: LinkGraph, members: Ints) -> PortTree:
    """Build the tree of a group.

    Parameters
    ----------
    graph : LinkGraph
    members : array of int64
        The member switches, ascending, each once.
    """
    parents, _ = graph.spanning(root_switch(graph, members))
    return PortTree.pruned(graph, parents, members)


def root_switch(graph: LinkGraph, members: Ints) -> int:
    """Return the member switch whose tree is best, as this module's head says.

    A tree's leaves are members, so its height is the root's distance to the farthest member: only
    the trees of the least eccentric members are built and compared.
    """
    nearest, _ = least_eccentric(graph, members, members)
    edges, leaves = shapes(graph, nearest, members)
    return int(nearest[np.lexsort((nearest, leaves, edges))[0]])
