"""An island's chains: annealed in turn, with exchanges, while the temperature falls."""

from __future__ import annotations

from typing import Any

import numpy as np

from syncfabric.models.collectives.annealing.anneal import anneal
from syncfabric.models.collectives.annealing.cross import exchange
from syncfabric.models.compiled import compiled

__all__ = ["evolve"]


@compiled
def _chances(accept: Any, heat: Any) -> Any:
    """Set the chance of a move that adds so many conflicts."""
    for d in range(len(accept)):
        accept[d] = np.exp(-d / heat)


@compiled
def evolve(
    tables: Any,
    steps: Any,
    state: Any,
    costs: Any,
    clock: Any,
    counts: Any,
    plan: Any,
    seeds: Any,
    told: Any,
    moves: Any,
) -> Any:
    """Anneal all chains for so many moves each, with exchanges; stop at a conflict-free one.

    Parameters
    ----------
    state : tuple of arrays of shape (chains + 2, any)
        Options, steps, uses, holders, shares, children; see ``Island``.
    costs : int64, of shape (chains)
    clock : float64, of shape (2)
        The temperature, and the chance that a child is mutated.
    counts : int64, of shape (3)
        Moves left at this temperature, moves left to the exchange, and moves at a temperature.
    plan : tuple
        Cooling, final temperature, temperature of a restart, moves between exchanges.
    told : int64, of shape (2)
        Evaluations, and the least conflicts so far.
    """
    option, step, count, holder, shared, kids = state
    cooling, final, again, interval = plan
    chains = len(costs)
    accept = np.empty(32)
    _chances(accept, clock[0])
    sent = (option[:chains].copy(), step[:chains].copy())
    while moves > 0 and costs.min() > 0:
        some = min(moves, counts[0], counts[1])
        for c in range(chains):
            costs[c] = anneal(
                tables, steps, option[c], step[c], count[c], holder[c], shared[c], kids[c],
                seeds, c, accept, some, costs[c], told,
            )  # fmt: skip
            if costs[c] == 0:
                return
        moves -= some
        counts[0] -= some
        counts[1] -= some
        if counts[1] == 0:
            counts[1] = interval
            exchange(tables, steps, state, costs, clock, seeds, told, sent)
        if counts[0] == 0:
            clock[0] *= cooling
            if clock[0] < final:
                clock[0] = again
                counts[2] *= 2
            counts[0] = counts[2]
            _chances(accept, clock[0])
