"""The compiled part: conflicts counted, and changed move by move."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

__all__ = ["evolve", "meet", "recount"]


@njit(cache=True)
def draw(seeds: Any, chain: Any) -> Any:
    """Return 64 random bits (SplitMix64), and move the state on."""
    seeds[chain] += np.uint64(0x9E3779B97F4A7C15)
    z = seeds[chain]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@njit(cache=True)
def below(bits: Any, bound: Any) -> Any:
    """Return a number from 0 to ``bound`` - 1 from 32 random bits."""
    return np.int64((bits * np.uint64(bound)) >> np.uint64(32))


@njit(cache=True)
def recount(
    tables: Any, steps: Any, option: Any, step: Any, count: Any, holder: Any, shared: Any, kids: Any
) -> Any:
    """Count a chromosome's uses anew; return its conflicts.

    ``holder`` has of each resource and step the numbers of the genes that use it, added up: where
    that is one gene, it is this gene.
    """
    _, parent, first_use, use, first_share, share, main, most, _, _ = tables
    count[:] = 0
    holder[:] = 0
    shared[:] = 0
    kids[:] = 0
    conflicts = 0
    for g in range(len(option)):
        o, t = option[g], step[g]
        if t == steps:
            continue
        at = t * len(most)
        for i in range(first_use[o], first_use[o + 1]):
            count[at + use[i]] += 1
            holder[at + use[i]] += g
            conflicts += count[at + use[i]] > most[use[i]]
        for i in range(first_share[o], first_share[o + 1]):
            k, r = t * len(main) + share[i], main[share[i]]
            shared[k] += 1
            if shared[k] == 1:
                count[at + r] += 1
                conflicts += count[at + r] > most[r]
        if parent[o] >= 0:
            kids[parent[o] * steps + t] += 1
            conflicts += step[parent[o]] >= t
    return conflicts


@njit(cache=True)
def anneal(
    tables: Any,
    steps: Any,
    option: Any,
    step: Any,
    count: Any,
    holder: Any,
    shared: Any,
    kids: Any,
    seeds: Any,
    chain: Any,
    accept: Any,
    moves: Any,
    cost: Any,
    told: Any,
) -> Any:
    """Try moves at one temperature; return the conflicts left. It stops when there are none.

    A move gives a gene another path, another step, or both; or it changes steps with the gene that
    is in its way. ``accept[d]`` is the chance of one that adds d conflicts.

    One long function: to hand on so many arrays costs more than what is done with them.
    """
    first_option, parent, first_use, use, first_share, share, main, most, low, high = tables
    resources, shares, relays = len(most), len(main), len(kids) > 0
    genes, options, times = np.empty(2, np.int64), np.empty(2, np.int64), np.empty(2, np.int64)
    tried = 0
    for _ in range(moves):
        bits = draw(seeds, chain)
        g = below(bits >> np.uint64(32), len(option))
        begin = first_option[g]
        o = begin + below(bits & np.uint64(0xFFFFFFFF), first_option[g + 1] - begin)
        bits = draw(seeds, chain)
        t = low[g] + below(bits >> np.uint64(32), high[g] - low[g] + 1)
        o0, t0 = np.int64(option[g]), np.int64(step[g])
        kind = np.int64(bits & np.uint64(7))
        if kind < 2:
            t = t0
        elif kind < 4:
            o = o0
        if o == o0 and t == t0:
            continue
        tried += 1
        u = np.float64(bits & np.uint64(0xFFFFFFF8)) * 2.0**-32
        bound = 0
        while bound + 1 < len(accept) and u < accept[bound + 1]:
            bound += 1
        legs, genes[0], options[0], times[0] = 1, g, o, t
        if kind >= 6 and t != t0 and t < steps and t0 < steps:
            for i in range(first_use[o], first_use[o + 1]):
                k = t * resources + use[i]
                if count[k] == 1 and most[use[i]] == 1 and holder[k] != g:
                    h = holder[k]
                    if low[h] <= t0 <= high[h]:
                        legs, genes[1], options[1], times[1] = 2, h, option[h], t0
                        if kind == 7:
                            begin, end = first_option[h], first_option[h + 1]
                            options[1] = begin + below(bits & np.uint64(0xFFFFFFF8), end - begin)
                    break
        if legs == 1 and t != t0:
            # A move to another step is weighed before it is made, for most are refused.
            delta = 0
            if t0 < steps:
                for i in range(first_use[o0], first_use[o0 + 1]):
                    delta -= count[t0 * resources + use[i]] > most[use[i]]
                for i in range(first_share[o0], first_share[o0 + 1]):
                    r = main[share[i]]
                    if shared[t0 * shares + share[i]] == 1:
                        delta -= count[t0 * resources + r] > most[r]
            if relays:
                p, q = parent[o0], parent[o]
                delta -= t0 < steps and p >= 0 and step[p] >= t0
                delta += t < steps and q >= 0 and step[q] >= t
                for s in range(t0 + 1, min(t, steps - 1) + 1):
                    delta += kids[g * steps + s]
                for s in range(t + 1, min(t0, steps - 1) + 1):
                    delta -= kids[g * steps + s]
            if t < steps:
                for i in range(first_use[o], first_use[o + 1]):
                    delta += count[t * resources + use[i]] >= most[use[i]]
                    if delta > bound:
                        break
                if delta <= bound:
                    for i in range(first_share[o], first_share[o + 1]):
                        r = main[share[i]]
                        if shared[t * shares + share[i]] == 0:
                            delta += count[t * resources + r] >= most[r]
            if delta > bound:
                continue
        # Made leg by leg; and undone, from the last to the first, if that adds too much.
        delta, leg, last = 0, 0, legs
        while leg < last:
            i = leg if leg < legs else last - 1 - leg
            g, o, t = genes[i], options[i], times[i]
            o0, t0 = np.int64(option[g]), np.int64(step[g])
            options[i], times[i] = o0, t0
            if relays:
                p, q = parent[o0], parent[o]
                delta -= t0 < steps and p >= 0 and step[p] >= t0
                delta += t < steps and q >= 0 and step[q] >= t
                for s in range(t0 + 1, min(t, steps - 1) + 1):
                    delta += kids[g * steps + s]
                for s in range(t + 1, min(t0, steps - 1) + 1):
                    delta -= kids[g * steps + s]
                if t0 < steps and p >= 0:
                    kids[p * steps + t0] -= 1
                if t < steps and q >= 0:
                    kids[q * steps + t] += 1
            if t0 < steps:
                for j in range(first_use[o0], first_use[o0 + 1]):
                    k = t0 * resources + use[j]
                    delta -= count[k] > most[use[j]]
                    count[k] -= 1
                    holder[k] -= g
                for j in range(first_share[o0], first_share[o0 + 1]):
                    shared[t0 * shares + share[j]] -= 1
                    if shared[t0 * shares + share[j]] == 0:
                        r = main[share[j]]
                        delta -= count[t0 * resources + r] > most[r]
                        count[t0 * resources + r] -= 1
            if t < steps:
                for j in range(first_use[o], first_use[o + 1]):
                    k = t * resources + use[j]
                    delta += count[k] >= most[use[j]]
                    count[k] += 1
                    holder[k] += g
                for j in range(first_share[o], first_share[o + 1]):
                    if shared[t * shares + share[j]] == 0:
                        r = main[share[j]]
                        delta += count[t * resources + r] >= most[r]
                        count[t * resources + r] += 1
                    shared[t * shares + share[j]] += 1
            option[g], step[g] = o, t
            leg += 1
            if leg == legs and delta > bound:
                last = 2 * legs
        if last == legs:
            cost += delta
            if delta < 0:
                told[1] = min(told[1], cost)
                if cost == 0:
                    break
    told[0] += tried
    return cost


@njit(cache=True)
def mutate(tables: Any, option: Any, step: Any, seeds: Any, chain: Any) -> Any:
    """Give a random gene random values."""
    first_option, low, high = tables[0], tables[8], tables[9]
    bits = draw(seeds, chain)
    g = below(bits >> np.uint64(32), len(option))
    begin = first_option[g]
    option[g] = begin + below(bits & np.uint64(0xFFFFFFFF), first_option[g + 1] - begin)
    step[g] = low[g] + below(draw(seeds, chain) >> np.uint64(32), high[g] - low[g] + 1)


@njit(cache=True)
def again(tables: Any, steps: Any, state: Any, row: Any) -> Any:
    """Count one row of the state anew."""
    option, step, count, holder, shared, kids = state
    return recount(
        tables, steps, option[row], step[row], count[row], holder[row], shared[row], kids[row]
    )


@njit(cache=True)
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
        found[child] = again(tables, steps, state, row)
    told[0] += 2
    row = room if found[0] <= found[1] else room + 1
    cost = found[row - room]
    own = costs[chain]
    mutated = np.float64(draw(seeds, dice) >> np.uint64(11)) * 2.0**-53 < rates[1]
    if min(own, other_cost) <= cost:  # a parent is always mutated
        cost, mutated = min(own, other_cost), True
        if own <= other_cost:
            option[row], step[row] = option[chain], step[chain]
        else:
            option[row], step[row] = other, other_step
    if mutated and cost > 0:
        mutate(tables, option[row], step[row], seeds, dice)
        told[0] += 1
    cost = again(tables, steps, state, row)
    u = np.float64(draw(seeds, dice) >> np.uint64(11)) * 2.0**-53
    if cost <= own or u < np.exp((own - cost) / rates[0]):
        option[chain], step[chain], count[chain] = option[row], step[row], count[row]
        holder[chain], shared[chain], kids[chain] = holder[row], shared[row], kids[row]
        costs[chain] = cost
        told[1] = min(told[1], cost)


@njit(cache=True)
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
        u = np.float64(draw(seeds, dice) >> np.uint64(11)) * 2.0**-53 * wheel[-1]
        q = min(np.searchsorted(wheel, u, side="right"), chains - 1)
        if q != chain:
            meet(
                tables, steps, state, costs, chain, sent[0][q], sent[1][q], before[q],
                rates, seeds, told,
            )  # fmt: skip


@njit(cache=True)
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
    accept = np.exp(-np.arange(32) / clock[0])
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
            for d in range(len(accept)):
                accept[d] = np.exp(-d / clock[0])
