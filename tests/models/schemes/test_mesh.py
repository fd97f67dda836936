"""Schemes of meshes: links found step by step by a router of the test's own, times by hand."""

import random
from collections import Counter
from itertools import pairwise

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning import btm
from syncfabric.models.schemes.mesh import MESH, tree_nodes
from syncfabric.models.schemes.scheme import Cost
from syncfabric.models.timing.btm import Timing
from tests.models.planning.laws import children_of
from tests.models.schemes.mesh_paths import Link, path

SCHEMES = {scheme.name: scheme for scheme in MESH}
TIMES = Timing(t_s=1000, t_p=1, t_rn=10, t_rm=100)
"""Each digit of a time is one of its parts."""
CROSS = [(2, 2), (2, 0), (5, 2), (0, 3)]
"""The root is (2, 2): the centroid is (2.25, 1.75)."""


def cost(name: str, members: list[Node], side: int = 8, times: Timing = TIMES) -> Cost:
    return SCHEMES[name].cost(MeshSpec(kind="mesh", width=side, height=side), members, times)


def groups(count: int = 25) -> list[tuple[int, list[Node]]]:
    """Return sides of meshes, and members."""
    rng, found = random.Random(12), []
    for number in range(count):
        side = rng.randint(2, 8)
        nodes = [(x, y) for y in range(side) for x in range(side)]
        size = len(nodes) if number % 5 == 0 else rng.randint(1, len(nodes))
        found.append((side, rng.sample(nodes, size)))
    return found


def label(node: Node, side: int) -> int:
    """Return a node's place on the Hamiltonian path: rows to and fro."""
    x, y = node
    return y * side + (side - 1 - x if y % 2 else x)


def along_labels(here: Node, to: Node, side: int) -> list[Link]:
    """Route as Lin and Ni do: to the neighbour with the label nearest to the end's, not beyond."""
    links, up = [], label(here, side) < label(to, side)
    while here != to:
        x, y = here
        near = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]
        near = [(a, b) for a, b in near if 0 <= a < side and 0 <= b < side]
        on = [n for n in near if (label(n, side) <= label(to, side)) == up or n == to]
        on = [n for n in on if (label(n, side) > label(here, side)) == up]
        after = (max if up else min)(on, key=lambda n: label(n, side))
        links.append((here, after))
        here = after
    return links


def test_links_of_btm() -> None:
    """Both directions of every edge; four children's paths share none."""
    for side, members in groups():
        links: list[Link] = []
        tree = btm.build_tree(members)
        for member in members:
            own: list[Link] = []
            for port, child in enumerate(children_of(tree, member)):
                if child is not None:
                    own += path(member, child, x_first=port % 2 == 0)
            assert len(set(own)) == len(own)
            links += own
        assert cost("btm", members, side).traversals == 2 * len(links)


def test_links_of_cs() -> None:
    for side, members in groups():
        root = btm.local_root(members)
        links = {link for member in members for link in path(member, root)}
        found = cost("cs", members, side)
        on_path = {node for link in links for node in link} | {root}
        assert found.traversals == 2 * len(links)
        assert found.setup_nodes == len(on_path)
        assert found.setup_messages == len(on_path - set(members))
        assert found.height == max(len(path(member, root)) for member in members)


def test_a_cs_tree_that_joins_early_is_a_tree_of_shortest_paths() -> None:
    """Breadth first over its nodes alone every one is as near to the root as on the mesh."""
    for side, members in groups():
        root = btm.local_root(members)
        nodes = tree_nodes(members, root)
        assert set(members) <= nodes
        reached, level, depth = {root}, {root}, 0
        while level:
            depth += 1
            level = {
                (x, y)
                for x, y in nodes - reached
                if abs(x - root[0]) + abs(y - root[1]) == depth
                and {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & level
            }
            reached |= level
        assert reached == nodes
        found, union = cost("cs-nearest", members, side), cost("cs", members, side)
        assert found.traversals == 2 * (len(nodes) - 1)
        assert found.latency_ns == union.latency_ns


def test_paths_join_at_the_nearest_node() -> None:
    """(1, 3) goes along x to (4, 3), on its own row; (3, 2) up to (3, 3), a node on that path."""
    assert tree_nodes([(4, 3), (1, 3), (3, 2)], (4, 3)) == {
        (4, 3),
        (3, 2),
        (4, 2),
        (2, 3),
        (3, 3),
        (1, 3),
    }


def test_links_of_hp() -> None:
    for side, members in groups():
        order = sorted(members, key=lambda node: label(node, side))
        links = [link for a, b in pairwise(order) for link in along_labels(a, b, side)]
        assert cost("hp", members, side).traversals == 2 * len(links)


def test_links_of_brcp() -> None:
    """Rows gather at their leaders, columns of leaders at their heads, heads at the root."""
    for side, members in groups():
        root = btm.local_root(members)
        links: Counter[Link] = Counter()
        stand = members
        for axis in (1, 0):
            after = []
            for line in {node[axis] for node in stand}:
                on = [node for node in stand if node[axis] == line]
                end = min(on, key=lambda n: (abs(n[1 - axis] - root[1 - axis]), -n[1 - axis]))
                # A worm passes a link once, however many it gathers.
                links.update({link for node in on for link in path(node, end)})
                after.append(end)
            stand = after
        for head in stand:
            links.update(path(head, root))
        assert cost("brcp", members, side).traversals == 2 * links.total()


def test_links_of_unicast() -> None:
    for side, members in groups():
        root = btm.local_root(members)
        links = sum(len(path(member, root)) for member in members)
        assert cost("unicast", members, side).traversals == 2 * links


@pytest.mark.parametrize(
    ("name", "latency", "height", "messages", "nodes"),
    [
        # (5, 2) is worst: 3 links, 2 nodes passed, 2 registers.
        ("btm", 2 * (1000 + 3 * 1 + 2 * 10 + 2 * 100), 1, 0, 4),
        # 3 links and 4 registers; relays at (2, 1), (3, 2), (4, 2), (0, 3) to (2, 3): 5 of these.
        ("cs", 2 * (1000 + 3 * 1 + 4 * 100), 3, 5, 9),
        # (0, 3) goes along the row to (2, 3) and down, too: no path is between it and the root.
        ("cs-nearest", 2 * (1000 + 3 * 1 + 4 * 100), 3, 5, 9),
        # Row 3 is walked back: (2, 0), (2, 2), (5, 2), (0, 3); the root's worm stops twice in 9.
        ("hp", 2 * (1000 + 9 * 1 + 7 * 10 + 3 * 100), 2, 3, 4),
        # Row 2: 3 links to (2, 2). Column 2: (2, 0), 2 links. Then (0, 3), 3 links.
        (
            "brcp",
            2 * ((1000 + 3 + 20 + 200) + (1000 + 2 + 10 + 200) + (1000 + 3 + 20 + 200)),
            6,
            3,
            4,
        ),
        # All come in at once, and two wait for one more each; the last of three is third.
        ("unicast", 1000 + 3 + 20 + 200 + 2 * 100 + (2000 + 1000 + 2 + 10 + 200), 4, 0, 4),
    ],
)
def test_a_small_group_by_hand(
    name: str, latency: float, height: int, messages: int, nodes: int
) -> None:
    found = cost(name, CROSS)
    assert found.latency_ns == latency
    assert found.height == height
    assert (found.setup_messages, found.setup_nodes) == (messages, nodes)


@pytest.mark.parametrize("name", SCHEMES)
def test_a_member_alone_pays_two_start_ups(name: str) -> None:
    found = cost(name, [(3, 3)])
    assert (found.latency_ns, found.traversals, found.setup_messages) == (2 * 1100, 0, 0)


@pytest.mark.parametrize("name", SCHEMES)
def test_members_twice_are_refused(name: str) -> None:
    with pytest.raises(PlanError, match=r"^Barrier members must be different nodes$"):
        cost(name, [(3, 3), (3, 3)])


@pytest.mark.parametrize(
    ("name", "members", "start_ups"),
    [
        ("brcp", [(x, y) for x in range(8) for y in range(8)], 4),
        ("brcp", CROSS, 6),
        ("hp", CROSS, 2),
        ("btm", CROSS, 2),
        ("cs", CROSS, 2),
        ("unicast", CROSS, 4),
    ],
)
def test_start_ups_that_follow_each_other(name: str, members: list[Node], start_ups: int) -> None:
    """Paper BTM, Table 1; BRCP on a complete mesh as Panda, HPCA 1995: 2 n of an n-cube."""
    alone = Timing(t_s=1, t_p=0, t_rn=0, t_rm=0)
    assert cost(name, members, times=alone).latency_ns == start_ups


def test_a_row_is_looked_up_member_by_member_in_paths() -> None:
    """Paper BTM, Table 1: O(n) for HP and BRCP. Of 16 in a row the root is the ninth."""
    looks = Timing(t_s=0, t_p=0, t_rn=0, t_rm=1)
    row = [(x, 0) for x in range(16)]
    found = {name: cost(name, row, 16, looks).latency_ns for name in ("hp", "brcp", "btm")}
    assert found == {"hp": 18, "brcp": 18, "btm": 10}
