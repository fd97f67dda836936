"""One scene a network: where nodes and routers stand, and the lines that its links take.

Pictures and animations are drawn from it. Pure geometry, in hops, y upwards.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cache, cached_property
from math import cos, pi, sin

import numpy as np

from syncfabric.models.collectives.topology import Topology
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import STEP, Mesh, Port
from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.draw.lines import Points, aside, cut
from syncfabric.sim.draw.springs import bowed, directions, places, places_of, springs
from syncfabric.sim.words import node_words

NODE, HALF = 0.2, 0.16
"""Radius of a node on a mesh, and half the side of a switch's square."""
RIM = 0.2
"""Distance from a switch's middle at which its links begin."""
RING, NUMBER = 0.37, 0.4
"""Distances from a switch's middle to its nodes, and to the numbers of its links' ports."""
SMALL = 0.085
"""Greatest radius of a node at a switch."""
BOW = 0.13
"""Of a channel that goes round a vertex in its way, in parts of its length."""
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
    """Directed, from rim to rim; both directions of a link have the same line."""
    ground: list[Points] = field(default_factory=list)
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
    scene.ground.extend(np.array(line, dtype=np.float64) for line in lines)
    scene.marks.extend((x, -0.58, str(x)) for x in range(mesh.width))
    scene.marks.extend((-0.58, y, str(y)) for y in range(mesh.height))
    return scene


def _irregular(network: Irregular) -> Scene:
    around, angles = bowed(network), directions(network)
    pad = 0.3 * bool(around)  # they bow to the left, and up
    middles = np.array(places(network)) + np.array([pad, 0.0])
    width, height = (middles.max(axis=0) + np.array([1.0, 1.0 + pad])).tolist()
    scene = Scene(width, height, 0.06)
    for switch, (x, y) in enumerate(middles.tolist()):
        scene.spots[switch] = Spot(x, y, f"switch {switch}", HALF, square=True, label=str(switch))
    radius = min(SMALL, 0.8 * pi * RING / network.ports)
    for node in network.nodes:
        switch, port = node
        middle, out = middles[switch], np.array([cos(angles[node]), sin(angles[node])])
        x, y = middle + RING * out
        name = f"node {node_words(node)}"
        scene.spots[node] = Spot(float(x), float(y), name, radius, label=str(port))
        scene.ends[node] = (node, "inject"), (switch, str(port))
        line = np.array([middle + RIM * out, middle + (RING - radius) * out])
        scene.links[switch, str(port)], scene.links[node, "inject"] = line, line[::-1]
        scene.ground.append(line)
    for a, b in network.links:
        start, end = middles[a[0]], middles[b[0]]
        pull = 1.0 if (a, b) in around else 0.4 * np.hypot(*(end - start))
        first = start + pull * np.array([cos(angles[a]), sin(angles[a])])
        second = end + pull * np.array([cos(angles[b]), sin(angles[b])])
        t = np.linspace(0, 1, 61)[:, None]
        line = (1 - t) ** 3 * start + 3 * t * (1 - t) ** 2 * first
        line += 3 * t**2 * (1 - t) * second + t**3 * end
        for (switch, port), way in ((a, line), (b, line[::-1])):
            x, y = cut(way, NUMBER, 0)[0]
            scene.numbers.append((float(x), float(y), str(port)))
            scene.links[switch, str(port)] = cut(way, RIM, RIM)
        if more := network.extra_at.get(a):
            x, y = aside(line, 0.13)[len(line) // 2]
            scene.numbers.append((float(x), float(y), f"+{more}"))
        scene.ground.append(scene.links[b[0], str(b[1])])
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
            scene.ground.append(scene.links[a, b])
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
