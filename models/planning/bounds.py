"""The most cycles that a barrier of one group alone on an idle mesh may take."""

from __future__ import annotations

import numpy as np

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.meeting import waits
from syncfabric.models.planning.tree import Ints, Tree

__all__ = ["bound_cycles"]


def bound_cycles(tree: Tree, network: MeshSpec) -> int:
    """Return the bound from the last arrival to the last release.

    ``2 L + 2 + 2 h barrier_pipeline``, L the longest path in hops and h the height: one way up the
    tree and one down, the root's cycle and the release's. It holds for trees whose messages cannot
    meet (see ``meeting``), as all planners' are. To this is added what waiting may make the way up
    longer than the longest without, a sum over the members on it of

    - with ``operations = "all"``, the arrivals less one: a node combines one a cycle, of each
      child and its own;
    - with ``reduction_route = "paper"``, the waits for other messages (``meeting.waits``).

    Parameters
    ----------
    tree : Tree
        As a planner made it.
    network : MeshSpec
        The mesh it is for.
    """
    pipeline = network.barrier_pipeline
    bound = 2 * tree.longest_path + 2 + 2 * tree.height * pipeline
    delays = _delays(tree, network)
    if delays is None:
        return bound
    way = tree.hops + pipeline * tree.depth
    return bound + int((way + tree.path_sums(delays)).max() - way.max())


def _delays(tree: Tree, network: MeshSpec) -> Ints | None:
    """Return the cycles that the way up may lose at each member and on its way to its parent."""
    if network.operations == "bitwise" and network.reduction_route == "reverse":
        return None
    arrivals = np.zeros(len(tree), dtype=np.int64)
    if network.operations == "all":
        arrivals = np.count_nonzero(tree.children >= 0, axis=1).astype(np.int64)
    if network.reduction_route == "reverse":
        return arrivals
    return arrivals + waits(tree, np.where(tree.parent >= 0, arrivals[tree.parent], 0))
