"""Where a root's flit gets to, from what the outputs of switches select: a planner is not asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from syncfabric.models.networks.mesh import Mesh, Node, Port
from syncfabric.models.planning.mesh_links import Output

AHEAD = {Port.EAST: (1, 0), Port.NORTH: (0, 1), Port.WEST: (-1, 0), Port.SOUTH: (0, -1)}
FACING = {
    Port.EAST: Port.WEST,
    Port.NORTH: Port.SOUTH,
    Port.WEST: Port.EAST,
    Port.SOUTH: Port.NORTH,
}


class Trace(NamedTuple):
    """What became of one flit.

    ``cores`` has the links that each of its copies took to a core, for every core that got one;
    ``links`` the pairs (switch, output) that a copy left by; ``outputs`` all outputs that it used.
    """

    cores: dict[Node, list[int]]
    links: list[tuple[Node, Port]]
    outputs: set[Output]


def trace(mesh: Mesh, routes: Mapping[Output, Port], root: Node) -> Trace:
    """Send a flit from a node's core, and follow every copy of it.

    A copy that comes by a link a second time would go round for ever: that fails.
    """
    cores: defaultdict[Node, list[int]] = defaultdict(list)
    links: list[tuple[Node, Port]] = []
    outputs: set[Output] = set()
    ahead = [(root, Port.LOCAL, 0)]
    while ahead:
        (x, y), came, count = ahead.pop()
        for output in Port:
            if routes.get((x, y, output)) != came:
                continue
            assert output != came, f"({x}, {y}) sends back by {output.name}"
            outputs.add((x, y, output))
            if output == Port.LOCAL:
                cores[x, y].append(count)
                continue
            there = x + AHEAD[output][0], y + AHEAD[output][1]
            assert 0 <= there[0] < mesh.width, f"({x}, {y}) sends {output.name} over the rim"
            assert 0 <= there[1] < mesh.height, f"({x}, {y}) sends {output.name} over the rim"
            assert ((x, y), output) not in links, f"({x}, {y}) sends a copy twice {output.name}"
            links.append(((x, y), output))
            ahead.append((there, FACING[output], count + 1))
    return Trace(dict(cores), links, outputs)


def check_ring(
    mesh: Mesh, routes: Mapping[Output, Port], members: Sequence[Node], root: Node
) -> Trace:
    """Check that a root's flit gets to each member's core once, to its own last, to no other."""
    found = trace(mesh, routes, root)
    assert found.cores.keys() == set(members)
    assert all(len(ways) == 1 for ways in found.cores.values())
    assert found.cores[root] == [len(found.links)], "it does not come back at the end"
    return found


def check_tree(
    mesh: Mesh, routes: Mapping[Output, Port], members: Sequence[Node], root: Node
) -> Trace:
    """Check that a root's flit gets to every other member's core once, and to no other."""
    found = trace(mesh, routes, root)
    assert found.cores.keys() == set(members) - {root}
    assert all(len(ways) == 1 for ways in found.cores.values())
    return found
