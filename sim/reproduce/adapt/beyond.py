"""Beyond the paper: swaps against rebuilding from scratch, and against the best tree there is.

Three measures: the cost of the costliest path, as in the paper; and the time in which the last node
has a message of 1 KiB under LogGP, where a parent sends to its children one after another, with
links of 0.1 µs and of 10 µs a unit of distance. Paper ADAPT has no times. The first is a hop of the
preset ``infiniband``; the second, a hundred times that, is assumed, for links between sites. For
times, Path and Position are also tried on trees whose cost is the time itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.broadcast.completion import completion_ns
from syncfabric.models.broadcast.costs import MatrixCosts
from syncfabric.models.broadcast.layout import Layout
from syncfabric.models.broadcast.optimum import least_cost
from syncfabric.models.broadcast.start_up import StartUp
from syncfabric.models.broadcast.strategies import STRATEGIES, Strategy
from syncfabric.models.timing.loggp import INFINIBAND, LogGP
from syncfabric.sim.reproduce.adapt.networks import SlowLink
from syncfabric.sim.reproduce.adapt.panels import Panel, draw_panels
from syncfabric.sim.reproduce.adapt.swaps import NODES
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["FACTORS", "MEASURES", "SMALL", "optimum", "rebuild"]

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

Least = Callable[[LogGP | None, MatrixCosts, Layout], float]
"""What a measure is compared with: of costs, and of the tree rebuilt with them."""
Ratios = dict[tuple[str, str], NDArray[np.float64]]
"""Of each measure and label, of shape (factors, runs)."""


def rebuild(work: Work) -> None:
    """Against rebuilding a tree of 1024 nodes."""
    _compare(work, NODES, lambda machine, _, built: _measure(machine, built), "a rebuilt tree")


def optimum(work: Work) -> None:
    """Against the best tree of 16 nodes."""
    _compare(work, SMALL, lambda machine, costs, _: _least(machine, costs), "the best tree")


def _measure(machine: LogGP | None, layout: Layout) -> float:
    return layout.cost if machine is None else completion_ns(layout, machine, BYTES)


def _least(machine: LogGP | None, costs: MatrixCosts) -> float:
    if machine is None:
        return least_cost(costs, 0)
    nodes = np.arange(SMALL)
    links = costs.between(np.repeat(nodes, SMALL), np.tile(nodes, SMALL)) * machine.h
    times = MatrixCosts(links.reshape(SMALL, SMALL))
    return least_cost(times, 0, StartUp.under(machine, BYTES))


def _counted(machine: LogGP) -> StartUp:
    """Return the start-ups of a machine in units of distance."""
    start_up = StartUp.under(machine, BYTES)
    return StartUp(start_up.transfer / machine.h, start_up.interval / machine.h)


def _compare(work: Work, nodes: int, least: Least, best: str) -> None:
    """Measure every strategy, no swaps and a rebuilt tree over what ``least`` says."""
    over: Ratios = {}
    for run, seed in enumerate(work.seeds):
        link = SlowLink.draw(seed, nodes)
        counting = {
            words: link if machine is None else link.counting(_counted(machine))
            for words, machine in MEASURES.items()
        }
        for place, factor in enumerate(FACTORS):
            work.tell(f"topology {run + 1} of {work.runs}, factor {factor}")
            trees = _trees(link, factor)
            for words, machine in MEASURES.items():
                bound = least(machine, link.costs, trees[REBUILT])
                found = dict(trees)
                if machine is not None:
                    found |= _by_time(counting[words], factor)
                for label, tree in found.items():
                    ratios = over.setdefault((words, label), np.zeros((len(FACTORS), work.runs)))
                    ratios[place, run] = _measure(machine, tree) / bound
    means = {labels: ratios.mean(axis=1).tolist() for labels, ratios in over.items()}
    for (words, label), values in means.items():
        for factor, value in zip(FACTORS, values, strict=True):
            work.point(f"{words}, {label}", factor, value)
        work.claim(f"{words}, {label} over {best}, factor {FACTORS[-1]}", None, values[-1])
    panels = [
        Panel(
            f"{measure}, over {best}",
            {
                label: list(zip(FACTORS, values, strict=True))
                for (words, label), values in means.items()
                if words == measure
            },
        )
        for measure in MEASURES
    ]
    work.drawing = lambda: draw_panels(work.experiment, panels)


def _trees(link: SlowLink, factor: int) -> dict[str, Layout]:
    """Return the tree after each strategy, without any, and rebuilt."""
    raised = link.slow(factor)
    trees: dict[str, Layout] = {strategy: link.swap(strategy, raised)[0] for strategy in STRATEGIES}
    return trees | {NO_SWAPS: raised, REBUILT: link.rebuild()}


def _by_time(link: SlowLink, factor: int) -> dict[str, Layout]:
    """Return the tree after the strategies that look for the least time."""
    raised = link.slow(factor)
    return {f"{strategy} by time": link.swap(strategy, raised)[0] for strategy in BY_TIME}
