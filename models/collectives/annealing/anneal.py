"""One chain at one temperature: moves, each made or refused by Metropolis."""

from __future__ import annotations

from typing import Any

import numpy as np

from syncfabric.models.collectives.annealing.dice import below, draw
from syncfabric.models.collectives.annealing.move import make, weigh
from syncfabric.models.compiled import inlined, uncounted

__all__ = ["anneal"]


@inlined
def _in_the_way(tables: Any, count: Any, holder: Any, g: Any, o: Any, t: Any) -> Any:
    """Return the gene alone at the first place that is taken on gene g's way; -1: there is none."""
    first_use, use, most = tables[2], tables[3], tables[7]
    for i in range(first_use[o], first_use[o + 1]):
        k = t * len(most) + use[i]
        if count[k] == 1 and most[use[i]] == 1 and holder[k] != g:
            return np.int64(holder[k])
    return np.int64(-1)


@uncounted
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
    """
    first_option, low, high = tables[0], tables[8], tables[9]
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
        # The gene in the way, and what it is given in return; -1: there is none.
        h, p, p0 = np.int64(-1), np.int64(-1), np.int64(-1)
        if kind >= 6 and t != t0 and t < steps and t0 < steps:
            found = _in_the_way(tables, count, holder, g, o, t)
            if found >= 0 and low[found] <= t0 <= high[found]:
                h = found
                p0 = p = np.int64(option[h])
                if kind == 7:
                    begin, end = first_option[h], first_option[h + 1]
                    p = begin + below(bits & np.uint64(0xFFFFFFF8), end - begin)
        # Most moves to another step are refused: those are weighed before they are made.
        if (
            h < 0
            and t != t0
            and weigh(tables, steps, option, step, count, shared, kids, g, o, t, bound) > bound
        ):
            continue
        delta = make(tables, steps, option, step, count, holder, shared, kids, g, o, t)
        if h >= 0:
            delta += make(tables, steps, option, step, count, holder, shared, kids, h, p, t0)
        if delta > bound:
            if h >= 0:
                make(tables, steps, option, step, count, holder, shared, kids, h, p0, t)
            make(tables, steps, option, step, count, holder, shared, kids, g, o0, t0)
            continue
        cost += delta
        if delta < 0:
            told[1] = min(told[1], cost)
            if cost == 0:
                break
    told[0] += tried
    return cost
