"""What the CS tree costs.

Every router on the way has a register, so t_rm is paid at each (paper BTM, section 4.1), and a node
that is no member is told by a message of its own when the group is set up (Table 1).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.cs import build_tree
from syncfabric.models.planning.tree import Tree
from syncfabric.models.schemes.scheme import Cost
from syncfabric.models.timing.btm import Timing, formula_ns

__all__ = ["cost", "members_height"]


def cost(network: MeshSpec, members: Sequence[Node], times: Timing) -> Cost:
    """Return what barriers of these members cost; see ``Scheme.cost``."""
    tree = build_tree(members)
    latency = formula_ns(tree, times)
    return Cost(tree.relays, len(tree), tree.height, latency, 2 * (len(tree) - 1))


def members_height(tree: Tree) -> int:
    """Return the height counted in members alone, as paper BTM's Fig. 4 does."""
    is_member = (np.arange(len(tree)) < len(tree) - tree.relays).astype(np.int64)
    return int(tree.path_sums(is_member).max()) - 1
