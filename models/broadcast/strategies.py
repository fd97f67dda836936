"""Family, Path, Leaf and Position swapping: the swaps to try, in their order, until when.

A strategy looks around a link whose cost rose, from parent a to child b, or around a node that came
to its place, where a and b are one. The root is never swapped. Every trial is a step and starts
from the same tree. The first whose cost is no more than the goal ends the search; else the cheapest
is carried out, if it costs less than no swap.

Source: paper ADAPT, section 3.1 to 3.4 and Figs. 2 and 3; SPEC section 4.
"""

from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from syncfabric.models.broadcast.costs import Ints
from syncfabric.models.broadcast.layout import NO_GOAL, Layout, ancestors, children, parent

Strategy: TypeAlias = Literal["family", "path", "leaf", "position"]
STRATEGIES: tuple[Strategy, ...] = get_args(Strategy)

Trials: TypeAlias = Iterator[tuple[Ints, Ints]]
"""Blocks of pairs of positions that are to be swapped, in their order."""

BLOCKS = tuple(32 << k for k in range(8))
"""Trials of the first blocks; the last one's number goes on."""


class Found(NamedTuple):
    """What a search did."""

    steps: int
    """Trials."""
    swap: tuple[int, int] | None
    """The positions swapped, if any."""


MOST_TRIALS = 4_096
"""Of an event, if nothing else is asked for; the paper's trees have up to 2,024 nodes."""


def trials(strategy: Strategy, layout: Layout, a: int, b: int, most: int = MOST_TRIALS) -> Trials:
    """Yield the trials of a strategy.

    Parameters
    ----------
    strategy : Strategy
    layout : Layout
        As it is before any trial.
    a, b : int
        Positions: of the link's parent and child; or of a node, twice.
    most : int
        Trials, of which the last ones are left out.
    """
    for p, q in _ORDERS[strategy](layout, a, b):
        yield p[:most], q[:most]
        most -= len(p)
        if most <= 0:
            return


def search(layout: Layout, blocks: Trials, goal: float) -> Found:
    """Try swaps until one meets the goal, and carry out the best.

    Raises
    ------
    SpecError
        A cost function returned what is no cost; the tree is as it was.
    """
    steps, best, swap = 0, layout.cost, None
    for p, q in blocks:
        tried, found, best = layout.try_swaps(p, q, best, goal)
        steps += tried
        if found >= 0:
            swap = int(p[found]), int(q[found])
        if best <= goal:
            break
    if swap is not None:
        layout.swap(*swap)
    return Found(steps, swap)


def refine(layout: Layout, searches: int) -> Iterator[Found]:
    """Swap nodes of the costliest path with leaves as long as that helps, and yield the searches.

    From the leaf up, the first link of the path around which a swap helps is taken. Ours.
    """
    for _ in range(searches):
        for b in reversed(layout.longest_path(0)):
            found = search(layout, trials("leaf", layout, parent(b), b), NO_GOAL)
            yield found
            if found.swap is not None:
                break
        else:
            return


def neighbours(layout: Layout, x: int, y: int) -> Trials:
    """Bring the nodes of two positions together: each into the places next to the other.

    Ours, for links outside the tree whose cost falls; the paper has no swaps then.
    """
    pairs = [
        (mover, place)
        for mover, still in ((y, x), (x, y))
        for place in (*children(still, layout.size), parent(still))
        if 0 not in (mover, place) and place not in (mover, still)
    ]
    return _block(pairs)


def _block(pairs: list[tuple[int, int]]) -> Trials:
    """Yield all pairs at once, if there are any."""
    if pairs:
        both = np.array(pairs, dtype=np.int64)
        yield both[:, 0].copy(), both[:, 1].copy()


def _family(layout: Layout, a: int, b: int) -> Trials:
    """The child with its children, its parent, and the parent's other children."""
    above = parent(b)
    siblings = [x for x in children(above, layout.size) if x != b]
    order = [*children(b, layout.size), above, *siblings]
    return _block([(b, x) for x in order if x])


def _path(layout: Layout, a: int, b: int) -> Trials:
    """By turns the parent with those above it, and the child with those on its costliest path."""
    up = [(a, x) for x in ancestors(a) if x]
    down = [(b, x) for x in layout.longest_path(b)]
    both = min(len(up), len(down))
    turns = [pair for turn in zip(up, down, strict=False) for pair in turn]
    return _block(turns + up[both:] + down[both:])


def _leaf(layout: Layout, a: int, b: int) -> Trials:
    """Parent and child by turns with each leaf, from the lowest position on."""
    movers = np.array([x for x in dict.fromkeys((a, b)) if x], dtype=np.int64)
    last = layout.size - 1
    leaves = (last + 1) // 2 + (last % 2 == 0)
    for first, end in _bounds(leaves):
        found = np.minimum(2 * np.arange(first, end) + 1, last)
        p, q = np.tile(movers, len(found)), np.repeat(found, len(movers))
        yield p[p != q], q[p != q]


def _position(layout: Layout, a: int, b: int) -> Trials:
    """The parent, or under the root the child, with positions ever farther from its own."""
    x = a or b
    for first, end in _bounds(max(x - 1, layout.size - 1 - x)):
        away = np.arange(first + 1, end + 1)
        found = np.stack([x + away, x - away], axis=1).ravel()
        found = found[(found > 0) & (found < layout.size)]
        yield np.full(len(found), x), found


def _bounds(count: int) -> Iterator[tuple[int, int]]:
    """Cut 0 to ``count`` into blocks that grow."""
    first, number = 0, 0
    while first < count:
        end = min(count, first + BLOCKS[min(number, len(BLOCKS) - 1)])
        yield first, end
        first, number = end, number + 1


_ORDERS: dict[Strategy, Callable[[Layout, int, int], Trials]] = {
    "family": _family,
    "path": _path,
    "leaf": _leaf,
    "position": _position,
}
