"""Barrier schemes of two-dimensional meshes: paper BTM's own, and those it compares with."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from syncfabric.models.networks.irregular import Ints
from syncfabric.models.networks.mesh import Node, hops
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.btm import Tree, build_tree, cs_tree, local_root, places_of
from syncfabric.models.planning.graph import path_sums
from syncfabric.models.schemes.scheme import Cost, scheme
from syncfabric.models.timing.btm import Timing, formula_ns, path_ns

on_mesh = partial(scheme, kinds=("mesh",), times=Timing, alone=True)
WORM_START_UPS = 2
"""Of ``hp``, one after the other in a barrier: one for the reduction, one for the distribution."""


@on_mesh("btm", "barrier tree: members only, 4-ary, by quadrants", "paper BTM, section 2")
def btm(network: MeshSpec, members: Sequence[Node], times: Timing) -> Cost:
    """Return the cost of paper BTM's barrier tree.

    Members work their registers out alone, so nothing is sent to set it up (section 2.1).
    """
    tree = build_tree(members)
    return Cost(0, len(tree), tree.height, formula_ns(tree, times), 2 * tree_links(tree))


def tree_links(tree: Tree) -> int:
    """Count the links between each node of a tree and its parent, one way."""
    return int(tree.links.sum())


@on_mesh(
    "cs",
    "CS tree: all X-Y paths to the root, with registers at nodes on them",
    "paper BTM, section 3.3",
)
def cs(network: MeshSpec, members: Sequence[Node], times: Timing) -> Cost:
    """Return the cost of the CS tree.

    Every router on the path has a register, so t_rm is paid at each (paper BTM, section 4.1), and a
    node that is no member is notified by a message of its own when the group is set up (Table 1).
    """
    tree = cs_tree(members)
    latency = formula_ns(tree, times)
    return Cost(tree.relays, len(tree), tree.height, latency, 2 * (len(tree) - 1))


def members_height(tree: Tree) -> int:
    """Return the height counted in members alone, as paper BTM's Fig. 4 does."""
    is_member = (np.arange(len(tree)) < len(tree) - tree.relays).astype(np.int64)
    return int(path_sums(tree.parent, is_member).max()) - 1


@on_mesh("cs-nearest", "CS tree whose paths join it as early as they can", "paper BTM, section 3.3")
def cs_nearest(network: MeshSpec, members: Sequence[Node], times: Timing) -> Cost:
    """Return the cost of a CS tree whose paths join it early: our reading, beside their union.

    The members, from the nearest to the root on, each go to the nearest node that the tree has by
    then between them and the root, X first, then Y. Every path to the root is still a shortest one,
    so depth and latency are those of the union; the links are fewer.
    """
    places_of(members)
    root = local_root(members)
    nodes = tree_nodes(members, root)
    depth = max(hops(member, root) for member in members)
    latency = 2 * path_ns(depth, depth, times)
    return Cost(len(nodes) - len(members), len(nodes), depth, latency, 2 * (len(nodes) - 1))


def tree_nodes(members: Sequence[Node], root: Node) -> set[Node]:
    """Return all nodes of the tree of ``cs-nearest``; it has a link less."""
    nodes = {root}
    for member in sorted(members, key=lambda member: (hops(member, root), member)):
        if member not in nodes:
            _join(nodes, member, root)
    return nodes


def _join(nodes: set[Node], member: Node, root: Node) -> None:
    """Add the path of a member to the nearest node between it and the root; least Y of several."""
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


@on_mesh("hp", "worms along a Hamiltonian path through the members", "paper BTM, Table 1")
def hp(network: MeshSpec, members: Sequence[Node], times: Timing) -> Cost:
    """Return the cost of worms along a Hamiltonian path.

    Source: Table 1 of paper BTM, on HP-based multidestination worms. Reading: rows are walked to
    and fro (the labels of Lin, McKinley and Ni, dual-path); the members' first and last of that
    path each send a worm through all members between to the root, and the root's worms go back the
    same routes. A worm takes shortest paths between members that follow each other. It looks a
    register up at each, so its time is that of paper BTM's formula. Its header grows by an address
    a member: this is left out, in its favour. The root sends every member its part of the path when
    the group is set up.
    """
    x, y = places_of(members).T
    order = np.lexsort((np.where(y % 2, -x, x), y))
    x, y = x[order], y[order]
    links = np.abs(np.diff(x)) + np.abs(np.diff(y))
    root_x, root_y = local_root(members)
    root = int(np.flatnonzero((x == root_x) & (y == root_y))[0])
    both = [links[:root].sum(), links[root:].sum()]
    latency = 2 * path_ns(both, [root, len(x) - 1 - root], times)
    return Cost(len(x) - 1, len(x), WORM_START_UPS, latency, 2 * int(links.sum()))


@on_mesh(
    "brcp", "worms that conform to X-Y routing, along rows, then columns", "paper BTM, Table 1"
)
def brcp(network: MeshSpec, members: Sequence[Node], times: Timing) -> Cost:
    """Return the cost of worms that conform to the base routing, X-Y.

    Source: Table 1 of paper BTM, on BRCP-based worms (Panda, HPCA 1995): three start-ups for the
    reduction of any set of members, three for its distribution, two each for a complete mesh.
    Reading:

    1. in each row the member nearest to the root's column leads; the outermost members on either
       side of it send a worm through the others to it;
    2. of the leaders in one column that nearest to the root's row is the head, likewise;
    3. each head sends a message to the root, X first, which takes them one after the other, t_rm
       each.

    A step begins when the one before is over everywhere; one that has no message takes no time. The
    distribution is the same backwards. Times and headers are as in ``hp``, and so is the set-up.
    """
    x, y = places_of(members).T
    root_x, root_y = local_root(members)
    leaders, row_hops, row_stops = _worms(y, x, root_x)
    x, y = x[leaders], y[leaders]
    heads, column_hops, column_stops = _worms(x, y, root_y)
    last = np.abs(x[heads] - root_x) + np.abs(y[heads] - root_y)
    last = last[last > 0]
    steps = [
        path_ns(row_hops, row_stops, times) if row_hops.any() else 0.0,
        path_ns(column_hops, column_stops, times) if column_hops.any() else 0.0,
        path_ns(last, 1, times) + (len(last) - 1) * times.t_rm if len(last) else 0.0,
    ]
    # A member alone still receives its own barrier.
    latency = sum(steps) or path_ns(0, 0, times)
    taken = sum(step > 0 for step in steps)
    links = int(row_hops.sum() + column_hops.sum() + last.sum())
    count = len(members)
    return Cost(count - 1, count, 2 * taken, 2 * latency, 2 * links)


def _worms(lines: Ints, places: Ints, centre: int) -> tuple[Ints, Ints, Ints]:
    """Gather on each line at the node nearest to a centre.

    Parameters
    ----------
    lines, places : array of int64, shape (n,)
        The line of each node, and where it is on it.
    centre : int
        A place on all lines.

    Returns
    -------
    array of int64, shape (lines,)
        Which node gathers; of two equally near the one at the greater place.
    array of int64, shape (2 * lines,)
        Links of the worms that come to it from below and from above.
    array of int64, shape (2 * lines,)
        Nodes that they visit, the one that gathers included.
    """
    order = np.lexsort((-places, np.abs(places - centre), lines))
    _, first, counts = np.unique(lines[order], return_index=True, return_counts=True)
    gathers = order[first]
    _, line = np.unique(lines, return_inverse=True)
    centres = places[gathers]
    away = places - centres[line]
    below, above = np.zeros(len(counts), np.int64), np.zeros(len(counts), np.int64)
    np.maximum.at(below, line, -away)
    np.maximum.at(above, line, away)
    beyond = np.bincount(line[away > 0], minlength=len(counts))
    before = counts - 1 - beyond
    return gathers, np.concatenate([below, above]), np.concatenate([before, beyond])


@on_mesh(
    "unicast",
    "the root receives a message from each member, and sends one to each",
    "paper BTM, section 1",
)
def unicast(network: MeshSpec, members: Sequence[Node], times: Timing) -> Cost:
    """Return the cost of single messages: the root receives from and sends to each member.

    Source: paper BTM, section 1 (messages from the root to each member). Reading: all members send
    to the root at once, which takes the messages one after the other, t_rm each; then it sends to
    one member after the other, the farthest first, each with a start-up of its own. Each message
    takes the time of paper BTM's formula with a register at its ends alone.
    """
    x, y = places_of(members).T
    root_x, root_y = local_root(members)
    distances = -np.sort(-(np.abs(x - root_x) + np.abs(y - root_y)))[:-1]
    count = len(distances)
    if not count:
        return Cost(0, 1, 0, 2 * path_ns(0, 0, times), 0)
    gathered = path_ns(distances, 1, times) + (count - 1) * times.t_rm
    released = max(
        start * times.t_s + path_ns(distance, 1, times) for start, distance in enumerate(distances)
    )
    return Cost(0, count + 1, 1 + count, gathered + released, 2 * int(distances.sum()))


MESH = (btm, cs, cs_nearest, hp, brcp, unicast)
