"""What a barrier of single messages costs: the root hears and tells every member by itself.

Source: paper BTM, section 1 (messages from the root to each member). Reading: all members send to
the root at once, which takes the messages one after the other, t_rm each; then it sends to one
member after the other, the farthest first, each with a start-up of its own. Each message takes the
time of paper BTM's formula with a register at its ends alone.
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

__all__ = ["cost"]


def cost(network: MeshSpec, members: Sequence[Node], times: Timing) -> Cost:
    """Return what barriers of these members cost; see ``Scheme.cost``."""
    x, y = coordinates(members)
    root_x, root_y = local_root(members)
    distances = -np.sort(-(np.abs(x - root_x) + np.abs(y - root_y)))[:-1]
    count = len(distances)
    if not count:
        return Cost(0, 1, 0, 2 * way_ns(0, 0, times), 0)
    gathered = way_ns(distances, 1, times) + (count - 1) * times.t_rm
    told = max(
        start * times.t_s + way_ns(distance, 1, times) for start, distance in enumerate(distances)
    )
    return Cost(0, count + 1, 1 + count, gathered + told, 2 * int(distances.sum()))
