"""Graphs of routers: meshes, random ones, and shortest paths."""

import random
from collections import deque
from typing import TypeAlias

Place: TypeAlias = tuple[int, int]
"""A router, and a link port of it."""

Graph: TypeAlias = list[tuple[Place, Place]]
"""Both ends of each link."""


def mesh(width: int, height: int) -> Graph:
    """Return the links of a mesh: ports +X, +Y, -X, -Y."""
    links: Graph = []
    for y in range(height):
        for x in range(width):
            here = y * width + x
            if x + 1 < width:
                links.append(((here, 0), (here + 1, 2)))
            if y + 1 < height:
                links.append(((here, 1), (here + width, 3)))
    return links


def random_graph(rng: random.Random, nodes: int, ports: int) -> Graph:
    """Return a connected graph with at most so many links at a node, ports drawn by lot."""
    free = [rng.sample(range(ports), ports) for _ in range(nodes)]
    links: Graph = []

    def join(a: int, b: int) -> None:
        if a != b and free[a] and free[b]:
            links.append(((a, free[a].pop()), (b, free[b].pop())))

    for b in range(1, nodes):
        join(rng.choice([a for a in range(b) if free[a]]), b)
    for _ in range(rng.randrange(nodes)):
        join(rng.randrange(nodes), rng.randrange(nodes))
    return links


def distances(graph: Graph, root: int) -> tuple[dict[int, int], dict[int, tuple[int, int, int]]]:
    """Return distances from a root, and of each other node: parent, port to it, port from it."""
    away: dict[int, list[tuple[int, int, int]]] = {}
    for (a, p), (b, q) in graph:
        away.setdefault(a, []).append((p, b, q))
        away.setdefault(b, []).append((q, a, p))
    far, parent, ahead = {root: 0}, {}, deque([root])
    while ahead:
        a = ahead.popleft()
        for p, b, q in sorted(away.get(a, [])):
            if b not in far:
                far[b], parent[b] = far[a] + 1, (a, q, p)
                ahead.append(b)
    return far, parent
