"""Which trees' messages can meet: the rules against the definition, and the planners' trees."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncfabric.models.networks.mesh import Mesh, Node, Port
from syncfabric.models.planning.btm import Tree, build_tree, places_of
from syncfabric.models.planning.meeting import Ancestry, Paths, can_meet
from syncfabric.models.planning.shortest import grow, improve
from tests.models.planning.laws import groups, mesh_path, nodes_of, parent_of, y_first

MESH = Mesh(16, 16)


def nodes_on(tree: Tree, position: int, *, paper: bool = False) -> list[Node]:
    """Return the nodes of the path between a member and its parent, from the sender on."""
    member, parent = nodes_of(tree)[position], nodes_of(tree)[int(tree.parent[position])]
    ends = (member, parent) if paper else (parent, member)
    path = mesh_path(*ends, turned=y_first(tree.port[position]))
    return [*(node for node, _ in path), ends[1]]


def all_above(tree: Tree, position: int) -> set[int]:
    found = set()
    while (position := int(tree.parent[position])) >= 0:
        found.add(position)
    return found


def strangers(tree: Tree, a: int, b: int) -> bool:
    return a not in all_above(tree, b) and b not in all_above(tree, a)


def by_definition(tree: Tree) -> bool:
    hung = [position for position in range(len(tree)) if tree.parent[position] >= 0]
    paths = {position: nodes_on(tree, position) for position in hung}
    links = {p: {frozenset(pair) for pair in pairwise(w)} for p, w in paths.items()}
    if any(links[a] & links[b] and strangers(tree, a, b) for a, b in combinations(hung, 2)):
        return True
    return any(
        nodes_of(tree)[above] in path[1:-1]
        for position in hung
        for above in all_above(tree, position)
        for path in (paths[position], nodes_on(tree, position, paper=True))
    )


@st.composite
def any_trees(draw: st.DrawFn) -> Tree:
    """Any tree that keeps the rule of the ports, sensible or not."""
    x, y = places_of(draw(groups(side=5).filter(lambda members: len(members) <= 12))).T
    parent, port = np.full(len(x), -1), np.full(len(x), 4)
    taken: set[tuple[int, int]] = set()
    inside = [0]
    for member in range(1, len(x)):
        dx, dy = x[member] - x, y[member] - y
        faces = np.stack([dx > 0, dy > 0, dx < 0, dy < 0], axis=1)
        free = [
            (above, side)
            for above in inside
            for side in range(4)
            if faces[above, side] and (above, side) not in taken
        ]
        if not free:
            continue
        place = draw(st.sampled_from(free))
        taken.add(place)
        parent[member], port[member] = place
        inside.append(member)
    number = np.full(len(x), -1)
    number[inside] = np.arange(len(inside))
    above = np.where(parent[inside] < 0, -1, number[parent[inside]])
    return Tree(np.stack([x[inside], y[inside]], axis=1), above, port[inside])


@settings(max_examples=300, deadline=None)
@given(any_trees())
def test_the_rules_as_they_are_written(tree: Tree) -> None:
    assert can_meet(tree) == by_definition(tree)


@settings(deadline=None)
@given(groups(), st.sampled_from([0, 1]), st.integers(0, 30))
def test_messages_cannot_meet_in_any_planner_s_tree(
    members: list[Node], pipeline: int, target: int
) -> None:
    first = build_tree(members)
    assert not can_meet(first)
    assert not can_meet(improve(first, pipeline))
    assert not can_meet(grow(first.x, first.y, target % len(first), pipeline, target))


@pytest.mark.parametrize(
    ("members", "parent", "port"),
    [
        pytest.param(
            [(2, 0), (0, 0), (3, 1), (1, 0)], [-1, 0, 0, 2], [4, 2, 1, 2], id="cousins on one link"
        ),
        pytest.param(
            [(1, 0), (2, 0), (0, 0)], [-1, 0, 1], [4, 0, 2], id="back through the parent's parent"
        ),
    ],
)
def test_messages_can_meet(members: list[Node], parent: list[int], port: list[int]) -> None:
    assert can_meet(Tree(places_of(members), np.array(parent), np.array(port)))


STEPS = {Port.EAST: (1, 0), Port.NORTH: (0, 1), Port.WEST: (-1, 0), Port.SOUTH: (0, -1)}


@settings(deadline=None)
@given(groups(), st.booleans())
def test_the_links_of_every_path_in_order(members: list[Node], paper: bool) -> None:
    tree = build_tree(members)
    paths = Paths.of(tree, paper=paper)
    for position, member in enumerate(members):
        parent, links = parent_of(tree, member), []
        if parent is not None:
            ends = (member, parent) if paper else (parent, member)
            for (x, y), port in mesh_path(*ends, turned=y_first(tree.port[position])):
                links.append([x, y, *STEPS[port]])
        table = np.stack([paths.x, paths.y, paths.dx, paths.dy], axis=1)
        assert table[paths.member == position].tolist() == links


def test_numbers_of_links_differ() -> None:
    every = [(x, y, *step) for x in range(3) for y in range(3) for step in STEPS.values()]
    x, y, dx, dy = np.array(every).T
    paths = Paths(np.zeros_like(x), x, y, dx, dy)
    pairs = [frozenset([(a, b), (a + c, b + d)]) for a, b, c, d in every]
    assert len(set(paths.links.tolist())) == len(every)
    assert len(set(paths.pairs.tolist())) == len(set(pairs))
    assert len(set(zip(paths.pairs.tolist(), pairs, strict=True))) == len(set(pairs))


@settings(deadline=None)
@given(groups(side=6))
def test_above(members: list[Node]) -> None:
    tree = build_tree(members)
    ancestry = Ancestry.of(tree)
    assert sorted(ancestry.number.tolist()) == list(range(len(tree)))
    everyone = np.arange(len(tree))
    for member in range(len(tree)):
        passed, here = set(), member
        while here >= 0:
            passed.add(here)
            here = int(tree.parent[here])
        above = ancestry.above(everyone, np.full(len(tree), member))
        assert set(np.flatnonzero(above).tolist()) == passed
