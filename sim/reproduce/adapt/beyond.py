"""Beyond the paper: swaps against rebuilding from scratch, and against the best tree there is.

Three measures: the cost of the costliest path, as in the paper; and the time in which the last node
has a message of 1 KiB under LogGP, where a parent sends to its children one after another, with
links of 0.1 µs and of 10 µs a unit of distance. Paper ADAPT has no times. The first is a hop of the
preset ``infiniband``; the second, a hundred times that, is assumed, for links between sites. For
times, Path and Position are also tried on trees whose cost is the time itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import numpy as np

from syncfabric.models.broadcast.completion import completion_ns
from syncfabric.models.broadcast.costs import MatrixCosts
from syncfabric.models.broadcast.layout import Layout
from syncfabric.models.broadcast.optimum import least_cost
from syncfabric.models.broadcast.start_up import StartUp
from syncfabric.models.broadcast.strategies import STRATEGIES, Strategy
from syncfabric.models.timing.loggp import INFINIBAND, LogGP
from syncfabric.sim.reproduce.adapt.experiments import MEASURES as NAMES
from syncfabric.sim.reproduce.adapt.networks import SlowLink
from syncfabric.sim.reproduce.adapt.swaps import NODES
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["FACTORS", "MEASURES", "SMALL", "optimum", "ratios", "rebuild"]

BYTES = 1024
SMALL = 16
FACTORS = (10, 20, 40)

NO_SWAPS = "no swaps"
REBUILT = "rebuilt"
"""By Balanced-Path, with the costs as they are then."""
BY_TIME: tuple[Strategy, ...] = ("path", "position")
"""Strategies that are tried with start-ups counted, too, where there are some."""

MACHINES = (None, INFINIBAND, replace(INFINIBAND, h=10_000))
MEASURES: dict[str, LogGP | None] = dict(zip(NAMES, MACHINES, strict=True))

Best = Literal["a rebuilt tree", "the best tree"]
"""What the others are compared with."""
Ratios = dict[str, dict[str, list[float]]]
"""By measure, label and factor."""


def rebuild(work: Work) -> None:
    """Against rebuilding a tree of 1024 nodes."""
    _compare(work, NODES, "a rebuilt tree")


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
