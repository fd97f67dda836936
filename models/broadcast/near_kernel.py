"""The compiled part of finding near nodes: trees of boxes, lists of groups, and draws.

Nodes are named by rank. The tree of boxes is complete: box 1 holds all points, box b has the
halves 2 b and 2 b + 1, and box j of level l the points from n j / 2^l to n (j + 1) / 2^l of
``order``. Each box has the lowest rank that is left in it, n if none is: so of equal distances the
lowest ranks are found without a look at all of them.
"""

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.broadcast.costs import Floats, Ints
from syncfabric.models.compiled import compiled

LEAF = 8
"""Points of the smallest boxes, about."""


@compiled
def sort_points(points: Floats, levels: int) -> tuple[Ints, Ints]:
    """Return the points in the order of the boxes, each split along its longest side.

    Returns
    -------
    tuple of int64, of shape (nodes)
        Ranks; and the smallest box of each rank.
    """
    count, sides = points.shape
    order, leaf = np.arange(count), np.empty(count, np.int64)
    for level in range(levels):
        for j in range(1 << level):
            part = order[count * j >> level : count * (j + 1) >> level].copy()
            longest, axis = -1.0, 0
            for k in range(sides):
                most, fewest = -np.inf, np.inf
                for x in part:
                    most, fewest = max(most, points[x, k]), min(fewest, points[x, k])
                if most - fewest > longest:
                    longest, axis = most - fewest, k
            key = np.empty(len(part))
            for i in range(len(part)):
                key[i] = points[part[i], axis]
            begin = count * j >> level
            for i, x in enumerate(np.argsort(key)):
                order[begin + i] = part[x]
    for j in range(1 << levels):
        for i in range(count * j >> levels, count * (j + 1) >> levels):
            leaf[order[i]] = (1 << levels) + j
    return order, leaf


@compiled
def boxes(points: Floats, order: Ints, levels: int) -> tuple[Floats, Floats]:
    """Return the lowest and the highest coordinates of each box, of shape (boxes, dimensions)."""
    count, sides = points.shape
    low = np.full((2 << levels, sides), np.inf)
    high = np.full((2 << levels, sides), -np.inf)
    for j in range(1 << levels):
        box = (1 << levels) + j
        for i in range(count * j >> levels, count * (j + 1) >> levels):
            for k in range(sides):
                low[box, k] = min(low[box, k], points[order[i], k])
                high[box, k] = max(high[box, k], points[order[i], k])
    for box in range((1 << levels) - 1, 0, -1):
        for k in range(sides):
            low[box, k] = min(low[2 * box, k], low[2 * box + 1, k])
            high[box, k] = max(high[2 * box, k], high[2 * box + 1, k])
    return low, high


@compiled
def lowest_left(order: Ints, levels: int, left: NDArray[np.bool_]) -> Ints:
    """Return the lowest rank that is left in each box."""
    count = len(order)
    least = np.full(2 << levels, count)
    for j in range(1 << levels):
        for i in range(count * j >> levels, count * (j + 1) >> levels):
            if left[order[i]]:
                box = (1 << levels) + j
                least[box] = min(least[box], order[i])
    for box in range((1 << levels) - 1, 0, -1):
        least[box] = min(least[2 * box], least[2 * box + 1])
    return least


@compiled
def remove_points(order: Ints, leaf: Ints, levels: int, least: Ints, ranks: Ints) -> None:
    """Take points away: those of ``order`` that are taken are stored as -1 - rank."""
    count = len(order)
    for rank in ranks:
        box = leaf[rank]
        j, found = box - (1 << levels), count
        for i in range(count * j >> levels, count * (j + 1) >> levels):
            if order[i] == rank:
                order[i] = -1 - rank
            elif order[i] >= 0:
                found = min(found, order[i])
        least[box] = found
        while box > 1:
            box >>= 1
            least[box] = min(least[2 * box], least[2 * box + 1])


@compiled
def _away(low: Floats, high: Floats, box: int, points: Floats, one: int) -> float:
    """Return the square of the distance of a point from a box."""
    total = 0.0
    for k in range(points.shape[1]):
        side = max(low[box, k] - points[one, k], points[one, k] - high[box, k], 0.0)
        total += side * side
    return total


@compiled
def nearest(
    points: Floats,
    order: Ints,
    levels: int,
    low: Floats,
    high: Floats,
    least: Ints,
    parents: Ints,
    many: int,
) -> Ints:
    """Return the nearest points that are left, of shape (parents, many), and -1 where none is."""
    count, sides = points.shape
    found = np.full((len(parents), many), -1)
    away = np.empty(many)
    boxes, far = np.empty(2 * levels + 2, np.int64), np.empty(2 * levels + 2)
    for row in range(len(parents)):
        one, held, top = parents[row], 0, 1
        boxes[0], far[0] = 1, 0.0
        while top:
            top -= 1
            box, distance = boxes[top], far[top]
            if least[box] == count:
                continue
            if held == many and (distance, least[box]) >= (away[many - 1], found[row, many - 1]):
                continue
            if box < 1 << levels:
                near, other = 2 * box, 2 * box + 1
                a, b = _away(low, high, near, points, one), _away(low, high, other, points, one)
                if (b, least[other]) < (a, least[near]):
                    near, other, a, b = other, near, b, a
                boxes[top], far[top] = other, b
                boxes[top + 1], far[top + 1] = near, a
                top += 2
                continue
            j = box - (1 << levels)
            for i in range(count * j >> levels, count * (j + 1) >> levels):
                x = order[i]
                if x < 0:
                    continue
                total = 0.0
                for k in range(sides):
                    side = points[x, k] - points[one, k]
                    total += side * side
                if held == many:
                    if (total, x) >= (away[many - 1], found[row, many - 1]):
                        continue
                else:
                    held += 1
                at = held - 1
                while at and (total, x) < (away[at - 1], found[row, at - 1]):
                    away[at], found[row, at] = away[at - 1], found[row, at - 1]
                    at -= 1
                away[at], found[row, at] = total, x
    return found


@compiled
def link_groups(group: Ints, left: NDArray[np.bool_]) -> tuple[Ints, Ints, Ints]:
    """Return lists of the nodes that are left, ascending, of each group of each level.

    Parameters
    ----------
    group : int64, of shape (levels, nodes)
        Numbers from 0, the largest groups first.

    Returns
    -------
    tuple of int64, of shape (levels, nodes)
        The first of each group; the next and the last one of each node; -1: none.
    """
    head, after, before = np.full_like(group, -1), np.full_like(group, -1), np.full_like(group, -1)
    for level in range(len(group)):
        for x in range(group.shape[1] - 1, -1, -1):
            if left[x]:
                first = head[level, group[level, x]]
                after[level, x] = first
                if first >= 0:
                    before[level, first] = x
                head[level, group[level, x]] = x
    return head, after, before


@compiled
def unlink(group: Ints, head: Ints, after: Ints, before: Ints, ranks: Ints) -> None:
    """Take nodes out of all lists."""
    for x in ranks:
        for level in range(len(group)):
            last, following = before[level, x], after[level, x]
            if last >= 0:
                after[level, last] = following
            else:
                head[level, group[level, x]] = following
            if following >= 0:
                before[level, following] = last


@compiled
def kin(group: Ints, head: Ints, after: Ints, parents: Ints, many: int) -> Ints:
    """Return those of the smallest groups, of shape (parents, many), and -1 where none is."""
    deepest = len(group) - 1
    found = np.full((len(parents), many), -1)
    for row in range(len(parents)):
        one, held = parents[row], 0
        for level in range(deepest, -1, -1):
            x = head[level, group[level, one]]
            while x >= 0 and held < many:
                if level == deepest or group[level + 1, x] != group[level + 1, one]:
                    found[row, held] = x
                    held += 1
                x = after[level, x]
    return found


@compiled
def bag(left: NDArray[np.bool_]) -> tuple[Ints, Ints]:
    """Return the ranks that are left, and where each stands among them."""
    ranks = np.flatnonzero(left)
    slot = np.full(len(left), -1)
    for i in range(len(ranks)):
        slot[ranks[i]] = i
    return ranks, slot


@compiled
def take_out(ranks: Ints, slot: Ints, count: int, taken: Ints) -> int:
    """Remove ranks from the first ``count`` of a bag, and return how many are left."""
    for x in taken:
        count -= 1
        last = ranks[count]
        ranks[slot[x]], slot[last] = last, slot[x]
    return count


@compiled
def draw(ranks: Ints, count: int, state: NDArray[np.uint64], rows: int, many: int) -> Ints:
    """Draw uniformly from the first ``count``, of shape (rows, many).

    The generator is Marsaglia's xorshift, Journal of Statistical Software 8(14), 2003.
    """
    found = np.empty((rows, many), np.int64)
    x = state[0]
    for row in range(rows):
        for k in range(many):
            x ^= x << np.uint64(13)
            x ^= x >> np.uint64(7)
            x ^= x << np.uint64(17)
            found[row, k] = ranks[
                np.int64((x >> np.uint64(33)) * np.uint64(count) >> np.uint64(31))
            ]
    state[0] = x
    return found


@compiled
def pick(
    ranks: Ints, values: Floats, indexed: int, left: NDArray[np.bool_], chosen: Ints
) -> tuple[int, int]:
    """Give each parent the nearest candidate that is left, of equals the lowest rank.

    Parameters
    ----------
    ranks, values : arrays of shape (parents, columns)
        Candidates, and their costs; -1: none.
    indexed : int
        Columns of which at least half must be left, or the row is to be found anew.
    left : bool
        Cleared where a node is taken.
    chosen : int64, of shape (parents)
        Filled in.

    Returns
    -------
    tuple of int
        Parents that have one; how many are in the first ``indexed`` columns.
    """
    by_index = 0
    for row in range(len(ranks)):
        best, where, known, there = np.inf, -1, 0, 0
        for k in range(ranks.shape[1]):
            x = ranks[row, k]
            if x < 0:
                continue
            known += k < indexed
            if left[x]:
                there += k < indexed
                if where < 0 or (values[row, k], x) < (best, ranks[row, where]):
                    best, where = values[row, k], k
        if where < 0 or 2 * there < known:
            return row, by_index
        chosen[row] = ranks[row, where]
        left[chosen[row]] = False
        by_index += where < indexed
    return len(ranks), by_index
