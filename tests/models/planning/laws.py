"""What every barrier tree must keep, whichever planner made it."""

from collections.abc import Iterator

from hypothesis import strategies as st

from syncfabric.models.networks.mesh import STEP, Mesh, Node, Port
from syncfabric.models.planning.btm import Tree


def nodes_of(tree: Tree) -> list[Node]:
    """Return the members in the group's order, then the relays."""
    return list(zip(tree.x.tolist(), tree.y.tolist(), strict=True))


def root_of(tree: Tree) -> Node:
    return nodes_of(tree)[tree.root_position]


def edges_of(tree: Tree) -> list[list[list[int]]]:
    """Return every [child, parent], each as [x, y], in order of the children."""
    nodes = nodes_of(tree)
    ups = zip(nodes, tree.parent.tolist(), strict=True)
    return sorted([list(child), list(nodes[up])] for child, up in ups if up >= 0)


def parent_of(tree: Tree, node: Node) -> Node | None:
    """Return a member's parent; None for the root."""
    above = tree.parent[nodes_of(tree).index(node)]
    return None if above < 0 else nodes_of(tree)[above]


def children_of(tree: Tree, node: Node) -> list[Node | None]:
    """Return a member's children by port: +X, +Y, -X, -Y."""
    nodes = nodes_of(tree)
    below = tree.children[nodes.index(node)].tolist()
    return [None if child < 0 else nodes[child] for child in below]


def y_first(port: int) -> bool:
    """Return whether a DISTRIBUTE to the child at ``port`` goes Y-X: not for +X and -X."""
    return port not in (Port.EAST, Port.WEST)


def mesh_path(here: Node, there: Node, *, turned: bool) -> list[tuple[Node, Port]]:
    """List the (router, output port) that a message crosses, X first, or turned around Y first."""
    x, y = here
    along_x = [Port.EAST if there[0] > x else Port.WEST] * abs(there[0] - x)
    along_y = [Port.NORTH if there[1] > y else Port.SOUTH] * abs(there[1] - y)
    crossed = []
    for port in along_y + along_x if turned else along_x + along_y:
        crossed.append(((x, y), port))
        x, y = x + STEP[port][0], y + STEP[port][1]
    return crossed


@st.composite
def groups(draw: st.DrawFn, side: int = 10) -> list[Node]:
    """Any members, in any order, of any mesh up to ``side`` by ``side``."""
    mesh = Mesh(draw(st.integers(1, side)), draw(st.integers(1, side)))
    return draw(st.lists(st.sampled_from(mesh.nodes), min_size=1, unique=True))


def links_down(tree: Tree, node: Node) -> Iterator[list[tuple[Node, Port]]]:
    """Yield the links of each DISTRIBUTE that a member sends."""
    for port, child in zip(Port, children_of(tree, node), strict=False):
        if child is not None:
            path = mesh_path(node, child, turned=y_first(port))
            assert path[0][1] is port, f"{child} is not reached from {node} by {port}"
            yield path


def check_tree(tree: Tree, members: list[Node]) -> None:
    """One root leads to every member once; siblings leave by their own ports and share no link."""
    assert nodes_of(tree)[: len(tree) - tree.relays] == members
    seen, level, height = [root_of(tree)], [root_of(tree)], 0
    longest, hops = 0, {root_of(tree): 0}
    while level := [child for node in level for child in children_of(tree, node) if child]:
        seen += level
        height += 1
        for node in level:
            parent = parent_of(tree, node)
            assert parent is not None
            assert node in children_of(tree, parent)
            hops[node] = hops[parent] + Mesh(0, 0).hops(node, parent)
            longest = max(longest, hops[node])
    assert sorted(seen) == sorted(members)
    assert (tree.height, tree.longest_path) == (height, longest)
    for node in members:
        links = [link for path in links_down(tree, node) for link in path]
        assert len(links) == len(set(links))
