"""A short round trip through places of a grid, by the distances alone: the order to visit them in.

Nearest neighbour, then 2-opt and moves of up to three places elsewhere (Or-opt), always the best
move there is, until there is none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from syncfabric.models.networks.mesh import Node
from syncfabric.models.planning.tree import Ints

__all__ = ["short_tour"]

PIECES = (1, 2, 3)
"""Places that are moved together."""


def short_tour(places: Sequence[Node]) -> list[int]:
    """Return an order of the places, as their positions; the first stays the first.

    Parameters
    ----------
    places : sequence of Node
        One or more; time grows with the third power of their number.
    """
    at = np.array(places, dtype=np.int64).reshape(-1, 2)
    away = np.abs(at[:, None] - at).sum(axis=2)
    order = _nearest(away)
    while len(order) > 3 and (_reverse(order, away) or any(_move(order, away, n) for n in PIECES)):
        pass
    start = int(np.flatnonzero(order == 0)[0])
    return [*order[start:].tolist(), *order[:start].tolist()]


def _nearest(away: Ints) -> Ints:
    left = np.ones(len(away), dtype=bool)
    order = [0]
    left[0] = False
    far = int(away.max()) + 1
    while left.any():
        order.append(int(np.where(left, away[order[-1]], far).argmin()))
        left[order[-1]] = False
    return np.array(order, dtype=np.int64)


def _reverse(order: Ints, away: Ints) -> bool:
    """Turn round the part of the tour that shortens it most; return whether there is one."""
    after = np.roll(order, -1)
    now = away[order, after]
    gain = now[:, None] + now - away[order[:, None], order] - away[after[:, None], after]
    np.fill_diagonal(gain, 0)
    first, last = divmod(int(gain.argmax()), len(order))
    if gain[first, last] <= 0:
        return False
    first, last = sorted((first, last))
    order[first + 1 : last + 1] = order[first + 1 : last + 1][::-1].copy()
    return True


def _move(order: Ints, away: Ints, size: int) -> bool:
    """Move the part of ``size`` places that shortens the tour most; return whether there is one."""
    count = len(order)
    if count < size + 3:
        return False
    head, tail = order, np.roll(order, 1 - size)
    before, behind = np.roll(order, 1), np.roll(order, -size)
    saved = away[before, head] + away[tail, behind] - away[before, behind]
    # To between the places i and i + 1: the same way round, or turned.
    left, right = order, np.roll(order, -1)
    gap = away[left, right]
    same = away[head[:, None], left] + away[tail[:, None], right] - gap
    turned = away[tail[:, None], left] + away[head[:, None], right] - gap
    gain = saved[:, None] - np.minimum(same, turned)
    places = np.arange(count)
    inside = (places - places[:, None] + 1) % count <= size  # the part's own gaps
    gain[inside] = 0
    part, to = divmod(int(gain.argmax()), count)
    if gain[part, to] <= 0:
        return False
    ring = np.roll(order, -part)
    piece, rest = ring[:size], ring[size:]
    cut = (to - part) % count - size + 1
    if turned[part, to] < same[part, to]:
        piece = piece[::-1]
    order[:] = np.concatenate([rest[:cut], piece, rest[cut:]])
    return True
