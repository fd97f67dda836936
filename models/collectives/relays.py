"""Who can make the last hop of a broadcast's messages: a bound where some nodes hardly can.

On a mesh a corner is on few shortest paths. What it cannot pass on the others must.
"""

from __future__ import annotations

from collections import Counter

from syncfabric.models.collectives.arguments import Relays
from syncfabric.models.collectives.certificate import Bound
from syncfabric.models.collectives.clock import seconds_left, tick
from syncfabric.models.collectives.task import Task

__all__ = ["relay_bound"]

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
    shares = _shares(task)
    if sum(map(len, shares)) > _COLUMNS:
        return None
    each = [_sent(task, node) for node in range(task.topology.nodes)]
    prices = _prices(shares, each)
    found: list[Relays] = []
    for least in sorted({price for price in prices if price > 0}):
        side = tuple(node for node, price in enumerate(prices) if price >= least)
        messages = sum(many for nodes, many in shares.items() if nodes <= set(side))
        found.append(Relays(side, messages, sum(each[node] for node in side)))
    if not found:
        return None
    # Of those that prove the most, the one with the fewest nodes.
    said = max(found, key=lambda said: (_steps(said), -len(said.side)))
    return Bound(_steps(said), said)


def _steps(said: Relays) -> int:
    return -(-said.messages // said.each)


def _shares(task: Task) -> Counter[frozenset[int]]:
    """Return how many messages have their last hop from one of the same nodes."""
    topology, hops = task.topology, task.topology.distances.tolist()
    return Counter(
        frozenset(
            near
            for near in topology.sources[target]
            if hops[origin][near] < hops[origin][target] + task.extra
        )
        for origin, target in task.collective.pairs
    )


def _sent(task: Task, node: int) -> int:
    """Return to how many nodes a node can send in a step."""
    channels = len(task.topology.successors[node])
    return channels if task.rules.single_use else task.rules.at_most(channels)


def _prices(shares: Counter[frozenset[int]], each: list[int]) -> list[float]:
    """Return what the capacity of each node is worth in the linear program."""
    import numpy as np
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    # Column 0 is the number of steps, the others what a node sends of a share.
    sent = [(share, node) for share, nodes in enumerate(shares) for node in sorted(nodes)]
    share, node = np.array(sent).T
    columns = np.arange(1, len(sent) + 1)
    ones = np.ones(len(sent))
    load = coo_array(
        (
            np.concatenate([ones, -np.array(each, dtype=float)]),
            (
                np.concatenate([node, np.arange(len(each))]),
                np.concatenate([columns, np.zeros(len(each), dtype=int)]),
            ),
        ),
        shape=(len(each), len(sent) + 1),
    )
    whole = coo_array((ones, (share, columns)), shape=(len(shares), len(sent) + 1))
    result = linprog(
        np.eye(1, len(sent) + 1)[0],
        A_ub=load.tocsr(),
        b_ub=np.zeros(len(each)),
        A_eq=whole.tocsr(),
        b_eq=np.array(list(shares.values()), dtype=float),
        method="highs",
        options={"time_limit": seconds_left()},
    )
    tick()
    if result.status != 0:
        return []
    prices: list[float] = np.maximum(-result.ineqlin.marginals, 0).round(9).tolist()
    return prices
