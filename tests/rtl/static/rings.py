"""Small rings, by hand: the switches in order from the root's, and the routes that they make."""

from syncfabric.models.networks.mesh import STEP, Mesh, Node, Port
from syncfabric.models.planning.free_links import Output

EDGE: dict[int, list[Node]] = {
    2: [(0, 0), (1, 0), (1, 1), (0, 1)],
    3: [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1)],
}
"""The edge of a square, by the length of its side."""


def ring_routes(ring: list[Node]) -> dict[Output, int]:
    """Return the routes of a ring in which all cores take part, the first as the root."""
    routes: dict[Output, int] = {}
    source, side = Port.LOCAL, 1 + max(max(node) for node in ring)
    index = Mesh(side, side).index
    for place, (x, y) in enumerate(ring):
        to = ring[(place + 1) % len(ring)]
        port = next(p for p, step in STEP.items() if (x + step[0], y + step[1]) == to)
        routes[index((x, y)), port] = source
        if place:
            routes[index((x, y)), Port.LOCAL] = source
        source = port.opposite
    routes[index(ring[0]), Port.LOCAL] = source
    return routes
