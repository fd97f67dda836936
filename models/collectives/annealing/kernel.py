"""The compiled search: chains at one temperature, exchanges between them, and cooling."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.dice import draw, scaled, unit
from syncfabric.models.compiled import compiled, inlined, uncounted

__all__ = ["Chain", "Ints", "Tables", "evolve", "exchange", "meet", "recount"]

Ints = NDArray[np.int32]


class Tables(NamedTuple):
    """A task as the kernel reads it.

    Options of gene g are ``first_option[g]`` to ``first_option[g + 1]`` - 1. Option o takes the
    resources ``use[first_use[o]:first_use[o + 1]]``, each for one step: channels and ports, or
    their orbits. It also takes the shares ``share[first_share[o]:first_share[o + 1]]``; of those
    that take share s in one step only the first counts, at resource ``main[s]``.
    """

    steps: int
    first_option: Ints
    """Of shape (genes + 1)."""
    parent: Ints
    """The gene that brings an option's sender the message, so must come before; or -1."""
    first_use: Ints
    """Of shape (options + 1)."""
    use: Ints
    first_share: Ints
    """Of shape (options + 1)."""
    share: Ints
    main: Ints
    """Of shape (shares)."""
    most: Ints
    """How often each resource may be taken in a step."""
    low: Ints
    """The first step in which each gene can be sent, from 0."""
    high: Ints
    """The last; ``steps``, which is none, for a node that may do without the message."""


class Chain(NamedTuple):
    """A chain's solution, and what it takes; or those of many, one a row."""

    option: Any
    """Of shape (genes), int32; as all others, with the chains before it where there are many."""
    step: Any
    """Of shape (genes), int32."""
    count: Any
    """How often each resource is taken in each step, of shape (steps · resources)."""
    holder: Any
    """The numbers of the genes that take it then, added up: where that is one gene, it is this."""
    shared: Any
    """How often each share is taken in each step, of shape (steps · shares)."""
    kids: Any
    """How many genes are sent on by each in each step, of shape (genes · steps), or empty where
    none is sent on."""


@inlined
def _late(tables: Any, chain: Any, g: Any, o: Any, t: Any) -> Any:
    """Return the conflicts of order that a move adds: a sender that has not got the message yet."""
    parent, steps, step, kids = tables.parent, tables.steps, chain.step, chain.kids
    t0 = step[g]
    p, q = parent[chain.option[g]], parent[o]
    delta = 0
    delta -= t0 < steps and p >= 0 and step[p] >= t0
    delta += t < steps and q >= 0 and step[q] >= t
    for s in range(t0 + 1, min(t, steps - 1) + 1):
        delta += kids[g * steps + s]
    for s in range(t + 1, min(t0, steps - 1) + 1):
        delta -= kids[g * steps + s]
    return delta


@inlined
def _weigh(tables: Any, chain: Any, g: Any, o: Any, t: Any, bound: Any) -> Any:
    """Return the conflicts that a move to another step adds, or some number above ``bound``."""
    steps, _, _, first_use, use, first_share, share, main, most, _, _ = tables
    count, shared = chain.count, chain.shared
    resources, shares = len(most), len(main)
    o0, t0 = chain.option[g], chain.step[g]
    delta = 0
    if t0 < steps:
        for i in range(first_use[o0], first_use[o0 + 1]):
            delta -= count[t0 * resources + use[i]] > most[use[i]]
        for i in range(first_share[o0], first_share[o0 + 1]):
            r = main[share[i]]
            if shared[t0 * shares + share[i]] == 1:
                delta -= count[t0 * resources + r] > most[r]
    if len(chain.kids) > 0:
        delta += _late(tables, chain, g, o, t)
    if t < steps:
        for i in range(first_use[o], first_use[o + 1]):
            delta += count[t * resources + use[i]] >= most[use[i]]
            if delta > bound:
                return delta
        for i in range(first_share[o], first_share[o + 1]):
            r = main[share[i]]
            if shared[t * shares + share[i]] == 0:
                delta += count[t * resources + r] >= most[r]
    return delta


@inlined
def _make(tables: Any, chain: Any, g: Any, o: Any, t: Any) -> Any:
    """Give a gene an option and a step; return the conflicts that this adds."""
    steps, _, parent, first_use, use, first_share, share, main, most, _, _ = tables
    option, step, count, holder, shared, kids = chain
    resources, shares = len(most), len(main)
    o0, t0 = option[g], step[g]
    delta = 0
    if len(kids) > 0:
        delta += _late(tables, chain, g, o, t)
        p, q = parent[o0], parent[o]
        if t0 < steps and p >= 0:
            kids[p * steps + t0] -= 1
        if t < steps and q >= 0:
            kids[q * steps + t] += 1
    if t0 < steps:
        for i in range(first_use[o0], first_use[o0 + 1]):
            k = t0 * resources + use[i]
            delta -= count[k] > most[use[i]]
            count[k] -= 1
            holder[k] -= g
        for i in range(first_share[o0], first_share[o0 + 1]):
            k = t0 * shares + share[i]
            shared[k] -= 1
            if shared[k] == 0:
                r = main[share[i]]
                delta -= count[t0 * resources + r] > most[r]
                count[t0 * resources + r] -= 1
    if t < steps:
        for i in range(first_use[o], first_use[o + 1]):
            k = t * resources + use[i]
            delta += count[k] >= most[use[i]]
            count[k] += 1
            holder[k] += g
        for i in range(first_share[o], first_share[o + 1]):
            k = t * shares + share[i]
            if shared[k] == 0:
                r = main[share[i]]
                delta += count[t * resources + r] >= most[r]
                count[t * resources + r] += 1
            shared[k] += 1
    option[g], step[g] = o, t
    return delta


@inlined
def _row(chains: Any, row: Any) -> Any:
    """Return one chain of many."""
    option, step, count, holder, shared, kids = chains
    return Chain(option[row], step[row], count[row], holder[row], shared[row], kids[row])


@uncounted
def recount(tables: Any, chains: Any, row: Any, drawn: Any) -> Any:
    """Count the uses of a chain anew; return its conflicts.

    ``drawn`` is room for the steps of its genes, which are sent one after the other.
    """
    chain = _row(chains, row)
    chain.count[:] = 0
    chain.holder[:] = 0
    chain.shared[:] = 0
    chain.kids[:] = 0
    for g in range(len(drawn)):
        drawn[g] = chain.step[g]
        chain.step[g] = tables.steps
    conflicts = 0
    for g in range(len(drawn)):
        conflicts += _make(tables, chain, g, chain.option[g], drawn[g])
    return conflicts


@inlined
def _values(tables: Any, seeds: Any, dice: Any) -> Any:
    """Draw a gene, an option and a step for it; return them, and what is left of the last draw."""
    first_option, low, high = tables.first_option, tables.low, tables.high
    bits = draw(seeds, dice)
    g = scaled(bits >> np.uint64(32), len(low))
    begin = first_option[g]
    o = begin + scaled(bits & np.uint64(0xFFFFFFFF), first_option[g + 1] - begin)
    bits = draw(seeds, dice)
    return g, o, low[g] + scaled(bits >> np.uint64(32), high[g] - low[g] + 1), bits


@inlined
def _in_the_way(tables: Any, chain: Any, g: Any, o: Any, t: Any) -> Any:
    """Return the gene alone at the first place that is taken on gene g's way; -1: there is none."""
    first_use, use, most = tables.first_use, tables.use, tables.most
    for i in range(first_use[o], first_use[o + 1]):
        k = t * len(most) + use[i]
        if chain.count[k] == 1 and most[use[i]] == 1 and chain.holder[k] != g:
            return np.int64(chain.holder[k])
    return np.int64(-1)


@uncounted
def _anneal(
    tables: Any, chains: Any, row: Any, seeds: Any, accept: Any, moves: Any, cost: Any, told: Any
) -> Any:
    """Try moves at one temperature; return the conflicts left. It stops when there are none.

    A move gives a gene another path, another step, or both; or it changes steps with the gene that
    is in its way. ``accept[d]`` is the chance of one that adds d conflicts.
    """
    chain = _row(chains, row)
    steps, first_option, low, high = tables.steps, tables.first_option, tables.low, tables.high
    option, step = chain.option, chain.step
    tried = 0
    for _ in range(moves):
        g, o, t, bits = _values(tables, seeds, row)
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
        # The gene in the way, and what it is given in return; -1: there is none.
        h, p, p0 = np.int64(-1), np.int64(-1), np.int64(-1)
        if kind >= 6 and t != t0 and t < steps and t0 < steps:
            found = _in_the_way(tables, chain, g, o, t)
            if found >= 0 and low[found] <= t0 <= high[found]:
                h = found
                p0 = p = np.int64(option[h])
                if kind == 7:
                    begin, end = first_option[h], first_option[h + 1]
                    p = begin + scaled(bits & np.uint64(0xFFFFFFF8), end - begin)
        # Most moves to another step are refused: those are weighed before they are made.
        if h < 0 and t != t0 and _weigh(tables, chain, g, o, t, bound) > bound:
            continue
        delta = _make(tables, chain, g, o, t)
        if h >= 0:
            delta += _make(tables, chain, h, p, t0)
        if delta > bound:
            if h >= 0:
                _make(tables, chain, h, p0, t)
            _make(tables, chain, g, o0, t0)
            continue
        cost += delta
        if delta < 0:
            told[1] = min(told[1], cost)
            if cost == 0:
                break
    told[0] += tried
    return cost


@compiled
def meet(
    tables: Any, chains: Any, costs: Any, chain: Any, other: Any, rates: Any, seeds: Any, told: Any
) -> Any:
    """Cross a chain's solution with one that it got; Metropolis chooses between it and the outcome.

    The outcome is the best of two parents and two children, mutated. The last two rows of the
    chains are room for it. ``other`` are the options, the steps and the conflicts of what it got;
    ``rates`` the temperature and the chance that a child is mutated.
    """
    option, step, count, holder, shared, kids = chains
    genes, room, dice = option.shape[1], len(option) - 2, len(seeds) - 1
    drawn = np.empty(genes, np.int32)
    other_option, other_step, other_cost = other
    a = scaled(draw(seeds, dice) >> np.uint64(32), genes + 1)
    b = scaled(draw(seeds, dice) >> np.uint64(32), genes + 1)
    first, last = min(a, b), max(a, b)
    found = np.empty(2, np.int64)
    for child in range(2):
        row = room + child
        for g in range(genes):
            if (first <= g < last) == (child == 0):
                option[row, g], step[row, g] = other_option[g], other_step[g]
            else:
                option[row, g], step[row, g] = option[chain, g], step[chain, g]
        found[child] = recount(tables, chains, row, drawn)
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
            option[row], step[row] = other_option, other_step
    if mutated and cost > 0:
        g, o, t, _ = _values(tables, seeds, dice)
        option[row, g], step[row, g] = o, t
        told[0] += 1
    cost = recount(tables, chains, row, drawn)
    u = unit(seeds, dice)
    if cost <= own or u < np.exp((own - cost) / rates[0]):
        option[chain], step[chain], count[chain] = option[row], step[row], count[row]
        holder[chain], shared[chain], kids[chain] = holder[row], shared[row], kids[row]
        costs[chain] = cost
        told[1] = min(told[1], cost)


@compiled
def exchange(
    tables: Any, chains: Any, costs: Any, rates: Any, seeds: Any, told: Any, sent: Any
) -> Any:
    """Let each chain meet a solution that the master sends it, drawn by roulette."""
    many, dice = len(costs), len(seeds) - 1
    sent[0][:], sent[1][:] = chains.option[:many], chains.step[:many]
    before = costs.copy()
    wheel = np.cumsum(1.0 / (1.0 + before))
    for chain in range(many):
        u = unit(seeds, dice) * wheel[-1]
        q = min(np.searchsorted(wheel, u, side="right"), many - 1)
        if q != chain:
            other = sent[0][q], sent[1][q], before[q]
            meet(tables, chains, costs, chain, other, rates, seeds, told)


@compiled
def _chances(accept: Any, heat: Any) -> Any:
    """Set the chance of a move that adds so many conflicts."""
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
    told: Any,
    moves: Any,
) -> Any:
    """Anneal all chains for so many moves each, with exchanges; stop at a conflict-free one.

    Parameters
    ----------
    tables : Tables
    chains : Chain
        Of the chains, and of two more rows that are room.
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
    cooling, final, again, interval = plan
    accept = np.empty(32)
    _chances(accept, clock[0])
    sent = (chains.option[: len(costs)].copy(), chains.step[: len(costs)].copy())
    while moves > 0 and costs.min() > 0:
        some = min(moves, counts[0], counts[1])
        for c in range(len(costs)):
            costs[c] = _anneal(tables, chains, c, seeds, accept, some, costs[c], told)
            if costs[c] == 0:
                return
        moves -= some
        counts[0] -= some
        counts[1] -= some
        if counts[1] == 0:
            counts[1] = interval
            exchange(tables, chains, costs, clock, seeds, told, sent)
        if counts[0] == 0:
            clock[0] *= cooling
            if clock[0] < final:
                clock[0] = again
                counts[2] *= 2
            counts[0] = counts[2]
            _chances(accept, clock[0])
