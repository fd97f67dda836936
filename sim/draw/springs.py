"""Where the switches of an irregular network stand, and where each of their ports points.

Springs from a few starting places; of these the picture with the fewest crossings, eased apart
until no switch lies on another or on a link that is not its own. Links leave a switch in the
direction of their other ends, nodes take the gaps, and all ports push each other off, so that
parallel links part. The same every time.

Source: Kamada and Kawai, Information Processing Letters 31(1), 1989 (networkx).
"""

from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from math import atan2, pi, radians
from typing import Any

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.families import named
from syncfabric.models.networks.irregular import Irregular, Link, Place
from syncfabric.sim.draw.lines import Points

CLEAR = 0.55
"""Distance to keep between a switch and a link that passes it."""
LINK = 1.4
"""Wanted length of a link."""
STARTS = 6
STEPS = 400
APART = radians(30)
"""Wanted angle between neighbouring ports of a switch."""
AROUND = radians(58)
"""Angle between a link that bows, and the straight line to its other end."""
FEW = 0.85
"""Part of a whole turn that these angles take at most."""

Seat = tuple[float, Place]
"""A direction, and the port that points there."""


def springs(count: int, pairs: Iterable[tuple[int, int]], starts: int = 1) -> Points:
    """Return a place for each vertex of a graph.

    Parameters
    ----------
    count : int
    pairs : iterable of (int, int)
        The edges.
    starts : int
        Layouts to choose from: the one with the fewest crossings.

    Returns
    -------
    array, shape (count, 2)
    """
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(count))
    graph.add_edges_from(pairs)
    if count < 3:
        return np.array([(float(i), 0.0) for i in range(count)])
    begun: list[dict[int, Any]] = [nx.circular_layout(graph)]
    rng, circle = np.random.default_rng(1), list(begun[0].values())
    for _ in range(starts - 1):
        begun.append(dict(zip(rng.permutation(count).tolist(), circle, strict=True)))
    if starts > 1 and nx.check_planarity(graph)[0]:
        begun.append(nx.planar_layout(graph))
    edges = np.array(graph.edges, dtype=np.int64).reshape(-1, 2)
    found = (nx.kamada_kawai_layout(graph, pos=start) for start in begun)
    layouts = [np.array([placed[i] for i in range(count)]) for placed in found]
    return min(layouts, key=lambda points: crossings(points, edges))


def places_of(name: str) -> tuple[tuple[float, float], ...]:
    """Return where a topology by name has its nodes and switches; empty if it does not say."""
    try:
        return named(name).places
    except SpecError:
        return ()


@cache
def places(network: Irregular) -> tuple[tuple[float, float], ...]:
    """Return the place of every switch in hops, at least one apart, the lowest and leftmost at 0.

    Those of a topology stand as it says. Else the long way of the picture lies level.
    """
    if drawn := places_of(network.family)[-network.switches :]:
        points = LINK * np.array(drawn)
        points = points - points.min(axis=0)
        return tuple((float(x), float(y)) for x, y in points.round(3))
    links = sorted({(a, b) for (a, _), (b, _) in network.links if a != b})
    pairs = np.array(links, dtype=np.int64).reshape(-1, 2)
    points = springs(network.switches, links, STARTS)
    points = points - points.mean(axis=0)
    spread, axes = np.linalg.eigh(points.T @ points)
    if spread[1] >= 1.2 * spread[0]:  # else it is as high as it is wide
        axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])
        points = points @ axes[:, ::-1]
    points = _eased(points, pairs)
    points = points - points.min(axis=0)
    width, height = points.max(axis=0)
    if height > 1.05 * width:
        points = np.stack([height - points[:, 1], points[:, 0]], axis=1)
    # Rounded, so that the last bits of a machine's arithmetic do not show.
    return tuple((float(x), float(y)) for x, y in points.round(3))


@cache
def bowed(network: Irregular) -> frozenset[Link]:
    """Return the links of a topology whose straight lines would lie on a switch."""
    if not places_of(network.family):
        return frozenset()
    points, found = np.array(places(network)), []
    for link in network.links:
        (a, _), (b, _) = link
        along = points[b] - points[a]
        foot = ((points - points[a]) @ along / (along @ along)).clip(0, 1)
        gap = np.linalg.norm(points - points[a] - foot[:, None] * along, axis=1)
        gap[[a, b]] = CLEAR
        if gap.min() < CLEAR / 2:
            found.append(link)
    return frozenset(found)


def crossings(points: Points, pairs: NDArray[np.int64]) -> int:
    """Return how many pairs of lines without a common end cross."""

    def side(a: Points, b: Points) -> Points:
        return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0], dtype=np.float64)

    a, b = points[pairs[:, 0]], points[pairs[:, 1]]
    along = (b - a)[:, None]
    parted = side(along, a[None] - a[:, None]) * side(along, b[None] - a[:, None]) < 0
    common = (pairs[:, None, :, None] == pairs[None, :, None, :]).any(axis=(2, 3))
    return int((parted & parted.T & ~common).sum()) // 2


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
    away = _distances(points)
    push = np.maximum(0.0, 1.02 - away) / np.maximum(away, 1e-6)
    delta = points[:, None] - points[None]
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
    left = np.stack([-along[:, 1], along[:, 0]], axis=1) / np.sqrt(square)[:, None]
    away[on] = 1e-6 * np.broadcast_to(left, away.shape)[on]
    push = np.maximum(0.0, CLEAR - gap) / np.maximum(gap, 1e-6) / 2
    shove = away * push[..., None]
    total = shove.sum(axis=1)
    for end, share in ((0, 1 - foot), (1, foot)):
        np.add.at(total, pairs[:, end], -(shove * share[..., None]).sum(axis=0))
    return np.asarray(total, dtype=np.float64)


def directions(network: Irregular) -> dict[Place, float]:
    """Return the direction of each port from its switch, in radians."""
    middles, around = places(network), bowed(network)
    links: dict[int, list[tuple[float, int, Place]]] = {}
    for link in network.links:
        for here, there in (link, link[::-1]):
            (x, y), (far_x, far_y) = middles[here[0]], middles[there[0]]
            # Parallel links lie side by side, in order of the lower switch's ports.
            lower = 1 if here[0] < there[0] else -1
            angle = atan2(far_y - y, far_x - x) + lower * AROUND * (link in around)
            links.setdefault(here[0], []).append((angle, min(link)[1] * lower, here))
    found: dict[Place, float] = {}
    for switch in range(network.switches):
        seats = _parted([(angle, port) for angle, _, port in sorted(links.get(switch, []))])
        nodes = sorted(node for node in network.nodes if node[0] == switch)
        seats += zip(_gaps([angle for angle, _ in seats], len(nodes)), nodes, strict=True)
        found |= {port: angle for angle, port in _parted(sorted(seats))}
    return found


def _parted(seats: list[Seat]) -> list[Seat]:
    """Push ascending angles off each other, around the circle, until they are far enough apart."""
    if len(seats) < 2:
        return seats
    angles = np.array([angle for angle, _ in seats])
    apart = min(APART, FEW * 2 * pi / len(seats))
    for _ in range(300):
        gaps = np.diff(angles, append=angles[0] + 2 * pi)
        lack = np.maximum(0.0, apart - gaps) / 2
        push = np.roll(lack, 1) - lack
        angles = angles + 0.9 * push
        if np.abs(push).max() < 1e-3:
            break
    return [(float(angle), port) for angle, (_, port) in zip(angles, seats, strict=True)]


def _gaps(taken: list[float], count: int) -> list[float]:
    """Return ``count`` angles in the gaps between those taken, clockwise.

    All lie within a turn below the greatest that is taken; without any, the first is on top. Each
    goes to the gap that has most room for one more; those of a gap are spread evenly.
    """
    if not taken:
        return [pi / 2 - 2 * pi * place / count for place in range(count)]
    taken = sorted(taken, reverse=True)
    widths = [here - there for here, there in pairwise([*taken, taken[0] - 2 * pi])]
    held = [0] * len(widths)
    for _ in range(count):
        held[max(range(len(widths)), key=lambda gap: widths[gap] / (held[gap] + 2))] += 1
    return [
        start - width * (place + 1) / (here + 1)
        for start, width, here in zip(taken, widths, held, strict=True)
        for place in range(here)
    ]
