"""The linear relaxation: messages as flows that may split, and its dual as a certificate."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from syncfabric.models.collectives.arguments import Load
from syncfabric.models.collectives.certificate import Bound
from syncfabric.models.collectives.clock import seconds_left, tick
from syncfabric.models.collectives.task import Task

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MOST", "load_bound"]

MOST = 15_000
"""Flows (senders times channels) up to which the relaxation is solved."""


def load_bound(task: Task) -> Bound | None:
    """Return the greatest load that no choice of paths avoids, with weights that prove it.

    The flow of each sender may split over its paths. The least possible load of the most loaded
    channel is a linear program; the prices of its channels, as whole numbers, are weights whose
    distance sum is exact again.

    Parameters
    ----------
    task : Task
        Not a broadcast, nor a reversed one.

    Returns
    -------
    Bound or None
        None where it would take too long.
    """
    sources = sorted({source for source, _ in task.collective.pairs})
    if len(sources) * len(task.topology.channels) > MOST:
        return None
    prices = _prices(task, sources)
    if prices is None or not prices.max() > 0:
        return None
    found: list[Bound] = []
    for scale in (1, 2, 3, 4, 5, 6, 8, 10, 12, 60, 1000, 1_000_000):
        weights = (prices / prices.max() * scale).round().astype(int).tolist()
        found.append(_bound(task, weights))
    # The simplest weights of those that prove the most.
    return max(found, key=lambda bound: bound.value)


def _bound(task: Task, weights: list[int]) -> Bound:
    ends = zip(task.topology.channels, weights, strict=True)
    said = tuple((a, b, weight) for (a, b), weight in ends if weight)
    total = _total(task, weights)
    return Bound(-(-total // sum(weights)), Load(said, total, task.minimal))


def _total(task: Task, weights: list[int]) -> int:
    """Return the sum over all messages of the weight of the lightest path."""
    import numpy as np

    topology = task.topology
    total = 0
    targets: dict[int, list[int]] = {}
    for source, target in task.collective.pairs:
        targets.setdefault(source, []).append(target)
    for source, wanted in targets.items():
        tick()
        cost = np.full(topology.vertices, np.iinfo(np.int64).max // 2)
        cost[source] = 0
        usable = _usable(task, source)
        tails, heads = topology.ends[usable].T
        weigh = np.array(weights)[usable]
        for _ in range(topology.vertices):
            before = cost.copy()
            np.minimum.at(cost, heads, cost[tails] + weigh)
            if (cost == before).all():
                break
        total += int(cost[wanted].sum())
    return total


def _usable(task: Task, source: int) -> NDArray[np.bool_]:
    """Return which channels the paths from a sender may take."""
    tails, heads = task.topology.ends.T
    usable: NDArray[np.bool_] = heads != source
    if task.minimal:
        hops = task.topology.distances[source]
        usable &= hops[tails] + 1 == hops[heads]
    return usable


def _prices(task: Task, sources: list[int]) -> NDArray[np.float64] | None:
    """Return the dual values of the channels' capacities."""
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    topology = task.topology
    wanted = Counter(task.collective.pairs)
    columns = 1  # column 0 is the number of steps
    load: list[Any] = []
    keep: list[Any] = []
    supply: list[float] = []
    for place, source in enumerate(sources):
        numbers = np.flatnonzero(_usable(task, source))
        tails, heads = topology.ends[numbers].T
        own = np.arange(columns, columns + len(numbers))
        row = place * topology.vertices
        load.append((numbers, own, np.ones(len(own))))
        keep += [(row + tails, own, -np.ones(len(own))), (row + heads, own, np.ones(len(own)))]
        due = np.zeros(topology.vertices)
        for target in range(topology.nodes):
            due[target] += wanted[source, target]
        due[source] = -due.sum()
        supply += due.tolist()
        columns += len(numbers)
    channels = len(topology.channels)
    load.append((np.arange(channels), np.zeros(channels, dtype=int), -np.ones(channels)))

    def sparse(parts: list[Any], rows: int) -> Any:
        row, column, value = (np.concatenate([part[i] for part in parts]) for i in range(3))
        return coo_array((value, (row, column)), shape=(rows, columns)).tocsr()

    cost = np.zeros(columns)
    cost[0] = 1
    result = linprog(
        cost,
        A_ub=sparse(load, channels),
        b_ub=np.zeros(channels),
        A_eq=sparse(keep, len(supply)),
        b_eq=np.array(supply),
        method="highs",
        options={"time_limit": seconds_left()},
    )
    tick()
    if result.status != 0:
        return None
    prices: NDArray[np.float64] = np.maximum(-result.ineqlin.marginals, 0)
    return prices
