"""What the barrier tree of paper BTM costs.

Members work their registers out alone, so nothing is sent to set it up (paper BTM, section 2.1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.btm import build_tree
from syncfabric.models.planning.tree import Tree
from syncfabric.models.schemes.scheme import Cost
from syncfabric.models.timing.btm import Timing, formula_ns

__all__ = ["cost", "tree_links"]


def cost(network: MeshSpec, members: Sequence[Node], times: Timing) -> Cost:
    """Return what barriers of these members cost; see ``Scheme.cost``."""
    tree = build_tree(members)
    return Cost(0, len(tree), tree.height, formula_ns(tree, times), 2 * tree_links(tree))


def tree_links(tree: Tree) -> int:
    """Count the links between each node of a tree and its parent, one way."""
    above = np.where(tree.parent < 0, np.arange(len(tree)), tree.parent)
    return int((np.abs(tree.x - tree.x[above]) + np.abs(tree.y - tree.y[above])).sum())
