"""Balanced-Path, a binomial tree whose long paths get the near nodes; and what it is measured by.

Parents are served one slot at a time: the one with the most slots open comes first, of equals the
deeper, then the one that was placed earlier. It takes the nearest of the nodes left, the lowest
number of equals, into its slot with the largest subtree. Whose turn it is does not depend on costs.

A parent that is served has one open slot less, and its new child at most as many as that. So they
are served in rounds: in the round of m all with m slots or more, each once.

Source: paper ADAPT, section 2; ties: SPEC section 4. Where the number of nodes is no power of two,
only positions that there are count as slots, and the one with the largest subtree is the one that
would have it in the whole tree, the highest. That is ours: the paper has whole trees only. So are
candidates: with all nodes that are left, as in the paper, N nodes take N²/2 costs.

It is measured against the cheapest tree of a few nodes, found by looking at all.
A binomial tree of m nodes is one of 2 to the j under its root, the largest that is smaller, and
beside it one of the rest, whose root receives from the same root first. So the cheapest tree of a
root and a set comes from all partitions of the set in two. That is exact, and 16 nodes, which have
15! trees, take 0.1 s; 32 would take some 10 to the 10 sets.
"""

from collections.abc import Iterator

import numpy as np

from syncfabric.models.broadcast.costs import Costs, Floats, Ints, MatrixCosts
from syncfabric.models.broadcast.layout import Layout, children
from syncfabric.models.broadcast.near import All, Finder, Flags, Guess, Near, finder
from syncfabric.models.broadcast.near_kernel import pick
from syncfabric.models.broadcast.start_up import NO_START_UP, StartUp
from syncfabric.models.compiled import compiled
from syncfabric.models.errors import SpecError
from syncfabric.models.timing.loggp import LogGP

BLOCK = 1 << 18
"""Costs that are looked at together, about."""
EXACT, LAST = 1 << 25, 2_048
"""All nodes that are left are candidates in rounds that so take no more costs, which are the first
ones, on whose links most paths depend; and so are the last nodes."""
OPTIMUM_NODES = 16
"""Up to which the cheapest tree is looked for."""


def rounds(size: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield parents in the order in which they are served, and the positions that are filled."""
    depth, created = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    filled = 1
    for slot in reversed(range((size - 1).bit_length())):
        step = 1 << slot
        parents = np.arange(0, size - step, 2 * step)
        parents = parents[np.lexsort((created[parents], -depth[parents]))]
        places = parents + step
        depth[places] = depth[parents] + 1
        created[places] = np.arange(filled, filled + len(places))
        filled += len(places)
        yield parents, places


def balanced_path(costs: Costs, nodes: Ints, root: int, near: Near = None) -> Ints:
    """Return the node at each position.

    Parameters
    ----------
    costs : Costs
    nodes : int64, of shape (size)
        All nodes, each once.
    root : int
        One of them.
    near : Near
        How the nearest nodes are found.

    Raises
    ------
    SpecError
        A cost function returned what is no cost, or ``near`` does not fit the nodes.
    """
    members = np.sort(nodes)
    at: Ints = np.full(len(members), np.searchsorted(members, root), dtype=np.int64)
    left = np.ones(len(members), dtype=np.bool_)
    left[at[0]] = False
    found, everything = finder(near, costs, members, left), All(left)
    for parents, places in rounds(len(members)):
        first, rows = 0, 1
        while first < len(parents):
            few = len(parents) * everything.width <= EXACT or everything.width <= LAST
            exact = few or not found.indexed
            here = everything if exact else found
            end = first + min(rows, max(1, BLOCK // here.width))
            done, by_index = _serve(costs, members, here, left, at[parents[first:end]])
            assert len(done), "a finder returned only nodes that are taken"
            for one in {found, everything}:
                one.take(done)
            if isinstance(here, Guess):
                here.adapt(len(done), by_index)
            at[places[first : first + len(done)]] = done
            rows = rows + rows // 4 + 1 if len(done) == end - first else len(done)
            first += len(done)
    return members[at]


def _serve(
    costs: Costs, members: Ints, found: Finder, left: Flags, parents: Ints
) -> tuple[Ints, int]:
    """Return the nodes of the first parents, of one or more, by rank; how many an index found."""
    ranks = found.candidates(parents)
    there = ranks.ravel() >= 0
    values: Floats = np.empty(ranks.shape)
    above = np.repeat(members[parents], ranks.shape[1])
    values.ravel()[there] = costs.between(above[there], members[ranks.ravel()[there]])
    chosen = np.empty(len(parents), dtype=np.int64)
    count, by_index = pick(ranks, values, found.indexed, left, chosen)
    return chosen[:count], by_index


def least_cost(costs: MatrixCosts, root: int, start_up: StartUp = NO_START_UP) -> float:
    """Return the cost of the cheapest tree of all nodes.

    Parameters
    ----------
    costs : MatrixCosts
        Of at most ``OPTIMUM_NODES`` nodes.
    root : int
    start_up : StartUp
        With it the cost is the time in which the last node has the message, else that of the
        costliest path.

    Raises
    ------
    SpecError
        There are too many nodes, or the root is none of them.
    """
    nodes = costs.known
    if nodes > OPTIMUM_NODES:
        raise SpecError(f"optimum: {nodes} nodes are more than {OPTIMUM_NODES}")
    if not 0 <= root < nodes:
        raise SpecError(f"root {root}: it is not among the nodes")
    sizes = [nodes]
    for size in sizes:
        if size > 1:
            part = 1 << ((size - 1).bit_length() - 1)  # the largest power of two below
            sizes += [m for m in (part, size - part) if m not in sizes]
    one, other = np.divmod(np.arange(nodes * nodes), nodes)
    links = costs.between(one, other).reshape(nodes, nodes) + start_up.transfer
    return float(_least(links, root, np.array(sorted(sizes)), start_up.interval))


@compiled
def _ones(word: int) -> int:
    count = 0
    while word:
        word &= word - 1
        count += 1
    return count


@compiled
def _least(links: Floats, root: int, sizes: Ints, interval: float) -> float:
    """Fill in the least cost of every root and set that has one of the sizes, ascending."""
    nodes = len(links)
    whole = (1 << nodes) - 1
    least = np.full((whole + 1, nodes), np.inf)
    for size in sizes:
        rest = 1
        while 2 * rest < size:
            rest *= 2
        rest = size - rest
        for found in range(1, whole + 1):
            if _ones(found) != size:
                continue
            for top in range(nodes):
                if not found >> top & 1 or (size == nodes and top != root):
                    continue
                if size == 1:
                    least[found, top] = 0.0
                    continue
                free = found & ~(1 << top)
                part = free
                best = np.inf
                while part:
                    if _ones(part) == rest:
                        own = interval + least[found & ~part, top] if size - rest > 1 else 0.0
                        if own < best:
                            for below in range(nodes):
                                if part >> below & 1:
                                    far = links[top, below] + least[part, below]
                                    best = min(best, max(own, far))
                    part = (part - 1) & free
                least[found, top] = best
    cost: float = least[whole, root]
    return cost


def arrivals_ns(layout: Layout, machine: LogGP, size: int) -> Floats:
    """Return when each position has the message, a parent's messages sent one after another.

    The root has it at 0. The cost of a tree in paper ADAPT, section 3, takes all of a parent's
    messages to start at once, so it is no time in which a broadcast ends.

    Parameters
    ----------
    layout : Layout
        Its links' costs are in hops of ``machine.h`` each; with h = 1 they are nanoseconds.
    machine : LogGP
    size : int
        Bytes of the message.

    Returns
    -------
    float64, of shape (nodes)

    Raises
    ------
    SpecError
        The size is not 1 or more.
    """
    start_up = StartUp.under(machine, size)
    times = np.zeros(layout.size)
    for x in range(layout.size):
        for sent, y in enumerate(reversed(children(x, layout.size))):
            start = times[x] + sent * start_up.interval
            times[y] = start + start_up.transfer + layout.link(y) * machine.h
    return times


def completion_ns(layout: Layout, machine: LogGP, size: int) -> float:
    """Return when the last node has the message; see ``arrivals_ns``."""
    return float(arrivals_ns(layout, machine, size).max())
