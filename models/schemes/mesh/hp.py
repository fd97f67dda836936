"""What worms along a Hamiltonian path cost.

Source: Table 1 of paper BTM, on HP-based multidestination worms. Reading: rows are walked to and
fro (the labels of Lin, McKinley and Ni, dual-path); the members' first and last of that path each
send a worm through all members between to the root, and the root's worms go back the same ways. A
worm takes shortest ways between members that follow each other. It looks a register up at each, so
its time is that of paper BTM's formula. Its header grows by an address a member: this is left out,
in its favour. The root sends every member its part of the path when the group is set up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.btm import local_root
from syncfabric.models.planning.tree import coordinates
from syncfabric.models.schemes.scheme import Cost
from syncfabric.models.timing.btm import Timing, way_ns

__all__ = ["START_UPS", "cost"]

START_UPS = 2
"""One after the other in a barrier: one for the reduction, one for the distribution."""


def cost(network: MeshSpec, members: Sequence[Node], times: Timing) -> Cost:
    """Return what barriers of these members cost; see ``Scheme.cost``."""
    x, y = coordinates(members)
    order = np.lexsort((np.where(y % 2, -x, x), y))
    x, y = x[order], y[order]
    links = np.abs(np.diff(x)) + np.abs(np.diff(y))
    root_x, root_y = local_root(members)
    root = int(np.flatnonzero((x == root_x) & (y == root_y))[0])
    hops = [links[:root].sum(), links[root:].sum()]
    latency = 2 * way_ns(hops, [root, len(x) - 1 - root], times)
    return Cost(len(x) - 1, len(x), START_UPS, latency, 2 * int(links.sum()))
