"""What a CS tree costs whose ways join it as early as they can.

Our reading, beside the union of the ways: the members, from the nearest to the root on, each go to
the nearest node that the tree has by then between them and the root, X first, then Y. Every way to
the root is still a shortest one, so depth and latency are those of the union; the links are fewer.
"""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.btm import local_root
from syncfabric.models.planning.tree import coordinates
from syncfabric.models.schemes.scheme import Cost
from syncfabric.models.timing.btm import Timing, way_ns

__all__ = ["cost", "tree_nodes"]


def cost(network: MeshSpec, members: Sequence[Node], times: Timing) -> Cost:
    """Return what barriers of these members cost; see ``Scheme.cost``."""
    coordinates(members)
    root = local_root(members)
    nodes = tree_nodes(members, root)
    depth = max(_distance(member, root) for member in members)
    latency = 2 * way_ns(depth, depth, times)
    return Cost(len(nodes) - len(members), len(nodes), depth, latency, 2 * (len(nodes) - 1))


def tree_nodes(members: Sequence[Node], root: Node) -> set[Node]:
    """Return all nodes of the tree; it has a link less."""
    nodes = {root}
    for member in sorted(members, key=lambda member: (_distance(member, root), member)):
        if member not in nodes:
            _join(nodes, member, root)
    return nodes


def _join(nodes: set[Node], member: Node, root: Node) -> None:
    """Add the way from a member to the nearest node between it and the root; least Y of several."""
    (x, y), (root_x, root_y) = member, root
    far_x, far_y = abs(root_x - x), abs(root_y - y)
    step_x, step_y = 1 if root_x > x else -1, 1 if root_y > y else -1
    for links in range(1, far_x + far_y + 1):
        for along_y in range(max(0, links - far_x), min(links, far_y) + 1):
            along_x = links - along_y
            if (x + step_x * along_x, y + step_y * along_y) in nodes:
                nodes.update((x + step_x * i, y) for i in range(along_x + 1))
                nodes.update((x + step_x * along_x, y + step_y * i) for i in range(along_y + 1))
                return


def _distance(a: Node, b: Node) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])
