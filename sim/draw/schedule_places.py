"""Where the nodes and switches of a topology stand in the picture of a schedule."""

import re
from itertools import product
from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.topology import Topology

__all__ = ["Points", "bows", "curve", "vertex_places"]

Points = NDArray[np.float64]
"""Of shape (n, 2)."""

BOW = 0.13
"""Of a channel that bows, in parts of its length."""


def vertex_places(topology: Topology) -> Points:
    """Return a place for each vertex, within 0 to 1.

    Meshes and tori, told by their names, stand in a grid; other direct networks in a circle, the
    lowest node on top. Where there are switches, springs part them (Kamada and Kawai, 1989).
    """
    grid = _grid(topology)
    if grid is not None:
        found = grid
    elif topology.switches == 0:
        turns = [pi / 2 - 2 * pi * i / topology.nodes for i in range(topology.nodes)]
        found = np.array([(cos(turn), sin(turn)) for turn in turns])
    else:
        found = _springs(topology)
    found = found - found.min(axis=0)
    return np.asarray(found / max(1e-9, float(found.max())), dtype=np.float64).round(4)


def bows(topology: Topology, places: Points) -> dict[tuple[int, int], float]:
    """Return how far each channel must bow to its right to clear vertices on its straight line.

    In parts of its length; 0 where nothing is in the way.
    """
    found = {}
    for a, b in topology.channels:
        along = places[b] - places[a]
        length = float(np.hypot(*along))
        unit = along / max(length, 1e-9)
        away = places - places[a]
        foot, gap = away @ unit, np.abs(away @ np.array([unit[1], -unit[0]]))
        between = (foot > 0.05 * length) & (foot < 0.95 * length) & (gap < 0.03)
        found[a, b] = BOW if between.any() else 0.0
    return found


def curve(start: Points, end: Points, bow: float, away: float) -> Points:
    """Return points from one vertex to another, ``away`` to the right, bowed if need be."""
    along = end - start
    length = max(1e-9, float(np.hypot(*along)))
    right = np.array([along[1], -along[0]]) / length
    t = np.linspace(0, 1, 41)[:, np.newaxis]
    # Both directions of a link bow to the same side, or they would not look like one.
    side = 1.0 if (along[0], along[1]) > (0.0, 0.0) else -1.0
    bulge = 4 * t * (1 - t) * (side * bow * length)
    return np.asarray(start + t * along + (bulge + away) * right, dtype=np.float64)


def _grid(topology: Topology) -> Points | None:
    """Return the places in a mesh, a torus, or a mesh with its coat."""
    match = re.fullmatch(r"(mesh|torus|coated-mesh)-(\d+)x(\d+)", topology.name)
    if match is None:
        return None
    width, height = int(match[2]), int(match[3])
    found = [(float(x), float(y)) for y, x in product(range(height), range(width))]
    if match[1] == "coated-mesh":
        wide, high = range(width), range(height)
        south, north = [(x, -0.8) for x in wide], [(x, height - 0.2) for x in reversed(wide)]
        east, west = [(width - 0.2, y) for y in high], [(-0.8, y) for y in reversed(high)]
        found = [*south, *east, *north, *west, *found]
    return np.array(found) if len(found) == topology.vertices else None


def _springs(topology: Topology) -> Points:
    import networkx as nx

    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(topology.vertices))
    graph.add_edges_from(topology.channels)
    start = nx.circular_layout(graph)
    placed = nx.kamada_kawai_layout(graph, pos=start)
    return np.array([placed[v] for v in range(topology.vertices)])
