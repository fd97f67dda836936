"""One scene a network: where nodes and routers stand, and the lines that its links take.

Pictures and animations are drawn from it. Pure geometry, in hops, y upwards.

Springs from a few starting places; of these the picture with the fewest crossings, eased apart
until no switch lies on another or on a link that is not its own. Links leave a switch in the
direction of their other ends, nodes take the gaps, and all ports push each other off, so that
parallel links part. The same every time.

Source: Kamada and Kawai, Information Processing Letters 31(1), 1989 (networkx).
"""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from math import atan2, cos, pi, radians, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError
from syncfabric.models.networks.families import named
from syncfabric.models.networks.irregular import Irregular, Link, Place
from syncfabric.models.networks.mesh import STEP, Mesh, Port
from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.draw.lines import Points, aside, cut
from syncfabric.sim.words import node_words

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

PortAngle = tuple[float, Place]
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
def places(graph: Irregular) -> tuple[tuple[float, float], ...]:
    """Return the place of every switch in hops, at least one apart, the lowest and leftmost at 0.

    Those of a topology stand as it says. Else the picture's longer side lies level.
    """
    if drawn := places_of(graph.family)[-graph.switches :]:
        points = LINK * np.array(drawn)
        points = points - points.min(axis=0)
        return tuple((float(x), float(y)) for x, y in points.round(3))
    links = sorted({(a, b) for (a, _), (b, _) in graph.links if a != b})
    pairs = np.array(links, dtype=np.int64).reshape(-1, 2)
    points = springs(graph.switches, links, STARTS)
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
def bowed(graph: Irregular) -> frozenset[Link]:
    """Return the links of a topology whose straight lines would lie on a switch."""
    if not places_of(graph.family):
        return frozenset()
    points, found = np.array(places(graph)), []
    for link in graph.links:
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


def directions(graph: Irregular) -> dict[Place, float]:
    """Return the direction of each port from its switch, in radians."""
    middles, around = places(graph), bowed(graph)
    links: dict[int, list[tuple[float, int, Place]]] = {}
    for link in graph.links:
        for here, there in (link, link[::-1]):
            (x, y), (far_x, far_y) = middles[here[0]], middles[there[0]]
            # Parallel links lie side by side, in order of the lower switch's ports.
            lower = 1 if here[0] < there[0] else -1
            angle = atan2(far_y - y, far_x - x) + lower * AROUND * (link in around)
            links.setdefault(here[0], []).append((angle, min(link)[1] * lower, here))
    found: dict[Place, float] = {}
    for switch in range(graph.switches):
        ports = _parted([(angle, port) for angle, _, port in sorted(links.get(switch, []))])
        nodes = sorted(node for node in graph.nodes if node[0] == switch)
        ports += zip(_gaps([angle for angle, _ in ports], len(nodes)), nodes, strict=True)
        found |= {port: angle for angle, port in _parted(sorted(ports))}
    return found


def _parted(ports: list[PortAngle]) -> list[PortAngle]:
    """Push ascending angles off each other, around the circle, until they are far enough apart."""
    if len(ports) < 2:
        return ports
    angles = np.array([angle for angle, _ in ports])
    apart = min(APART, FEW * 2 * pi / len(ports))
    for _ in range(300):
        gaps = np.diff(angles, append=angles[0] + 2 * pi)
        lack = np.maximum(0.0, apart - gaps) / 2
        push = np.roll(lack, 1) - lack
        angles = angles + 0.9 * push
        if np.abs(push).max() < 1e-3:
            break
    return [(float(angle), port) for angle, (_, port) in zip(angles, ports, strict=True)]


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


NODE, HALF = 0.2, 0.16
"""Radius of a node on a mesh, and half the side of a switch's square."""
RIM = 0.2
"""Distance from a switch's middle at which its links begin."""
RING, NUMBER = 0.37, 0.4
"""Distances from a switch's middle to its nodes, and to the numbers of its links' ports."""
SMALL = 0.085
"""Greatest radius of a node at a switch."""
BOW = 0.13
"""Of a channel that goes round a vertex in its path, in parts of its length."""
SPREAD = 6.5
"""Hops along the side of a schedule's network, at least."""

Mark = tuple[float, float, str]


@dataclass(frozen=True)
class Spot:
    """A node or a router."""

    x: float
    y: float
    name: str
    """What it is called."""
    radius: float = NODE
    square: bool = False
    """A switch is a square."""
    label: str = ""
    """What stands in it."""


@dataclass(frozen=True)
class Scene:
    """Spots and links by their names in the project."""

    width: float
    height: float
    """The spots and links lie within, (0, 0) being half a hop inside."""
    away: float
    """Distance of a directed link from its line when both directions are seen: it keeps right."""
    spots: dict[Hashable, Spot] = field(default_factory=dict)
    links: dict[Hashable, Points] = field(default_factory=dict)
    """Directed, from edge to edge; both directions of a link have the same line."""
    background: list[Points] = field(default_factory=list)
    """What is drawn of the network itself."""
    ends: dict[Hashable, tuple[Hashable, Hashable]] = field(default_factory=dict)
    """The channels from and to each node."""
    marks: list[Mark] = field(default_factory=list)
    """Numbers of columns and rows."""
    numbers: list[Mark] = field(default_factory=list)
    """Numbers of the ports that links join, and of registers that longer links have more."""

    @cached_property
    def link_numbers(self) -> dict[Hashable, int]:
        """The number of each directed link, in order."""
        return {name: number for number, name in enumerate(self.links)}

    @cached_property
    def spot_numbers(self) -> dict[Hashable, int]:
        """The number of each spot, in order."""
        return {name: number for number, name in enumerate(self.spots)}

    def lane(self, link: Hashable) -> Points:
        """Return a directed link's own line, beside that of the other direction."""
        return aside(self.links[link], self.away)


@cache
def scene_of(network: AnySpec) -> Scene:
    """Return the scene of a network; its links have the names of ``Links``."""
    topology = network.topology
    return _mesh(topology) if isinstance(topology, Mesh) else _irregular(topology)


def _mesh(mesh: Mesh) -> Scene:
    scene = Scene(mesh.width, mesh.height, 0.085)
    for x, y in mesh.nodes:
        node = (x, y)
        scene.spots[node] = Spot(x, y, f"node {node_words(node)}")
        scene.ends[node] = (node, "inject"), (node, "local")
        for port in (Port.EAST, Port.NORTH):
            far = mesh.neighbour(node, port)
            if far is not None:
                line = np.array([node, far]) + 0.23 * np.outer((1, -1), STEP[port])
                scene.links[node, port.name.lower()] = line
                scene.links[far, port.opposite.name.lower()] = line[::-1]
    lines = [[(0, y), (mesh.width - 1, y)] for y in range(mesh.height)]
    lines += [[(x, 0), (x, mesh.height - 1)] for x in range(mesh.width)]
    scene.background.extend(np.array(line, dtype=np.float64) for line in lines)
    scene.marks.extend((x, -0.58, str(x)) for x in range(mesh.width))
    scene.marks.extend((-0.58, y, str(y)) for y in range(mesh.height))
    return scene


def _irregular(graph: Irregular) -> Scene:
    around, angles = bowed(graph), directions(graph)
    pad = 0.3 * bool(around)  # they bow to the left, and up
    middles = np.array(places(graph)) + np.array([pad, 0.0])
    width, height = (middles.max(axis=0) + np.array([1.0, 1.0 + pad])).tolist()
    scene = Scene(width, height, 0.06)
    for switch, (x, y) in enumerate(middles.tolist()):
        scene.spots[switch] = Spot(x, y, f"switch {switch}", HALF, square=True, label=str(switch))
    radius = min(SMALL, 0.8 * pi * RING / graph.ports)
    for node in graph.nodes:
        switch, port = node
        middle, out = middles[switch], np.array([cos(angles[node]), sin(angles[node])])
        x, y = middle + RING * out
        name = f"node {node_words(node)}"
        scene.spots[node] = Spot(float(x), float(y), name, radius, label=str(port))
        scene.ends[node] = (node, "inject"), (switch, str(port))
        line = np.array([middle + RIM * out, middle + (RING - radius) * out])
        scene.links[switch, str(port)], scene.links[node, "inject"] = line, line[::-1]
        scene.background.append(line)
    for a, b in graph.links:
        start, end = middles[a[0]], middles[b[0]]
        pull = 1.0 if (a, b) in around else 0.4 * np.hypot(*(end - start))
        first = start + pull * np.array([cos(angles[a]), sin(angles[a])])
        second = end + pull * np.array([cos(angles[b]), sin(angles[b])])
        t = np.linspace(0, 1, 61)[:, None]
        line = (1 - t) ** 3 * start + 3 * t * (1 - t) ** 2 * first
        line += 3 * t**2 * (1 - t) * second + t**3 * end
        for (switch, port), side in ((a, line), (b, line[::-1])):
            x, y = cut(side, NUMBER, 0)[0]
            scene.numbers.append((float(x), float(y), str(port)))
            scene.links[switch, str(port)] = cut(side, RIM, RIM)
        if more := graph.extra_at.get(a):
            x, y = aside(line, 0.13)[len(line) // 2]
            scene.numbers.append((float(x), float(y), f"+{more}"))
        scene.background.append(scene.links[b[0], str(b[1])])
    return scene


def schedule_scene(topology: Topology) -> Scene:
    """Return the scene of a schedule's network; its links are channels, its spots vertices."""
    points = vertex_places(topology) * max(SPREAD, 1.35 * topology.vertices**0.5)
    lines = {(a, b): _channel(points, a, b) for a, b in topology.channels}
    low = np.vstack([points, *lines.values()]).min(axis=0)
    high = np.vstack([points, *lines.values()]).max(axis=0)
    width, height = (high - low + 1.0).tolist()
    scene = Scene(width, height, 0.075)
    radius = NODE if topology.nodes < 100 else 0.24
    for vertex, (x, y) in enumerate((points - low).tolist()):
        node = vertex < topology.nodes
        name = f"{'node' if node else 'switch'} {vertex}"
        size, label = (radius, str(vertex)) if node else (HALF, "")
        scene.spots[vertex] = Spot(x, y, name, size, not node, label)
    for (a, b), line in lines.items():
        begin, end = (scene.spots[vertex].radius + 0.03 for vertex in (a, b))
        scene.links[a, b] = cut(line - low, begin, end)
        if (b, a) not in scene.links:
            scene.background.append(scene.links[a, b])
    return scene


def _channel(points: Points, a: int, b: int) -> Points:
    """Return the line of a channel, bowed where its straight one would lie on another vertex."""
    (a, b), turned = sorted((a, b)), a > b  # both directions of a link bow to the same side
    start, along = points[a], points[b] - points[a]
    length = max(1e-9, float(np.hypot(*along)))
    right = np.array([along[1], -along[0]]) / length
    foot, gap = (points - start) @ along / length**2, np.abs((points - start) @ right)
    if not ((foot > 0.05) & (foot < 0.95) & (gap < 0.2)).any():
        line = np.array([start, points[b]])
    else:
        t = np.linspace(0, 1, 21)[:, None]
        side = 1.0 if (along[0], along[1]) > (0.0, 0.0) else -1.0
        line = start + t * along + 4 * t * (1 - t) * (side * BOW * length) * right
    return line[::-1] if turned else line


def vertex_places(topology: Topology) -> Points:
    """Return a place for each vertex, within 0 to 1.

    That of a named family stands as it says; other direct networks stand in a circle,
    the lowest node on top. Where there are switches, springs part them.
    """
    found = np.array(places_of(topology.name)).reshape(-1, 2)
    if len(found) != topology.vertices and topology.switches == 0:
        turns = pi / 2 - 2 * pi * np.arange(topology.nodes) / topology.nodes
        found = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    elif len(found) != topology.vertices:
        found = springs(topology.vertices, topology.channels)
    found = found - found.min(axis=0)
    return np.asarray(found / max(1e-9, float(found.max())), dtype=np.float64).round(4)
