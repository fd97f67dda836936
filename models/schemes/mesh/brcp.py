"""What worms cost that conform to the base routing, X-Y.

Source: Table 1 of paper BTM, on BRCP-based worms (Panda, HPCA 1995): three start-ups for the
reduction of any set of members, three for its distribution, two each for a complete mesh. Reading:

1. in each row the member nearest to the root's column leads; the outermost members on either side
   of it send a worm through the others to it;
2. of the leaders in one column that nearest to the root's row is the head, likewise;
3. each head sends a message to the root, X first, which takes them one after the other, t_rm each.

A step begins when the one before is over everywhere; one that has no message takes no time. The
distribution is the same backwards. Times and headers are as in ``hp``, and so is the set-up.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.btm import local_root
from syncfabric.models.planning.tree import Ints, coordinates
from syncfabric.models.schemes.scheme import Cost
from syncfabric.models.timing.btm import Timing, way_ns

__all__ = ["cost"]


def cost(network: MeshSpec, members: Sequence[Node], times: Timing) -> Cost:
    """Return what barriers of these members cost; see ``Scheme.cost``."""
    x, y = coordinates(members)
    root_x, root_y = local_root(members)
    leaders, row_hops, row_stops = _worms(y, x, root_x)
    x, y = x[leaders], y[leaders]
    heads, column_hops, column_stops = _worms(x, y, root_y)
    last = np.abs(x[heads] - root_x) + np.abs(y[heads] - root_y)
    last = last[last > 0]
    steps = [
        way_ns(row_hops, row_stops, times) if row_hops.any() else 0.0,
        way_ns(column_hops, column_stops, times) if column_hops.any() else 0.0,
        way_ns(last, 1, times) + (len(last) - 1) * times.t_rm if len(last) else 0.0,
    ]
    # A member alone still hears of its own barrier.
    latency = sum(steps) or way_ns(0, 0, times)
    taken = sum(step > 0 for step in steps)
    links = int(row_hops.sum() + column_hops.sum() + last.sum())
    count = len(members)
    return Cost(count - 1, count, 2 * taken, 2 * latency, 2 * links)


def _worms(lines: Ints, places: Ints, centre: int) -> tuple[Ints, Ints, Ints]:
    """Gather on each line at the node nearest to a centre.

    Parameters
    ----------
    lines, places : array of int64, shape (n,)
        The line of each node, and where it is on it.
    centre : int
        A place on all lines.

    Returns
    -------
    array of int64, shape (lines,)
        Which node gathers; of two equally near the one at the greater place.
    array of int64, shape (2 * lines,)
        Links of the worms that come to it from below and from above.
    array of int64, shape (2 * lines,)
        Nodes that they visit, the one that gathers included.
    """
    order = np.lexsort((-places, np.abs(places - centre), lines))
    _, first, counts = np.unique(lines[order], return_index=True, return_counts=True)
    gathers = order[first]
    _, line = np.unique(lines, return_inverse=True)
    centres = places[gathers]
    away = places - centres[line]
    below, above = np.zeros(len(counts), np.int64), np.zeros(len(counts), np.int64)
    np.maximum.at(below, line, -away)
    np.maximum.at(above, line, away)
    beyond = np.bincount(line[away > 0], minlength=len(counts))
    before = counts - 1 - beyond
    return gathers, np.concatenate([below, above]), np.concatenate([before, beyond])
