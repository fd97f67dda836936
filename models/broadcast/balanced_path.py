"""Balanced-Path: a binomial tree whose long paths get the near nodes.

Parents are served one slot at a time: the one with the most slots open comes first, of equals the
deeper, then the one that was placed earlier. It takes the nearest of the nodes left, the lowest
number of equals, into its slot with the largest subtree. Whose turn it is does not depend on costs.

Source: paper ADAPT, section 2; ties: SPEC section 4. Where the number of nodes is no power of two,
only positions that there are count as slots, and the one with the largest subtree is the one that
would have it in the whole tree, the highest. That is ours: the paper has whole trees only.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import heappop, heappush

import numpy as np

from syncfabric.models.broadcast.costs import Costs, Ints
from syncfabric.models.broadcast.layout import children, parent


def serving_order(size: int) -> Iterator[int]:
    """Yield the positions but the root in the order in which they are filled."""
    heap: list[tuple[int, int, int, int, list[int]]] = []

    def open_slots(x: int, depth: int, created: int) -> None:
        slots = list(children(x, size))
        if slots:
            heappush(heap, (-len(slots), -depth, created, x, slots))

    open_slots(0, 0, 0)
    for created in range(1, size):
        open_, depth, born, x, slots = heappop(heap)
        place = slots.pop()
        yield place
        if slots:
            heappush(heap, (open_ + 1, depth, born, x, slots))
        open_slots(place, 1 - depth, created)


def balanced_path(costs: Costs, nodes: Ints, root: int) -> Ints:
    """Return the node at each position.

    Parameters
    ----------
    costs : Costs
    nodes : int64, of shape (size)
        All nodes, each once.
    root : int
        One of them.

    Raises
    ------
    SpecError
        A cost function returned what is no cost.
    """
    at: Ints = np.full(len(nodes), root, dtype=np.int64)
    left = np.sort(nodes[nodes != root])
    for place in serving_order(len(nodes)):
        above = np.full(len(left), at[parent(place)])
        nearest = int(np.argmin(costs.between(above, left)))
        at[place] = left[nearest]
        left = np.delete(left, nearest)
    return at
