"""A task in flat arrays, a solution of it, and the moves that change one, compiled."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.random_numbers import draw, scaled
from syncfabric.models.compiled import uncounted

Ints = NDArray[np.int32]

DRAWS = 8
"""Senders of a gene that are drawn at most, until one has the message in time."""


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
    first_sender: Ints
    """Of shape (genes + 1). The senders of gene g, and with them parts of its options, are
    ``first_sender[g]`` to ``first_sender[g + 1]`` - 1."""
    sent: Ints
    """The first option of each sender, of shape (senders + 1)."""
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


def blank_chains(tables: Tables, rows: int) -> Chain:
    """Return space for so many solutions."""
    steps, genes = tables.steps, len(tables.low)
    relays = bool((tables.parent >= 0).any())
    return Chain(
        np.zeros((rows, genes), np.int32),
        np.zeros((rows, genes), np.int32),
        np.zeros((rows, len(tables.most) * steps), np.int16),
        np.zeros((rows, len(tables.most) * steps), np.int32),
        np.zeros((rows, len(tables.main) * steps), np.int16),
        np.zeros((rows, genes * steps if relays else 0), np.int16),
    )


@uncounted
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


@uncounted
def weigh(tables: Any, chain: Any, g: Any, o: Any, t: Any, bound: Any) -> Any:
    """Return the conflicts that a move to another step adds, or some number above ``bound``."""
    first_use, use, first_share, share = tables[3:7]
    steps, main, most = tables.steps, tables.main, tables.most
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


@uncounted
def make(tables: Any, chain: Any, g: Any, o: Any, t: Any) -> Any:
    """Give a gene an option and a step; return the conflicts that this adds."""
    parent, first_use, use, first_share, share = tables[2:7]
    steps, main, most = tables.steps, tables.main, tables.most
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


@uncounted
def row_of(chains: Any, row: Any) -> Any:
    """Return one chain of many."""
    option, step, count, holder, shared, kids = chains
    return Chain(option[row], step[row], count[row], holder[row], shared[row], kids[row])


@uncounted
def recount(tables: Any, chains: Any, row: Any, scratch: Any) -> Any:
    """Count the uses of a chain anew; return its conflicts.

    ``scratch`` is for the steps of its genes, at least, which are sent one after the other.
    """
    chain = row_of(chains, row)
    chain.count[:] = 0
    chain.holder[:] = 0
    chain.shared[:] = 0
    chain.kids[:] = 0
    genes, conflicts = len(chain.step), 0
    for g in range(genes):
        scratch[g] = chain.step[g]
        chain.step[g] = tables.steps
    for g in range(genes):
        conflicts += make(tables, chain, g, np.int64(chain.option[g]), np.int64(scratch[g]))
    return conflicts


@uncounted
def any_option(tables: Any, g: Any, bits: Any) -> Any:
    """Return an option of a gene from 32 random bits: each sender is as likely as the others."""
    begin = tables.first_sender[g]
    bits = bits * np.uint64(tables.first_sender[g + 1] - begin)
    sender = begin + np.int64(bits >> np.uint64(32))
    first = tables.sent[sender]
    return first + scaled(bits & np.uint64(0xFFFFFFFF), tables.sent[sender + 1] - first)


@uncounted
def values(tables: Any, seeds: Any, source: Any) -> Any:
    """Draw a gene, an option and a step for it; return them, and the last draw's bits."""
    low, high = tables.low, tables.high
    bits = draw(seeds, source)
    g = scaled(bits >> np.uint64(32), len(low))
    o = any_option(tables, g, bits & np.uint64(0xFFFFFFFF))
    bits = draw(seeds, source)
    return g, o, low[g] + scaled(bits >> np.uint64(32), high[g] - low[g] + 1), bits


@uncounted
def drawn(tables: Any, chain: Any, seeds: Any, source: Any) -> Any:
    """Draw a move: another option, another step, or both; or a change of steps with another gene.

    Returns
    -------
    gene, option, step
        What is given to which gene; it may be what it has.
    other, its option
        The blocking gene, if the two change steps; else -1.
    bits
        Of a draw; its lower half, but for three bits, is as good as new.
    """
    g, o, t, bits = values(tables, seeds, source)
    low, high = tables.low, tables.high
    h, p, t0 = np.int64(-1), np.int64(-1), np.int64(chain.step[g])
    kind = np.int64(bits & np.uint64(7))
    if kind < 2:
        t = t0
    elif kind < 4:
        o = np.int64(chain.option[g])
    elif kind >= 6 and t != t0 and t < tables.steps and t0 < tables.steps:
        found = _blocking(tables, chain, g, o, t)
        if found >= 0 and low[found] <= t0 <= high[found]:
            h, p = found, np.int64(chain.option[found])
            if kind == 7:
                p = any_option(tables, h, bits & np.uint64(0xFFFFFFF8))
    if len(chain.kids) > 0 and h < 0:
        o = ready(tables, chain, g, o, t, seeds, source)
    return g, o, t, h, p, bits


@uncounted
def ready(tables: Any, chain: Any, g: Any, o: Any, t: Any, seeds: Any, source: Any) -> Any:
    """Return an option whose sender has the message before a step, if one is soon found."""
    for _ in range(DRAWS):
        p = tables.parent[o]
        if p < 0 or chain.step[p] < t:
            break
        o = any_option(tables, g, draw(seeds, source) >> np.uint64(32))
    return o


@uncounted
def _blocking(tables: Any, chain: Any, g: Any, o: Any, t: Any) -> Any:
    """Return the gene alone at the first resource taken of an option's in a step; -1: none."""
    first_use, use, most = tables.first_use, tables.use, tables.most
    for i in range(first_use[o], first_use[o + 1]):
        k = t * len(most) + use[i]
        if chain.count[k] == 1 and most[use[i]] == 1 and chain.holder[k] != g:
            return np.int64(chain.holder[k])
    return np.int64(-1)
