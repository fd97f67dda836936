"""Routes of rings and trees, followed flit by flit; and where a ring has its root."""

import random

import pytest

from syncfabric.models.networks.mesh import Mesh, Node, Port
from syncfabric.models.planning.multicast_tree import best_tree
from syncfabric.models.planning.static_routes import (
    listening,
    ring_routes,
    tree_routes,
    turned_ring,
)
from tests.models.planning.flit_trace import check_ring, check_tree, trace
from tests.models.planning.static_ways import ring_hops

EIGHT: list[Node] = [(1, 1), (2, 1), (2, 2), (1, 2), (1, 1), (0, 1), (0, 0), (1, 0)]
"""A ring in the form of an eight: it passes (1, 1) twice."""


def random_ring(rng: random.Random, mesh: Mesh) -> list[Node]:
    """Walk at random, over no link twice and never back, until the walk closes."""
    while True:
        start = rng.choice(mesh.nodes)
        way, used = [start], set[tuple[Node, Node]]()
        while True:
            x, y = way[-1]
            ahead = [
                to
                for to in ((x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1))
                if mesh.contains(to) and to != way[-2:][0] and ((x, y), to) not in used
            ]
            if not ahead:
                break
            to = rng.choice(ahead)
            used.add(((x, y), to))
            if to == start and way[1] != (x, y):
                return way
            way.append(to)


def turned(ring: list[Node], place: int) -> list[Node]:
    return ring[place:] + ring[:place]


@pytest.mark.parametrize("seed", range(60))
def test_a_ring_leads_to_its_members_and_back(seed: int) -> None:
    rng = random.Random(seed)
    mesh = Mesh(rng.randint(2, 6), rng.randint(2, 6))
    ring = random_ring(rng, mesh)
    count = len(ring_hops(mesh, ring))
    switches = sorted(set(ring))
    members = rng.sample(switches, rng.randint(2, len(switches)))
    place = rng.choice([i for i, switch in enumerate(ring) if switch in members])
    routes = ring_routes(turned(ring, place), members)
    found = check_ring(mesh, routes, members, ring[place])
    assert len(found.links) == count
    assert found.outputs == routes.keys(), "an output selects what never comes"


@pytest.mark.parametrize("seed", range(60))
def test_the_root_has_the_shortest_stretch_past_all_members(seed: int) -> None:
    """By brute force: what the release still has to go, from each place the root could have."""
    rng = random.Random(seed)
    ring = random_ring(rng, Mesh(rng.randint(2, 6), rng.randint(2, 6)))
    switches = sorted(set(ring))
    members = rng.sample(switches, rng.randint(2, len(switches)))
    stretches = []
    for place, switch in enumerate(ring):
        if switch in members:
            seen = turned(ring, place)
            farthest = max(seen.index(member) for member in members)
            stretches.append((farthest, members.index(switch), place))
    assert turned_ring(ring, members) == turned(ring, min(stretches)[2])


def test_the_release_has_no_longer_way_than_from_any_other_root() -> None:
    mesh, rng = Mesh(6, 6), random.Random(4)
    for _ in range(20):
        ring = random_ring(rng, mesh)
        members = rng.sample(sorted(set(ring)), 3)

        def farthest(way: list[Node], members: list[Node] = members) -> int:
            cores = trace(mesh, ring_routes(way, members), way[0]).cores
            return max(cores[member][0] for member in members if member != way[0])

        every = [turned(ring, place) for place, at in enumerate(ring) if at in members]
        assert farthest(turned_ring(ring, members)) == min(map(farthest, every))


def test_a_ring_that_passes_its_roots_switch_again() -> None:
    """The core listens at the end, not in between; what passes goes straight on."""
    members = [(1, 1), (0, 0), (2, 2)]
    routes = ring_routes(EIGHT, members)
    found = check_ring(Mesh(3, 3), routes, members, (1, 1))
    assert found.cores == {(1, 1): [8], (2, 2): [2], (0, 0): [6]}
    assert routes[1, 1, Port.EAST] == Port.LOCAL
    assert routes[1, 1, Port.WEST] == Port.NORTH
    assert routes[1, 1, Port.LOCAL] == Port.SOUTH


def test_a_member_listens_where_the_ring_comes_first() -> None:
    ring = turned(EIGHT, 6)
    members = [(0, 0), (1, 1), (0, 1)]
    routes = ring_routes(ring, members)
    found = check_ring(Mesh(3, 3), routes, members, (0, 0))
    assert found.cores == {(0, 0): [8], (1, 1): [2], (0, 1): [7]}
    assert listening(ring, members) == {(0, 0): 0, (1, 1): 2, (0, 1): 7}
    assert routes[1, 1, Port.LOCAL] == routes[1, 1, Port.EAST] == Port.SOUTH


def test_an_eight_begins_at_the_pass_with_the_shorter_stretch() -> None:
    """From (1, 1) on it is two links to (2, 2) the one time, and six the other."""
    assert turned_ring(turned(EIGHT, 3), [(1, 1), (2, 2)]) == EIGHT
    assert turned_ring(turned(EIGHT, 7), [(1, 1), (0, 0)]) == turned(EIGHT, 4)


def test_of_two_equal_roots_the_first_member_is_taken() -> None:
    square: list[Node] = [(0, 0), (1, 0), (1, 1), (0, 1)]
    assert turned_ring(square, [(1, 1), (0, 0)])[0] == (1, 1)
    assert turned_ring(square, [(0, 0), (1, 1)])[0] == (0, 0)


@pytest.mark.parametrize("seed", range(60))
def test_a_tree_leads_to_its_members_alone(seed: int) -> None:
    rng = random.Random(seed)
    mesh = Mesh(rng.randint(1, 7), rng.randint(1, 7))
    members = rng.sample(mesh.nodes, rng.randint(1, len(mesh.nodes)))
    tree = best_tree(mesh, members)
    assert tree is not None
    routes = tree_routes(tree.root, tree.edges, members)
    found = check_tree(mesh, routes, members, tree.root)
    assert max((ways[0] for ways in found.cores.values()), default=0) == tree.depth
    assert len(found.links) == len(tree.edges)
    assert found.outputs == routes.keys(), "an output selects what never comes"


def test_the_routes_of_a_tree_output_by_output() -> None:
    """The root's core sends by two outputs, and listens to none; (2, 0) is no member."""
    edges: list[tuple[Node, Node]] = [((0, 0), (1, 0)), ((2, 0), (1, 0)), ((3, 0), (2, 0))]
    routes = tree_routes((1, 0), edges, [(1, 0), (0, 0), (3, 0)])
    assert routes == {
        (1, 0, Port.WEST): Port.LOCAL,
        (1, 0, Port.EAST): Port.LOCAL,
        (2, 0, Port.EAST): Port.WEST,
        (0, 0, Port.LOCAL): Port.EAST,
        (3, 0, Port.LOCAL): Port.WEST,
    }
