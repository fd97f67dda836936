"""How far a root's flits go to each member of a group on a static network."""

from __future__ import annotations

from collections import defaultdict

from syncfabric.models.networks.mesh import Mesh, Node, Port
from syncfabric.models.planning.route_chain import Output
from syncfabric.models.planning.static_images import StaticGroup

__all__ = ["reach"]


def reach(mesh: Mesh, group: StaticGroup) -> dict[Node, int]:
    """Return the links between switches from the root to each member, the nearest first.

    The root of a ring is reached at its end, after all N links; that of a tree is not.

    Parameters
    ----------
    mesh : Mesh
    group : StaticGroup
        Its own routes, not those of a token.
    """
    outputs: defaultdict[Output, list[Port]] = defaultdict(list)
    for (x, y, port), source in group.routes().items():
        outputs[x, y, source].append(port)
    found: dict[Node, int] = {}
    here: list[tuple[Node, Port]] = [(group.root, Port.LOCAL)]
    links = 0
    while here:
        following: list[tuple[Node, Port]] = []
        for node, source in here:
            for port in outputs[(*node, source)]:
                to = mesh.neighbour(node, port)
                if port is Port.LOCAL:
                    found[node] = links
                elif to is not None:
                    following.append((to, port.opposite))
        here, links = following, links + 1
    return found
