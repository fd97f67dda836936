"""Places for the switches of an irregular network, the same every time.

Kamada and Kawai's springs, from a few starting places; of these the picture with the fewest
crossings, eased apart until no switch lies on another or on a link that is not its own.

Source: Kamada and Kawai, Information Processing Letters 31(1), 1989 (networkx).
"""

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.networks.irregular import Irregular

if TYPE_CHECKING:
    import networkx as nx

__all__ = ["Point", "Points", "crossings", "places"]

Point = tuple[float, float]
Points = NDArray[np.float64]
"""Places, shape (n, 2), in hops: one is the least distance of two switches."""

CLEAR = 0.55
"""Distance to keep between a switch and a link that passes it."""
LINK = 1.4
"""Wanted length of a link."""
STARTS = 6
STEPS = 400


@cache
def places(network: Irregular) -> tuple[Point, ...]:
    """Return the place of every switch, the lower left corner of them all at (0, 0).

    Parameters
    ----------
    network : Irregular

    Returns
    -------
    tuple of (float, float), by switch
        At least one apart.
    """
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(network.switches))
    graph.add_edges_from((a, b) for (a, _), (b, _) in network.links if a != b)
    pairs = np.array(graph.edges, dtype=np.int64).reshape(-1, 2)
    best = min(_springs(graph), key=lambda points: crossings(points, pairs))
    best = _eased(_turned(best), pairs)
    best = best - best.min(axis=0)
    width, height = best.max(axis=0)
    if height > 1.05 * width:
        best = np.stack([height - best[:, 1], best[:, 0]], axis=1)
    # Rounded, so that the last bits of a machine's arithmetic do not show.
    return tuple((float(x), float(y)) for x, y in best.round(3))


def crossings(points: Points, pairs: NDArray[np.int64]) -> int:
    """Return how many pairs of lines without a common end cross."""
    a, b = points[pairs[:, 0]], points[pairs[:, 1]]
    along = b - a
    side_a = _cross(along[:, None], a[None] - a[:, None])
    side_b = _cross(along[:, None], b[None] - a[:, None])
    parted = side_a * side_b < 0
    common = (pairs[:, None, :, None] == pairs[None, :, None, :]).any(axis=(2, 3))
    return int((parted & parted.T & ~common).sum()) // 2


def _springs(graph: "nx.Graph[int]") -> list[Points]:
    """Return layouts of springs from several starts: circles, and one without crossings."""
    import networkx as nx

    count = len(graph)
    if count < 3:
        return [np.array([(float(i), 0.0) for i in range(count)])]
    starts: list[dict[int, Any]] = [nx.circular_layout(graph)]
    rng, circle = np.random.default_rng(1), list(starts[0].values())
    for _ in range(STARTS - 1):
        starts.append(dict(zip(rng.permutation(count).tolist(), circle, strict=True)))
    if nx.check_planarity(graph)[0]:
        starts.append(nx.planar_layout(graph))
    found = []
    for start in starts:
        placed = nx.kamada_kawai_layout(graph, pos=start)
        found.append(np.array([placed[i] for i in range(count)]))
    return found


def _turned(points: Points) -> Points:
    """Lay the long way of a picture level; one as high as it is wide stays."""
    points = points - points.mean(axis=0)
    spread, axes = np.linalg.eigh(points.T @ points)
    if spread[1] < 1.2 * spread[0]:
        return points
    across, up = axes[:, 1], axes[:, 0]
    turned = points @ np.stack([across * _sign(across), up * _sign(up)], axis=1)
    return np.asarray(turned, dtype=np.float64)


def _sign(axis: Points) -> float:
    return 1.0 if axis[np.abs(axis).argmax()] > 0 else -1.0


def _eased(points: Points, pairs: NDArray[np.int64]) -> Points:
    """Push switches off each other and off links; at last scale up what is still too near."""
    if len(pairs):
        lengths = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
        points = points * (LINK / float(np.median(lengths)))
    for _ in range(STEPS):
        push = _apart(points) + _clear(points, pairs)
        if np.abs(push).max() < 1e-3:
            break
        points = points + 0.4 * np.clip(push, -0.5, 0.5)
    nearest = _distances(points).min(initial=np.inf)
    return points / nearest if nearest < 1 else points


def _distances(points: Points) -> Points:
    away = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(away, np.inf)
    return np.asarray(away, dtype=np.float64)


def _apart(points: Points) -> Points:
    delta = points[:, None] - points[None]
    away = _distances(points)
    push = np.maximum(0.0, 1.02 - away) / np.maximum(away, 1e-6)
    return np.asarray((delta * push[..., None]).sum(axis=1) / 2, dtype=np.float64)


def _clear(points: Points, pairs: NDArray[np.int64]) -> Points:
    """Push each switch and the links that pass it too near away from each other."""
    a, b = points[pairs[:, 0]], points[pairs[:, 1]]
    along = b - a
    square = np.maximum((along**2).sum(axis=1), 1e-9)
    foot = (((points[:, None] - a) * along).sum(axis=2) / square).clip(0, 1)
    away = points[:, None] - (a + foot[..., None] * along)
    gap = np.linalg.norm(away, axis=2)
    own = np.arange(len(points))[:, None, None] == pairs
    gap[own.any(axis=2)] = np.inf
    # A switch right on a link goes to its left.
    on = gap < 1e-6
    aside = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.sqrt(square)[:, None]
    away[on] = 1e-6 * np.broadcast_to(aside, away.shape)[on]
    push = np.maximum(0.0, CLEAR - gap) / np.maximum(gap, 1e-6) / 2
    shove = away * push[..., None]
    total = shove.sum(axis=1)
    for end, share in ((0, 1 - foot), (1, foot)):
        np.add.at(total, pairs[:, end], -(shove * share[..., None]).sum(axis=0))
    return np.asarray(total, dtype=np.float64)


def _cross(a: Points, b: Points) -> Points:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0], dtype=np.float64)
