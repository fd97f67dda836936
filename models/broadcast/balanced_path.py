"""Balanced-Path: a binomial tree whose long paths get the near nodes.

Parents are served one slot at a time: the one with the most slots open comes first, of equals the
deeper, then the one that was placed earlier. It takes the nearest of the nodes left, the lowest
number of equals, into its slot with the largest subtree. Whose turn it is does not depend on costs.

A parent that is served has one open slot less, and its new child at most as many as that. So they
are served in rounds: in the round of m all with m slots or more, each once.

Source: paper ADAPT, section 2; ties: SPEC section 4. Where the number of nodes is no power of two,
only positions that there are count as slots, and the one with the largest subtree is the one that
would have it in the whole tree, the highest. That is ours: the paper has whole trees only. So are
candidates: with all nodes that are left, as in the paper, N nodes take N²/2 costs.
"""

from collections.abc import Iterator

import numpy as np

from syncfabric.models.broadcast.costs import Costs, Floats, Ints
from syncfabric.models.broadcast.near import All, Finder, Flags, Guess, Near, finder
from syncfabric.models.broadcast.near_kernel import pick

BLOCK = 1 << 18
"""Costs that are looked at together, about."""
EXACT, LAST = 1 << 25, 2_048
"""All nodes that are left are candidates in rounds that so take no more costs, which are the first
ones, on whose links most paths depend; and so are the last nodes."""


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
                here.judge(len(done), by_index)
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
