"""Where everything of an irregular network lies on its sheet: switches, nodes, links, ports.

Every port of a switch has its place around it: links leave in the direction of their other ends,
nodes take the gaps, and all of them push each other off, so that parallel links part.

Pure geometry, in hops: no drawing here.
"""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import atan2, cos, pi, radians, sin

import numpy as np

from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.sim.draw.irregular.layout import Point, Points, places

__all__ = ["HALF", "RIM", "RING", "Ground", "ground_of"]

HALF = 0.16
"""Half the side of a switch's square."""
RIM = 0.2
"""Distance from a switch's middle at which its links begin."""
RING, NUMBER = 0.37, 0.4
"""Distances from a switch's middle to its nodes, and to the numbers of its links' ports."""
NODE = 0.085
"""Greatest radius of a node's disc."""
APART = radians(30)
"""Wanted angle between neighbouring ports of a switch."""
FEW = 0.85
"""Part of a whole turn that these angles take at most."""
SAMPLES = 161
ROUNDS = 300

Angles = dict[Place, float]


@dataclass(frozen=True)
class Ground:
    """Places on the sheet of a network.

    Parameters
    ----------
    switches : tuple of Point
        Middle of each switch.
    links : tuple of array, shape (n, 2)
        The curve of each link, from rim to rim, in the direction in which it is listed.
    ports : dict of Place to Point
        Where each port's number, or node, is.
    radius : float
        Of a node's disc.
    """

    switches: tuple[Point, ...]
    links: tuple[Points, ...]
    ports: dict[Place, Point]
    radius: float


@cache
def ground_of(network: Irregular) -> Ground:
    """Return the ground of a network; the same for all of its pictures."""
    middles = places(network)
    angles = _angles(network, middles)
    curves = [_curve(middles[a[0]], angles[a], middles[b[0]], angles[b]) for a, b in network.links]
    ports: dict[Place, Point] = {}
    for (a, b), curve in zip(network.links, curves, strict=True):
        ports[a] = _number(curve, middles[a[0]])
        ports[b] = _number(curve[::-1], middles[b[0]])
    for node in network.nodes:
        x, y = middles[node[0]]
        ports[node] = x + RING * cos(angles[node]), y + RING * sin(angles[node])
    return Ground(
        switches=middles,
        links=tuple(curves),
        ports=ports,
        radius=min(NODE, 0.8 * pi * RING / network.ports),
    )


def _angles(network: Irregular, middles: tuple[Point, ...]) -> Angles:
    """Return the direction of each port from its switch."""
    links: dict[int, list[tuple[float, float, Place]]] = {}
    for link in network.links:
        for here, there in (link, link[::-1]):
            (x, y), (far_x, far_y) = middles[here[0]], middles[there[0]]
            # Parallel links lie side by side, in order of the lower switch's ports.
            side = min(link)[1] * (1 if here[0] < there[0] else -1)
            angle = atan2(far_y - y, far_x - x)
            links.setdefault(here[0], []).append((angle, float(side), here))
    nodes: dict[int, list[Place]] = {}
    for node in sorted(network.nodes):
        nodes.setdefault(node[0], []).append(node)
    found: Angles = {}
    for switch in range(network.switches):
        seats = _parted([(angle, port) for angle, _, port in sorted(links.get(switch, []))])
        hanging = nodes.get(switch, [])
        gaps = _gaps([angle for angle, _ in seats], len(hanging))
        seats += zip(gaps, hanging, strict=True)
        found |= {port: angle for angle, port in _parted(sorted(seats))}
    return found


def _parted(seats: list[tuple[float, Place]]) -> list[tuple[float, Place]]:
    """Push ascending angles off each other, around the circle, until they are far enough apart."""
    angles, last = [angle for angle, _ in seats], len(seats) - 1
    if last < 1:
        return seats
    apart = min(APART, FEW * 2 * pi / len(seats))
    for _ in range(ROUNDS):
        pushes = [0.0] * len(angles)
        for here, there in [*pairwise(range(len(angles))), (last, 0)]:
            gap = angles[there] - angles[here] + (2 * pi if there == 0 else 0)
            lack = max(0.0, apart - gap)
            pushes[here] -= lack / 2
            pushes[there] += lack / 2
        angles = [angle + 0.9 * push for angle, push in zip(angles, pushes, strict=True)]
        if max(map(abs, pushes)) < 1e-3:
            break
    return [(angle, port) for angle, (_, port) in zip(angles, seats, strict=True)]


def _curve(a: Point, leaves: float, b: Point, arrives: float) -> Points:
    """Return a curve between two switches' rims that has a given direction at each."""
    start, end = np.array(a), np.array(b)
    pull = 0.4 * float(np.linalg.norm(end - start))
    first = start + pull * np.array([cos(leaves), sin(leaves)])
    second = end + pull * np.array([cos(arrives), sin(arrives)])
    t = np.linspace(0, 1, SAMPLES)[:, None]
    curve = (1 - t) ** 3 * start + 3 * t * (1 - t) ** 2 * first
    curve += 3 * t**2 * (1 - t) * second + t**3 * end
    near = np.linalg.norm(curve - start, axis=1) < RIM
    far = np.linalg.norm(curve - end, axis=1) < RIM
    return np.asarray(curve[~near & ~far], dtype=np.float64)


def _number(curve: Points, middle: Point) -> Point:
    """Return where on the curve of a link, that begins at a switch, its port's number goes."""
    away = np.linalg.norm(curve - np.array(middle), axis=1)
    x, y = curve[int((away >= NUMBER).argmax())]
    return float(x), float(y)


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
