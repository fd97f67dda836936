"""Bounds by linear programs: their dual values are a certificate."""

from collections import Counter

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from syncfabric.models.collectives.certificate import Bound, Load, Relays, last_senders
from syncfabric.models.collectives.chunks.multiflow import SCALES, fewest, flow_prices
from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.task import Task

_FLOWS = 15_000
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
    if len(sources) * len(task.topology.channels) > _FLOWS:
        return None
    prices = flow_prices(task.topology, *flows(task))
    if prices is None or not prices.max() > 0:
        return None
    found: list[Bound] = []
    for scale in SCALES:
        tick()
        whole = (prices / prices.max() * scale).round().astype(int).tolist()
        ends = zip(task.topology.channels, whole, strict=True)
        weights = tuple((a, b, weight) for (a, b), weight in ends if weight)
        found.append(Bound.by(Load.of(task, weights, task.minimal)))
    # The simplest weights of those that prove the most.
    return max(found, key=lambda bound: bound.value)


def usable(task: Task, source: int) -> NDArray[np.bool_]:
    """Return which channels the paths from a sender may take."""
    tails, heads = task.topology.ends.T
    usable: NDArray[np.bool_] = heads != source
    if task.minimal:
        hops = task.topology.distances[source]
        usable &= hops[tails] + 1 == hops[heads]
    return usable


def flows(task: Task) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return what comes from each node to each vertex, and which channels it may take."""
    topology = task.topology
    wanted = np.zeros((topology.nodes, topology.vertices))
    ways = np.zeros((topology.nodes, len(topology.channels)), bool)
    for (source, target), times in Counter(task.collective.pairs).items():
        wanted[source, target] = times
    for source in task.collective.senders:
        ways[source] = usable(task, source)
    return wanted, ways


_MESSAGES = 20_000
"""Up to which it is looked for."""
_COLUMNS = 5_000
"""Of the linear program, up to which it is solved. Networks that look alike everywhere have more,
and gain nothing."""


def relay_bound(task: Task) -> Bound | None:
    """Return the set of nodes that must send most for what it can send in a step.

    Each message to a receiver comes from one of some nodes. That no node sends more in all steps
    than it can is a linear program: the least steps for which the messages can be shared out. The
    nodes with the highest prices are the set.

    Parameters
    ----------
    task : Task
        A broadcast, not a reversed one.

    Returns
    -------
    Bound or None
        None if transfers do not go hop by hop, or it would take too long.
    """
    if not task.hop_by_hop or not 0 < task.collective.demand <= _MESSAGES:
        return None
    shares = last_senders(task)
    if sum(map(len, shares)) > _COLUMNS:
        return None
    prices = _node_prices(shares, [task.copies(node) for node in range(task.topology.nodes)])
    found = []
    for least in sorted({price for price in prices if price > 0}):
        tick()
        side = tuple(node for node, price in enumerate(prices) if price >= least)
        found.append(Bound.by(Relays.of(task, side)))
    # Of those that prove the most, the one with the fewest nodes.
    return max(found, key=lambda bound: (bound.value, -len(bound.argument.vertices)), default=None)


def _node_prices(shares: Counter[frozenset[int]], each: list[int]) -> list[float]:
    """Return what the capacity of each node is worth in the linear program."""
    # A column is what a node sends of a share.
    sent = [(share, node) for share, nodes in enumerate(shares) for node in sorted(nodes)]
    share, node = np.array(sent).T
    columns, ones = np.arange(len(sent)), np.ones(len(sent))
    load = csr_array((ones, (node, columns)), shape=(len(each), len(sent)))
    kept = csr_array((ones, (share, columns)), shape=(len(shares), len(sent)))
    found = fewest(load, np.array(each), kept, np.array([*shares.values()]))
    return [] if found is None else found[1].round(9).tolist()
