"""Where an animation plays: nodes, and the ways between them. Pure geometry, in hops."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from syncfabric.models.collectives.topology import Topology
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import STEP, Mesh, Port
from syncfabric.models.networks.spec import AnySpec
from syncfabric.sim.draw.irregular.ground import HALF, RIM, ground_of
from syncfabric.sim.draw.schedule_places import Points, bows, curve, vertex_places
from syncfabric.sim.words import node_words

__all__ = ["Spot", "Stage", "schedule_stage", "stage_of"]

SIDE = 44
"""Units of the drawing a hop."""
AWAY, AWAY_CURVED = 0.085, 0.045
"""Distance of a way from the line between its ends, in hops: traffic keeps right."""
NODE = 0.2
"""Radius of a node, in hops."""
STEPS = 10
"""Points of a curve."""
SPREAD = 6.5
"""Hops along the side of a schedule's network, at least."""


@dataclass(frozen=True)
class Spot:
    """A node, or a switch.

    Parameters
    ----------
    x, y : float
    name : str
        What it is called.
    radius : float
    square : bool
        A switch is a square.
    label : str
        What stands in it.
    """

    x: float
    y: float
    name: str
    radius: float = NODE
    square: bool = False
    label: str = ""


@dataclass(frozen=True)
class Stage:
    """Ways and spots by their names in the project; in hops, y upwards.

    Parameters
    ----------
    ways : dict of Hashable to sequence of (x, y)
        Directed.
    spots : dict of Hashable to Spot
    marks : list of (x, y, str)
        Numbers of columns and rows.
    """

    ways: dict[Hashable, Sequence[tuple[float, float]]] = field(default_factory=dict)
    spots: dict[Hashable, Spot] = field(default_factory=dict)
    marks: list[tuple[float, float, str]] = field(default_factory=list)

    @cached_property
    def _numbers(self) -> dict[Hashable, int]:
        return {name: number for number, name in enumerate(self.ways)}

    @cached_property
    def _places(self) -> dict[Hashable, int]:
        return {name: place for place, name in enumerate(self.spots)}

    def number(self, way: Hashable) -> int:
        """Return a way's number."""
        return self._numbers[way]

    def place(self, spot: Hashable) -> int:
        """Return a spot's number."""
        return self._places[spot]

    @cached_property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of the drawing, in its units."""
        x = [value for value, _ in self._extremes()]
        y = [value for _, value in self._extremes()]
        left, right, low, high = min(x), max(x), min(y), max(y)
        return left * SIDE, -high * SIDE, (right - left) * SIDE, (high - low) * SIDE

    def _extremes(self) -> Iterable[tuple[float, float]]:
        for spot in self.spots.values():
            for away in (-spot.radius - 0.12, spot.radius + 0.12):
                yield spot.x + away, spot.y + away
        for way in self.ways.values():
            yield from way
        for x, y, _ in self.marks:
            yield x - 0.1, y - 0.1

    def paths(self) -> list[str]:
        """Return each way as an SVG path."""
        return ["M" + "L".join(f"{_at(x)} {_at(-y)}" for x, y in way) for way in self.ways.values()]

    def circles(self) -> list[dict[str, object]]:
        """Return each spot in the drawing's units."""
        return [
            {
                "x": _at(spot.x),
                "y": _at(-spot.y),
                "r": _at(spot.radius),
                "square": spot.square,
                "name": spot.name,
                "label": spot.label,
            }
            for spot in self.spots.values()
        ]

    def texts(self) -> list[tuple[str, str, str]]:
        """Return the marks in the drawing's units."""
        return [(_at(x), _at(-y), words) for x, y, words in self.marks]


def _at(value: float) -> str:
    return f"{value * SIDE:.1f}".removesuffix(".0")


def stage_of(network: AnySpec) -> Stage:
    """Return the stage of a network; its ways have the names of ``Links``."""
    topology = network.topology
    return _mesh(topology) if isinstance(topology, Mesh) else _irregular(topology)


def _mesh(mesh: Mesh) -> Stage:
    stage = Stage()
    near, far = NODE + 0.03, 1 - NODE - 0.03
    for x, y in mesh.nodes:
        stage.spots[x, y] = Spot(x, y, f"node {node_words((x, y))}")
        for port, (dx, dy) in STEP.items():
            if port is not Port.LOCAL and mesh.neighbour((x, y), port) is not None:
                # To the right of (dx, dy) is (dy, -dx).
                ends = [(x + dx * a + dy * AWAY, y + dy * a - dx * AWAY) for a in (near, far)]
                stage.ways[(x, y), port.name.lower()] = ends
    stage.marks.extend((x, -0.55, str(x)) for x in range(mesh.width))
    stage.marks.extend((-0.55, y, str(y)) for y in range(mesh.height))
    return stage


def _irregular(network: Irregular) -> Stage:
    ground, stage = ground_of(network), Stage()
    for switch, (x, y) in enumerate(ground.switches):
        stage.spots[switch] = Spot(x, y, f"switch {switch}", HALF, square=True, label=str(switch))
    for node in network.nodes:
        (x, y), middle = ground.ports[node], np.array(ground.switches[node[0]])
        stage.spots[node] = Spot(x, y, f"node {node_words(node)}", ground.radius)
        out = np.array([x, y]) - middle
        out /= np.hypot(*out)
        line = np.array([middle + RIM * out, np.array([x, y]) - (ground.radius + 0.01) * out])
        stage.ways[node[0], str(node[1])] = _beside(line)
        stage.ways[node, "inject"] = _beside(line[::-1])
    for (a, b), whole in zip(network.links, ground.links, strict=True):
        line = whole[np.linspace(0, len(whole) - 1, STEPS).astype(int)]
        stage.ways[a[0], str(a[1])] = _beside(line)
        stage.ways[b[0], str(b[1])] = _beside(line[::-1])
    return stage


def _beside(line: Points) -> list[tuple[float, float]]:
    """Move a line to its right."""
    along = np.gradient(line, axis=0)
    along /= np.maximum(np.hypot(*along.T), 1e-9)[:, None]
    right = np.column_stack([along[:, 1], -along[:, 0]])
    return [(float(x), float(y)) for x, y in line + AWAY_CURVED * right]


def schedule_stage(topology: Topology) -> Stage:
    """Return the stage of a schedule's network; its ways are channels, its spots vertices."""
    places = vertex_places(topology)
    bent = bows(topology, places)
    hops = max(SPREAD, 1.35 * topology.vertices**0.5)
    radius = NODE if topology.nodes < 100 else 0.24
    stage = Stage()
    for vertex, (x, y) in enumerate(places * hops):
        node = vertex < topology.nodes
        name = f"{'node' if node else 'switch'} {vertex}"
        size, label = (radius, str(vertex)) if node else (HALF, "")
        stage.spots[vertex] = Spot(float(x), float(y), name, size, not node, label)
    for a, b in topology.channels:
        line = curve(places[a] * hops, places[b] * hops, bent[a, b], AWAY / 1.4)
        rim_a, rim_b = stage.spots[a].radius + 0.03, stage.spots[b].radius + 0.03
        clear = np.hypot(*(line - places[a] * hops).T) > rim_a
        clear &= np.hypot(*(line - places[b] * hops).T) > rim_b
        kept = line[clear]
        few = max(2, STEPS if bent[a, b] else 2)
        kept = kept[np.linspace(0, len(kept) - 1, few).astype(int)] if len(kept) > 1 else line[::40]
        stage.ways[a, b] = [(float(x), float(y)) for x, y in kept]
    return stage
