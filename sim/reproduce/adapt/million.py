"""A tree of a million nodes: what an event costs with its swap.

A matrix of so many costs would take 8 TB. A node's costs come from where it lies in a plane, and
the tree keeps only those that have changed. Each event makes a link of the costliest path slower.
"""

from __future__ import annotations

import time
from statistics import median, quantiles

import numpy as np

from syncfabric.models.broadcast.costs import Floats, Ints
from syncfabric.models.broadcast.tree import Tree
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["NODES", "million"]

NODES = 1_000_000
FACTOR = 1_000
WARM = 50
"""Events that are not counted."""


def million(work: Work) -> None:
    """Time ``runs`` events, by processor time."""
    work.tell("building the tree")
    dice = np.random.default_rng(work.seed)
    places = 1_000 * dice.random((NODES, 2))

    def away(one: Ints, other: Ints) -> Floats:
        found: Floats = np.hypot(*(places[one] - places[other]).T)
        return found

    tree = Tree(away, order=range(NODES))
    times, steps, swaps = [], [], 0
    for number in range(WARM + work.runs):
        work.tell(f"event {number + 1} of {WARM + work.runs}")
        way = tree.layout.longest_way(0)
        # The first link has the root above it, and with only two no node can be swapped.
        x = way[int(dice.integers(1, len(way)))]
        node = int(tree.layout.at[x])
        parent = int(tree.layout.at[x & (x - 1)])
        cost = tree.layout.link(x) + FACTOR * (number + 1)
        begin = time.process_time()
        change = tree.update_cost(node, parent, cost)
        seconds = time.process_time() - begin
        if number >= WARM:
            times.append(1e3 * seconds)
            steps.append(change.steps)
            swaps += change.swapped is not None
    work.claim("median time of an event, ms", None, median(times))
    if len(times) > 1:
        work.claim("time that 99 % of them keep, ms", None, quantiles(times, n=100)[-1])
    work.claim("mean swaps tried", None, sum(steps) / len(steps))
    work.claim("events that ended with a swap, %", None, 100 * swaps / len(times))
