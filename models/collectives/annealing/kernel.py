"""The compiled search: chains at one temperature, exchanges between them, and cooling."""

from typing import Any

import numpy as np

from syncfabric.models.collectives.moves import drawn, make, ready, recount, row_of, values, weigh
from syncfabric.models.collectives.random_numbers import draw, scaled, unit
from syncfabric.models.compiled import compiled, uncounted


@uncounted
def _anneal(
    tables: Any,
    chains: Any,
    row: Any,
    seeds: Any,
    accept: Any,
    moves: Any,
    cost: Any,
    tally: Any,
    scratch: Any,
) -> Any:
    """Try moves at one temperature; return the conflicts left. It stops when there are none.

    ``accept[d]`` is the probability of a move that adds d conflicts.
    """
    chain = row_of(chains, row)
    option, step = chain.option, chain.step
    tried = 0
    for _ in range(moves):
        g, o, t, h, p, bits = drawn(tables, chain, seeds, row)
        o0, t0 = np.int64(option[g]), np.int64(step[g])
        if o == o0 and t == t0:
            continue
        tried += 1
        u = np.float64(bits & np.uint64(0xFFFFFFF8)) * 2.0**-32
        bound = 0
        while bound + 1 < len(accept) and u < accept[bound + 1]:
            bound += 1
        repairs = h < 0 and t > t0 and len(scratch) > 0
        # Most moves to another step are refused: those are weighed before they are made.
        if h < 0 and t != t0 and not repairs and weigh(tables, chain, g, o, t, bound) > bound:
            continue
        delta, p0 = make(tables, chain, g, o, t), np.int64(-1)
        moved = 0
        if repairs:
            moved, more = repair(tables, chain, g, t, seeds, row, scratch)
            delta += more
        if h >= 0:
            p0 = np.int64(option[h])
            delta += make(tables, chain, h, p, t0)
        if delta > bound:
            if h >= 0:
                make(tables, chain, h, p0, t)
            for i in range(moved):
                make(tables, chain, scratch[i, 0], scratch[i, 1], np.int64(step[scratch[i, 0]]))
            make(tables, chain, g, o0, t0)
            continue
        cost += delta
        if delta < 0:
            tally[1] = min(tally[1], cost)
            if cost == 0:
                break
    tally[0] += tried
    return cost


@uncounted
def repair(tables: Any, chain: Any, g: Any, t: Any, seeds: Any, row: Any, scratch: Any) -> Any:
    """Give those to which a gene sends on too early other senders, which have the message in time.

    Returns
    -------
    moved
        How many; ``scratch`` has these genes, and the options that they had.
    delta
        The conflicts that this adds.
    """
    moved, delta = 0, 0
    for k in range(len(chain.step)):
        o = np.int64(chain.option[k])
        own = np.int64(chain.step[k])  # as wide as elsewhere: what is called is compiled once
        if tables.parent[o] == g and own <= t and own < tables.steps:
            scratch[moved, 0], scratch[moved, 1] = k, o
            moved += 1
            delta += make(tables, chain, k, ready(tables, chain, k, o, own, seeds, row), own)
    return moved, delta


@compiled
def meet(
    tables: Any, chains: Any, costs: Any, chain: Any, other: Any, rates: Any, seeds: Any, tally: Any
) -> Any:
    """Cross a chain's solution with one that it got; Metropolis chooses between it and the outcome.

    The outcome is the best of two parents and two children, mutated. The last two rows of the
    chains are scratch. ``other`` are the options, the steps and the conflicts of what it got;
    ``rates`` the temperature and the probability that a child is mutated.
    """
    option, step, count, holder, shared, kids = chains
    genes, scratch, source = option.shape[1], len(option) - 2, len(seeds) - 1
    steps = np.empty(genes, np.int32)
    other_option, other_step, other_cost = other
    a = scaled(draw(seeds, source) >> np.uint64(32), genes + 1)
    b = scaled(draw(seeds, source) >> np.uint64(32), genes + 1)
    first, last = min(a, b), max(a, b)
    found = np.empty(2, np.int64)
    for child in range(2):
        row = scratch + child
        for g in range(genes):
            if (first <= g < last) == (child == 0):
                option[row, g], step[row, g] = other_option[g], other_step[g]
            else:
                option[row, g], step[row, g] = option[chain, g], step[chain, g]
        found[child] = recount(tables, chains, row, steps)
    tally[0] += 2
    row = scratch if found[0] <= found[1] else scratch + 1
    cost = found[row - scratch]
    own = costs[chain]
    mutated = unit(seeds, source) < rates[1]
    if min(own, other_cost) <= cost:  # a parent is always mutated
        cost, mutated = min(own, other_cost), True
        if own <= other_cost:
            option[row], step[row] = option[chain], step[chain]
        else:
            option[row], step[row] = other_option, other_step
    if mutated and cost > 0:
        g, o, t, _ = values(tables, seeds, source)
        option[row, g], step[row, g] = o, t
        tally[0] += 1
    cost = recount(tables, chains, row, steps)
    u = unit(seeds, source)
    if cost <= own or u < np.exp((own - cost) / rates[0]):
        option[chain], step[chain], count[chain] = option[row], step[row], count[row]
        holder[chain], shared[chain], kids[chain] = holder[row], shared[row], kids[row]
        costs[chain] = cost
        tally[1] = min(tally[1], cost)


@compiled
def exchange(tables: Any, chains: Any, costs: Any, rates: Any, seeds: Any, tally: Any) -> Any:
    """Let each chain meet a solution that the master sends it, drawn by roulette."""
    many, source = len(costs), len(seeds) - 1
    sent = (chains.option[:many].copy(), chains.step[:many].copy())
    before = costs.copy()
    wheel = np.cumsum(1.0 / (1.0 + before))
    for chain in range(many):
        u = unit(seeds, source) * wheel[-1]
        q = min(np.searchsorted(wheel, u, side="right"), many - 1)
        if q != chain:
            other = sent[0][q], sent[1][q], before[q]
            meet(tables, chains, costs, chain, other, rates, seeds, tally)


@compiled
def _probabilities(accept: Any, heat: Any) -> Any:
    """Set the probability of a move that adds so many conflicts."""
    for d in range(len(accept)):
        accept[d] = np.exp(-d / heat)


@compiled
def evolve(
    tables: Any,
    chains: Any,
    costs: Any,
    clock: Any,
    counts: Any,
    plan: Any,
    seeds: Any,
    tally: Any,
    moves: Any,
) -> Any:
    """Anneal all chains for so many moves each, until the next exchange; return how many are left.

    It stops when a chain has no conflicts.

    Parameters
    ----------
    tables : Tables
    chains : Chain
        Of the chains, and of two more rows of scratch.
    costs : int64, of shape (chains)
    clock : float64, of shape (2)
        The temperature, and the probability that a child is mutated.
    counts : int64, of shape (3)
        Moves left at this temperature, moves left to the exchange, and moves at a temperature.
    plan : tuple
        Cooling, final temperature, temperature of a restart, and whether order is repaired.
    tally : int64, of shape (2)
        Evaluations, and the least conflicts so far.
    """
    cooling, final, again, repairs = plan
    accept = np.empty(32)
    _probabilities(accept, clock[0])
    scratch = np.empty((chains.option.shape[1] if repairs else 0, 2), np.int64)
    while moves > 0 and counts[1] > 0 and costs.min() > 0:
        some = min(moves, counts[0], counts[1])
        for c in range(len(costs)):
            costs[c] = _anneal(tables, chains, c, seeds, accept, some, costs[c], tally, scratch)
            if costs[c] == 0:
                return 0
        moves -= some
        counts[0] -= some
        counts[1] -= some
        if counts[0] == 0:
            clock[0] *= cooling
            if clock[0] < final:
                clock[0] = again
                counts[2] *= 2
            counts[0] = counts[2]
            _probabilities(accept, clock[0])
    return moves
