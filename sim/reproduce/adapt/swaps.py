"""Figs. 7 and 8: gain, steps and benefit of the four strategies.

1024 nodes, distances from 1 to 10 hops, and the factor is added to one link of the tree. A topology
and its link are the same at all factors. Paper ADAPT, section 5.1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.broadcast.strategies import STRATEGIES, Strategy
from syncfabric.sim.reproduce.adapt.networks import SlowLink
from syncfabric.sim.reproduce.experiment import Work

__all__ = ["FACTORS", "NODES", "gains", "steps", "topology"]

NODES = 1024
FACTORS = (5, 10, 15, 20, 25, 30, 35, 40)

TINY = 1e-9
"""In place of no steps, with which there is no gain either."""

Means = dict[Strategy, NDArray[np.float64]]
"""Of each strategy, of shape (factors)."""


def gains(work: Work) -> None:
    """Fig. 7, mean gain: (increased cost - new cost) / increased cost."""
    gain, _ = _means(work)
    _add_curves(work, "", gain)
    highest = max(float(values[-1]) for values in gain.values())
    work.point("highest gain, paper", FACTORS[-1], 0.8)
    work.claim("highest mean gain at factor 40, %", 80, 100 * highest)
    path = gain["path"]
    work.confirm("the gain grows with the factor", bool((np.diff(path) > 0).all()))
    least = [min(STRATEGIES, key=lambda s: float(gain[s][k])) for k in range(len(FACTORS))]
    _claim_of_one(work, "Family gains least, at all factors", "family", least)
    last = {strategy: float(gain[strategy][-1]) for strategy in STRATEGIES}
    for strategy, value in last.items():
        work.claim(f"mean gain of {strategy} at factor 40, %", None, 100 * value)


def steps(work: Work) -> None:
    """Fig. 8, mean steps, and benefit: mean gain / mean steps."""
    gain, step = _means(work)
    benefit = {strategy: gain[strategy] / np.maximum(step[strategy], TINY) for strategy in gain}
    for name, means in (("steps", step), ("benefit", benefit)):
        _add_curves(work, f"{name} of ", means)
    many = all(
        (step[slow] > step[fast]).all()
        for slow in ("leaf", "position")
        for fast in ("family", "path")
    )
    work.confirm("Leaf and Position take more steps, at all factors", many)
    best = [max(STRATEGIES, key=lambda s: float(benefit[s][k])) for k in range(len(FACTORS))]
    _claim_of_one(work, "Path has the greatest benefit, at all factors", "path", best)
    for strategy in STRATEGIES:
        work.claim(f"mean steps of {strategy} at factor 40", None, float(step[strategy][-1]))
        value = float(benefit[strategy][-1])
        work.claim(f"benefit of {strategy} at factor 40", None, value)


def _claim_of_one(work: Work, claim: str, one: Strategy, found: list[Strategy]) -> None:
    """Claim that it is the same strategy at all factors, and note those where it is another."""
    pairs = zip(FACTORS, found, strict=True)
    others = [f"{strategy} at {factor}" for factor, strategy in pairs if strategy != one]
    holds, partly = not others, len(others) < len(found)
    work.confirm(claim, holds, ", ".join(others), partly=partly)


def _means(work: Work) -> tuple[Means, Means]:
    """Return mean gains and mean steps."""
    jobs = [(seed, NODES) for seed in work.seeds]
    found = np.mean(list(work.map(topology, jobs)), axis=0)
    gain, step = ({s: found[k, :, place] for place, s in enumerate(STRATEGIES)} for k in range(2))
    return gain, step


def topology(seed: int, nodes: int) -> tuple[list[list[float]], list[list[int]]]:
    """Return gains and steps on one topology, by factor and strategy.

    Parameters
    ----------
    seed : int
        Of the topology and its link.
    nodes : int
    """
    link = SlowLink.draw(seed, nodes)
    gain, step = [], []
    for factor in FACTORS:
        raised = link.slow(factor)
        swapped = [link.swap(strategy, raised) for strategy in STRATEGIES]
        gain.append([(raised.cost - after.cost) / raised.cost for after, _ in swapped])
        step.append([found.steps for _, found in swapped])
    return gain, step


def _add_curves(work: Work, prefix: str, means: Means) -> None:
    for strategy in STRATEGIES:
        work.curve(prefix + strategy, zip(FACTORS, means[strategy].tolist(), strict=True))
