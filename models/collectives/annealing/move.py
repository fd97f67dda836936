"""What one gene's new option and step do to the conflicts: weighed, and made.

These are compiled into the loop of ``anneal``: to hand on so many arrays would cost more than what
is done with them.
"""

from __future__ import annotations

from typing import Any

from syncfabric.models.compiled import inlined

__all__ = ["make", "weigh"]


@inlined
def _late(
    parent: Any, steps: Any, step: Any, kids: Any, g: Any, o: Any, t: Any, o0: Any, t0: Any
) -> Any:
    """Return the conflicts of order that a move adds: a sender that has not got the message yet."""
    p, q = parent[o0], parent[o]
    delta = 0
    delta -= t0 < steps and p >= 0 and step[p] >= t0
    delta += t < steps and q >= 0 and step[q] >= t
    for s in range(t0 + 1, min(t, steps - 1) + 1):
        delta += kids[g * steps + s]
    for s in range(t + 1, min(t0, steps - 1) + 1):
        delta -= kids[g * steps + s]
    return delta


@inlined
def weigh(
    tables: Any,
    steps: Any,
    option: Any,
    step: Any,
    count: Any,
    shared: Any,
    kids: Any,
    g: Any,
    o: Any,
    t: Any,
    bound: Any,
) -> Any:
    """Return the conflicts that a move to another step adds, or some number above ``bound``."""
    _, parent, first_use, use, first_share, share, main, most, _, _ = tables
    resources, shares = len(most), len(main)
    o0, t0 = option[g], step[g]
    delta = 0
    if t0 < steps:
        for i in range(first_use[o0], first_use[o0 + 1]):
            delta -= count[t0 * resources + use[i]] > most[use[i]]
        for i in range(first_share[o0], first_share[o0 + 1]):
            r = main[share[i]]
            if shared[t0 * shares + share[i]] == 1:
                delta -= count[t0 * resources + r] > most[r]
    if len(kids) > 0:
        delta += _late(parent, steps, step, kids, g, o, t, o0, t0)
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
def make(
    tables: Any,
    steps: Any,
    option: Any,
    step: Any,
    count: Any,
    holder: Any,
    shared: Any,
    kids: Any,
    g: Any,
    o: Any,
    t: Any,
) -> Any:
    """Give a gene an option and a step; return the conflicts that this adds."""
    _, parent, first_use, use, first_share, share, main, most, _, _ = tables
    resources, shares = len(most), len(main)
    o0, t0 = option[g], step[g]
    delta = 0
    if len(kids) > 0:
        delta += _late(parent, steps, step, kids, g, o, t, o0, t0)
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
