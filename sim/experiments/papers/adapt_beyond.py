"""Beyond paper ADAPT: swaps against rebuilding and the best tree; a tree of a million nodes."""

from __future__ import annotations

import time
from dataclasses import replace
from statistics import median, quantiles
from typing import Literal

import numpy as np

from syncfabric.models.broadcast.costs import Floats, Ints, MatrixCosts
from syncfabric.models.broadcast.layout import Layout
from syncfabric.models.broadcast.optimum import completion_ns, least_cost
from syncfabric.models.broadcast.start_up import StartUp
from syncfabric.models.broadcast.strategies import STRATEGIES, Strategy
from syncfabric.models.broadcast.tree import Tree
from syncfabric.models.timing.loggp import INFINIBAND, LogGP
from syncfabric.sim.experiments.frame import Axes, Work, experiment
from syncfabric.sim.experiments.papers.adapt import FACTOR, NODES, SlowLink

__all__ = ["FACTORS", "MEASURES", "SMALL", "ratios"]

BYTES = 1024
SMALL = 16
FACTORS = (10, 20, 40)

NO_SWAPS = "no swaps"
REBUILT = "rebuilt"
"""By Balanced-Path, with the costs as they are then."""
BY_TIME: tuple[Strategy, ...] = ("path", "position")
"""Strategies that are tried with start-ups counted, too, where there are some."""

MEASURES: dict[str, LogGP | None] = {
    "path cost": None,
    "time at 0.1 µs a unit": INFINIBAND,
    "time at 10 µs a unit": replace(INFINIBAND, h=10_000),
}
"""The cost of the costliest path, as in the paper; and the time in which the last node has a
message of 1 KiB under LogGP, where a parent sends to its children one after another, with links of
0.1 µs and of 10 µs a unit of distance. Paper ADAPT has no times. The first is a hop of the preset
``infiniband``; the second, a hundred times that, is assumed, for links between sites. For times,
Path and Position are also tried on trees whose cost is the time itself."""

Best = Literal["a rebuilt tree", "the best tree"]
"""What the others are compared with."""
Ratios = dict[str, dict[str, list[float]]]
"""By measure, label and factor."""


def _axes(words: str) -> tuple[Axes, ...]:
    """Return axes for each measure, in the unit of what it is compared with."""
    return tuple(Axes(FACTOR, f"{name}, {words}", prefix=f"{name}, ") for name in MEASURES)


@experiment(
    "adapt-rebuild",
    "swaps against rebuilding the tree, in path cost and in time under LogGP",
    "beyond paper ADAPT",
    runs=100,
    axes=_axes("over a rebuilt tree"),
    caption="Not in the paper.",
)
def rebuild(work: Work) -> None:
    """Against rebuilding a tree of 1024 nodes."""
    _compare(work, NODES, "a rebuilt tree")


@experiment(
    "adapt-optimum",
    "swaps and rebuilding against the best tree of 16 nodes, in path cost and under LogGP",
    "beyond paper ADAPT",
    runs=100,
    axes=_axes("over the best tree"),
    caption="Not in the paper.",
)
def optimum(work: Work) -> None:
    """Against the best tree of 16 nodes."""
    _compare(work, SMALL, "the best tree")


def _measure(machine: LogGP | None, layout: Layout) -> float:
    return layout.cost if machine is None else completion_ns(layout, machine, BYTES)


def _least(machine: LogGP | None, costs: MatrixCosts, size: int) -> float:
    if machine is None:
        return least_cost(costs, 0)
    nodes = np.arange(size)
    links = costs.between(np.repeat(nodes, size), np.tile(nodes, size)) * machine.h
    times = MatrixCosts(links.reshape(size, size))
    return least_cost(times, 0, StartUp.under(machine, BYTES))


def _counted(machine: LogGP) -> StartUp:
    """Return the start-ups of a machine in units of distance."""
    start_up = StartUp.under(machine, BYTES)
    return StartUp(start_up.transfer / machine.h, start_up.interval / machine.h)


def _compare(work: Work, nodes: int, best: Best) -> None:
    """Measure every strategy, no swaps and a rebuilt tree over what is best."""
    found = list(work.map(ratios, [(seed, nodes, best) for seed in work.seeds]))
    for words in MEASURES:
        for label in found[0][words]:
            means = np.mean([one[words][label] for one in found], axis=0).tolist()
            for factor, value in zip(FACTORS, means, strict=True):
                work.point(f"{words}, {label}", factor, value)
            work.claim(f"{words}, {label} over {best}, factor {FACTORS[-1]}", None, means[-1])


def ratios(seed: int, nodes: int, best: Best) -> Ratios:
    """Return every strategy's tree, that without swaps and the rebuilt one over what is best.

    Parameters
    ----------
    seed : int
        Of the topology and its link.
    nodes : int
    best : str
        What they are compared with.
    """
    link = SlowLink.draw(seed, nodes)
    counting = {
        words: link if machine is None else link.counting(_counted(machine))
        for words, machine in MEASURES.items()
    }
    over: Ratios = {words: {} for words in MEASURES}
    for factor in FACTORS:
        trees = _trees(link, factor)
        for words, machine in MEASURES.items():
            if best == "the best tree":
                bound = _least(machine, link.costs, nodes)
            else:
                bound = _measure(machine, trees[REBUILT])
            found = dict(trees)
            if machine is not None:
                found |= _by_time(counting[words], factor)
            for label, tree in found.items():
                over[words].setdefault(label, []).append(_measure(machine, tree) / bound)
    return over


def _trees(link: SlowLink, factor: int) -> dict[str, Layout]:
    """Return the tree after each strategy, without any, and rebuilt."""
    raised = link.slow(factor)
    trees: dict[str, Layout] = {strategy: link.swap(strategy, raised)[0] for strategy in STRATEGIES}
    return trees | {NO_SWAPS: raised, REBUILT: link.rebuild()}


def _by_time(link: SlowLink, factor: int) -> dict[str, Layout]:
    """Return the tree after the strategies that look for the least time."""
    raised = link.slow(factor)
    return {f"{strategy} by time": link.swap(strategy, raised)[0] for strategy in BY_TIME}


MILLION = 1_000_000
SLOWER = 1_000
WARM = 50
"""Events that are not counted."""


@experiment(
    "adapt-million",
    "processor time of an event and its swap by Path on a tree of a million nodes",
    "beyond paper ADAPT",
    runs=1000,
    caption="Not in the paper.",
)
def million(work: Work) -> None:
    """Time ``runs`` events, by processor time; each makes a link of the costliest path slower.

    A matrix of so many costs would take 8 TB. A node's costs come from where it lies in a plane,
    and the tree keeps only those that have changed.
    """
    work.tell("building the tree")
    dice = np.random.default_rng(work.seed)
    places = 1_000 * dice.random((MILLION, 2))

    def away(one: Ints, other: Ints) -> Floats:
        found: Floats = np.hypot(*(places[one] - places[other]).T)
        return found

    tree = Tree(away, order=range(MILLION))
    times, steps, swaps = [], [], 0
    for number in range(WARM + work.runs):
        work.tell(f"event {number + 1} of {WARM + work.runs}")
        way = tree.layout.longest_way(0)
        # The first link has the root above it, and with only two no node can be swapped.
        x = way[int(dice.integers(1, len(way)))]
        node = int(tree.layout.at[x])
        parent = int(tree.layout.at[x & (x - 1)])
        cost = tree.layout.link(x) + SLOWER * (number + 1)
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
