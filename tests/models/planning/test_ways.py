"""The table of links against the mesh's own paths."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from syncfabric.models.networks.mesh import Mesh, Node, Port
from syncfabric.models.planning.btm import build_tree
from syncfabric.models.planning.meeting import Ways
from syncfabric.models.planning.tree import distribute_turn
from tests.models.planning.laws import groups

STEPS = {Port.EAST: (1, 0), Port.NORTH: (0, 1), Port.WEST: (-1, 0), Port.SOUTH: (0, -1)}


@given(groups(), st.booleans())
def test_the_links_of_every_way_in_order(members: list[Node], paper: bool) -> None:
    tree, mesh = build_tree(members), Mesh(10, 10)
    ways = Ways.of(tree, paper=paper)
    for position, member in enumerate(members):
        parent, links = tree.parent_of(member), []
        if parent is not None:
            ends = (member, parent) if paper else (parent, member)
            for (x, y), port in mesh.path(*ends, distribute_turn(Port(tree.port[position]))):
                links.append([x, y, *STEPS[port]])
        table = np.stack([ways.x, ways.y, ways.dx, ways.dy], axis=1)
        assert table[ways.member == position].tolist() == links


def test_numbers_tell_links_apart() -> None:
    every = [(x, y, *step) for x in range(3) for y in range(3) for step in STEPS.values()]
    x, y, dx, dy = np.array(every).T
    ways = Ways(np.zeros_like(x), x, y, dx, dy)
    pairs = [frozenset([(a, b), (a + c, b + d)]) for a, b, c, d in every]
    assert len(set(ways.links.tolist())) == len(every)
    assert len(set(ways.pairs.tolist())) == len(set(pairs))
    assert len(set(zip(ways.pairs.tolist(), pairs, strict=True))) == len(set(pairs))
