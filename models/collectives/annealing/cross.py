"""Two chains' solutions meet: crossover, mutation, and a choice by Metropolis."""

from __future__ import annotations

from typing import Any

import numpy as np

from syncfabric.models.collectives.annealing.count import recount
from syncfabric.models.collectives.annealing.dice import below, draw, unit
from syncfabric.models.compiled import compiled

__all__ = ["exchange", "meet"]


@compiled
def _mutate(tables: Any, option: Any, step: Any, seeds: Any, chain: Any) -> Any:
    """Give a random gene random values."""
    first_option, low, high = tables[0], tables[8], tables[9]
    bits = draw(seeds, chain)
    g = below(bits >> np.uint64(32), len(option))
    begin = first_option[g]
    option[g] = begin + below(bits & np.uint64(0xFFFFFFFF), first_option[g + 1] - begin)
    step[g] = low[g] + below(draw(seeds, chain) >> np.uint64(32), high[g] - low[g] + 1)


@compiled
def _again(tables: Any, steps: Any, state: Any, row: Any) -> Any:
    """Count one row of the state anew."""
    option, step, count, holder, shared, kids = state
    return recount(
        tables, steps, option[row], step[row], count[row], holder[row], shared[row], kids[row]
    )


@compiled
def meet(
    tables: Any,
    steps: Any,
    state: Any,
    costs: Any,
    chain: Any,
    other: Any,
    other_step: Any,
    other_cost: Any,
    rates: Any,
    seeds: Any,
    told: Any,
) -> Any:
    """Cross a chain's solution with one that it got; Metropolis chooses between it and the outcome.

    The outcome is the best of two parents and two children, mutated. The last two rows of the
    state are room for it. ``rates`` are the temperature and the chance that a child is mutated.
    """
    option, step, count, holder, shared, kids = state
    genes, room, dice = option.shape[1], len(option) - 2, len(seeds) - 1
    a = below(draw(seeds, dice) >> np.uint64(32), genes + 1)
    b = below(draw(seeds, dice) >> np.uint64(32), genes + 1)
    first, last = min(a, b), max(a, b)
    found = np.empty(2, np.int64)
    for child in range(2):
        row = room + child
        for g in range(genes):
            if (first <= g < last) == (child == 0):
                option[row, g], step[row, g] = other[g], other_step[g]
            else:
                option[row, g], step[row, g] = option[chain, g], step[chain, g]
        found[child] = _again(tables, steps, state, row)
    told[0] += 2
    row = room if found[0] <= found[1] else room + 1
    cost = found[row - room]
    own = costs[chain]
    mutated = unit(seeds, dice) < rates[1]
    if min(own, other_cost) <= cost:  # a parent is always mutated
        cost, mutated = min(own, other_cost), True
        if own <= other_cost:
            option[row], step[row] = option[chain], step[chain]
        else:
            option[row], step[row] = other, other_step
    if mutated and cost > 0:
        _mutate(tables, option[row], step[row], seeds, dice)
        told[0] += 1
    cost = _again(tables, steps, state, row)
    u = unit(seeds, dice)
    if cost <= own or u < np.exp((own - cost) / rates[0]):
        option[chain], step[chain], count[chain] = option[row], step[row], count[row]
        holder[chain], shared[chain], kids[chain] = holder[row], shared[row], kids[row]
        costs[chain] = cost
        told[1] = min(told[1], cost)


@compiled
def exchange(
    tables: Any, steps: Any, state: Any, costs: Any, rates: Any, seeds: Any, told: Any, sent: Any
) -> Any:
    """Let each chain meet a solution that the master sends it, drawn by roulette."""
    option, step = state[0], state[1]
    chains, dice = len(costs), len(seeds) - 1
    sent[0][:], sent[1][:] = option[:chains], step[:chains]
    before = costs.copy()
    wheel = np.cumsum(1.0 / (1.0 + before))
    for chain in range(chains):
        u = unit(seeds, dice) * wheel[-1]
        q = min(np.searchsorted(wheel, u, side="right"), chains - 1)
        if q != chain:
            meet(
                tables, steps, state, costs, chain, sent[0][q], sent[1][q], before[q],
                rates, seeds, told,
            )  # fmt: skip
