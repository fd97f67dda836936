"""The cheapest binomial tree of a few nodes, found by looking at all of them.

A binomial tree of m nodes is one of 2 to the j under its root, the largest that is smaller, and
beside it one of the rest, whose root hears from the same root first. So the cheapest tree of a root
and a set comes from all ways to part the set in two. That is exact, and 16 nodes, which have 15!
trees, take 0.1 s; 32 would take some 10 to the 10 sets.
"""

import numpy as np

from syncfabric.models.broadcast.costs import Floats, Ints, MatrixCosts
from syncfabric.models.broadcast.layout import Layout, children
from syncfabric.models.broadcast.start_up import NO_START_UP, StartUp
from syncfabric.models.compiled import compiled
from syncfabric.models.errors import SpecError
from syncfabric.models.timing.loggp import LogGP

OPTIMUM_NODES = 16


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
            part = _half(size)
            sizes += [m for m in (part, size - part) if m not in sizes]
    one, other = np.divmod(np.arange(nodes * nodes), nodes)
    links = costs.between(one, other).reshape(nodes, nodes) + start_up.transfer
    return float(_least(links, root, np.array(sorted(sizes)), start_up.interval))


def _half(size: int) -> int:
    """Return the largest power of two below ``size``."""
    return 1 << ((size - 1).bit_length() - 1)


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
