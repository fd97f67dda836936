"""What every barrier tree must keep, whichever planner made it."""

from collections.abc import Iterator

from hypothesis import strategies as st

from syncfabric.models.networks.mesh import Mesh, Node, Port
from syncfabric.models.planning.tree import Tree, distribute_turn

__all__ = ["check_tree", "groups", "links_down"]


@st.composite
def groups(draw: st.DrawFn, side: int = 10) -> list[Node]:
    """Any members, in any order, of any mesh up to ``side`` by ``side``."""
    mesh = Mesh(draw(st.integers(1, side)), draw(st.integers(1, side)))
    return draw(st.lists(st.sampled_from(mesh.nodes), min_size=1, unique=True))


def links_down(tree: Tree, node: Node) -> Iterator[list[tuple[Node, Port]]]:
    """Yield the links of each DISTRIBUTE that a member sends."""
    mesh = Mesh(1024, 1024)
    for port, child in zip(Port, tree.children_of(node), strict=False):
        if child is not None:
            path = mesh.path(node, child, distribute_turn(port))
            assert path[0][1] is port, f"{child} is not reached from {node} by {port}"
            yield path


def check_tree(tree: Tree, members: list[Node]) -> None:
    """One root leads to every member once; siblings leave by their own ports and share no link."""
    assert list(tree.members) == members
    seen, level, height = [tree.root], [tree.root], 0
    longest, hops = 0, {tree.root: 0}
    while level := [child for node in level for child in tree.children_of(node) if child]:
        seen += level
        height += 1
        for node in level:
            parent = tree.parent_of(node)
            assert parent is not None
            assert node in tree.children_of(parent)
            hops[node] = hops[parent] + Mesh(0, 0).hops(node, parent)
            longest = max(longest, hops[node])
    assert sorted(seen) == sorted(members)
    assert (tree.height, tree.longest_path) == (height, longest)
    for node in members:
        links = [link for path in links_down(tree, node) for link in path]
        assert len(links) == len(set(links))
