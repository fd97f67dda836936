"""Trees of messages on a mesh around what is dead.

The shortest ways over links that are left are cut to few routers, as for barrier wires. Then nodes
that only pass on are left out again, wherever the message from the node before to the one after
takes the same links by itself: straight on, or with one turn. What remains of them are relays.

Ways are parts of a tree of links, and two share none. So no messages meet, and the bound holds
(see ``bounds``). A reduction goes back over the links of the distribution.
"""

from __future__ import annotations

import numpy as np

from syncfabric.models.networks.dead import Dead, linked
from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.btm import centrality
from syncfabric.models.planning.tree import Ints, Tree
from syncfabric.models.planning.ways import Ways
from syncfabric.models.planning.wires_graph import Centre, IrregularGraph
from syncfabric.models.planning.wires_tree import WireTree, lay_tree

__all__ = ["build_tree", "crosses"]


def crosses(tree: Tree, network: MeshSpec, dead: Dead) -> bool:
    """Return whether a message of a tree comes over a dead link, up or down."""
    if not dead or len(tree) == 1:
        return False
    gone = np.array(sorted(_pairs(network, dead)), dtype=np.int64)
    return bool(np.isin(Ways.of(tree).pairs, gone).any())


def _pairs(network: MeshSpec, dead: Dead) -> set[int]:
    """Return dead links, numbered as ``Ways.pairs``."""
    found = set()
    for router, port in dead.links:
        x, y = network.mesh.node(router)
        dx, dy = ((1, 0), (0, 1), (-1, 0), (0, -1))[port]
        found.add(((2 * y + dy) << 32) + 2 * x + dx)
    return found


def build_tree(network: MeshSpec, members: tuple[Node, ...], dead: Dead) -> Tree:
    """Build a tree over the links that are left.

    Parameters
    ----------
    network : MeshSpec
    members : tuple of Node
        The group; all can reach each other.
    dead : Dead

    Returns
    -------
    Tree
        The members in their order, then the relays, by number. The root is a member.
    """
    mesh = network.mesh
    numbers = [mesh.index(member) for member in members]
    graph = IrregularGraph(linked(mesh, dead))
    near = dict(zip(members, numbers, strict=True))
    far = graph.farthest(numbers)
    radius = min(far)
    key = centrality(members)
    roots = [near[m] for m in sorted(members, key=key) if far[numbers.index(near[m])] == radius]
    centre = Centre(roots, radius, len(members))
    laid = lay_tree(graph, centre, numbers, bytes(len(mesh.nodes)))
    assert laid is not None  # all can reach each other
    return _contracted(network, numbers, laid)


def _contracted(network: MeshSpec, members: list[int], laid: WireTree) -> Tree:
    """Leave out nodes that only pass on what would come there by itself."""
    below: dict[int, int] = dict.fromkeys(laid.routers, 0)
    for _, _, parent, _ in laid.edges:
        below[parent] += 1
    kept = set(members)
    # The way from the last register above: where it is, its first port, its last, its turns.
    way: dict[int, tuple[int, Port, Port, int]] = {}
    links: dict[int, tuple[int, Port]] = {}
    for child, _, parent, far in laid.edges:
        here = Port(far)
        above, first, last, turned = way.get(parent, (parent, here, here, 0))
        turned += last is not here
        if parent in kept or parent == laid.root or below[parent] > 1 or turned > 1:
            kept.add(parent)
            if parent in way:
                links[parent] = way[parent][0], way[parent][1]
            above, first, turned = parent, here, 0
        way[child] = above, first, here, turned
        if child in kept:
            links[child] = above, first
    nodes = [*members, *sorted(kept - set(members))]
    place = {node: position for position, node in enumerate(nodes)}
    parents = np.full(len(nodes), -1, dtype=np.int64)
    ports = np.full(len(nodes), int(Port.LOCAL), dtype=np.int64)
    for node, (above, port) in links.items():
        parents[place[node]], ports[place[node]] = place[above], port
    numbers: Ints = np.array(nodes, dtype=np.int64)
    x, y = numbers % network.width, numbers // network.width
    return Tree(x, y, parents, ports, len(nodes) - len(members))
