"""Routes of rings and trees, followed flit by flit, and the words that load them."""

import random
from collections import deque

import pytest

from syncfabric.models.errors import PlanError, SpecError
from syncfabric.models.networks.mesh import Mesh, Node, Port
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec, StaticSpec
from syncfabric.models.planning.free_links import Output, Routes
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.multicast_tree import Multicast, best_tree
from syncfabric.models.planning.plan import make_plan
from syncfabric.models.planning.ring import Least, Ring
from syncfabric.models.planning.ring_construct import ring_of
from syncfabric.models.planning.static_routes import chain_words, reach, through_cores
from tests.models.planning.flit_trace import check_ring, check_tree
from tests.models.planning.static_paths import leaves, passed, ring_hops

EIGHT: list[Node] = [(1, 1), (2, 1), (2, 2), (1, 2), (1, 1), (0, 1), (0, 0), (1, 0)]
"""A ring in the form of an eight: it passes (1, 1) twice."""


def random_ring(rng: random.Random, mesh: Mesh) -> list[Node]:
    """Walk at random, over no link twice and never back, until the walk closes."""
    while True:
        start = rng.choice(mesh.nodes)
        path, used = [start], set[tuple[Node, Node]]()
        while True:
            x, y = path[-1]
            ahead = [
                to
                for to in ((x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1))
                if mesh.contains(to) and to != path[-2:][0] and ((x, y), to) not in used
            ]
            if not ahead:
                break
            to = rng.choice(ahead)
            used.add(((x, y), to))
            if to == start and path[1] != (x, y):
                return path
            path.append(to)


def ring_along(mesh: Mesh, ring: list[Node]) -> Ring:
    outputs = ring_of(mesh.graph, [mesh.index(switch) for switch in ring])
    return Ring(mesh.graph, ring[0], outputs, Least(0, "sides"))


def ring_routes(mesh: Mesh, ring: list[Node], members: list[Node]) -> Routes:
    return ring_along(mesh, ring).routes(members)


def turned_ring(mesh: Mesh, ring: list[Node], members: list[Node]) -> list[Node]:
    return passed(mesh, ring_along(mesh, ring).turned(members).ring)


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
    routes = ring_routes(mesh, turned(ring, place), members)
    found = check_ring(mesh.graph, routes, members, ring[place])
    assert len(found.links) == count
    assert found.outputs == routes.keys(), "an output selects what never comes"


@pytest.mark.parametrize("seed", range(60))
def test_the_root_has_the_shortest_stretch_past_all_members(seed: int) -> None:
    """By brute force: what the release still has to go, from each place the root could have."""
    rng = random.Random(seed)
    mesh = Mesh(rng.randint(2, 6), rng.randint(2, 6))
    ring = random_ring(rng, mesh)
    switches = sorted(set(ring))
    members = rng.sample(switches, rng.randint(2, len(switches)))
    stretches = []
    for place, switch in enumerate(ring):
        if switch in members:
            seen = turned(ring, place)
            farthest = max(seen.index(member) for member in members)
            stretches.append((farthest, members.index(switch), place))
    assert turned_ring(mesh, ring, members) == turned(ring, min(stretches)[2])


def test_a_ring_that_passes_its_roots_switch_again() -> None:
    """The core listens at the end, not in between; what passes goes straight on."""
    members = [(1, 1), (0, 0), (2, 2)]
    routes = ring_routes(Mesh(3, 3), EIGHT, members)
    found = check_ring(Mesh(3, 3).graph, routes, members, (1, 1))
    assert found.cores == {(1, 1): [8], (2, 2): [2], (0, 0): [6]}
    assert routes[4, Port.EAST] == Port.LOCAL
    assert routes[4, Port.WEST] == Port.NORTH
    assert routes[4, Port.LOCAL] == Port.SOUTH


def test_a_member_listens_where_the_ring_comes_first() -> None:
    ring = turned(EIGHT, 6)
    members = [(0, 0), (1, 1), (0, 1)]
    routes = ring_routes(Mesh(3, 3), ring, members)
    found = check_ring(Mesh(3, 3).graph, routes, members, (0, 0))
    assert found.cores == {(0, 0): [8], (1, 1): [2], (0, 1): [7]}
    assert routes[4, Port.LOCAL] == routes[4, Port.EAST] == Port.SOUTH


@pytest.mark.parametrize("seed", range(60))
def test_a_tree_leads_to_its_members_alone(seed: int) -> None:
    rng = random.Random(seed)
    mesh = Mesh(rng.randint(1, 7), rng.randint(1, 7))
    members = rng.sample(mesh.nodes, rng.randint(1, len(mesh.nodes)))
    tree = best_tree(mesh.graph, members)
    assert tree is not None
    routes = tree.routes(members)
    found = check_tree(mesh.graph, routes, members, tree.root)
    assert max((distances[0] for distances in found.cores.values()), default=0) == tree.height
    assert len(found.links) == len(tree.edges)
    assert found.outputs == routes.keys(), "an output selects what never comes"


def test_the_routes_of_a_tree_output_by_output() -> None:
    """The root's core sends by two outputs, and listens to none; (2, 0) is no member."""
    mesh, hops = Mesh(4, 1), [((1, 0), (0, 0)), ((1, 0), (2, 0)), ((2, 0), (3, 0))]
    tree = Multicast(mesh.graph, (1, 0), leaves(mesh, hops), 2, 2)
    assert tree.edges == [(0, 1), (2, 1), (3, 2)]
    routes = tree.routes([(1, 0), (0, 0), (3, 0)])
    assert routes == {
        (1, Port.WEST): Port.LOCAL,
        (1, Port.EAST): Port.LOCAL,
        (2, Port.EAST): Port.WEST,
        (0, Port.LOCAL): Port.EAST,
        (3, Port.LOCAL): Port.WEST,
    }


def static(width: int, height: int) -> StaticSpec:
    return StaticSpec(kind="static", width=width, height=height)


def shifted(words: list[int], length: int) -> list[int]:
    """Return the chain's bits, the lowest first, after all words: lowest bit of each first."""
    bits = deque([0] * length, maxlen=length)
    for word in words:
        for place in range(32):
            bits.appendleft(word >> place & 1)
    return list(bits)


def test_bits_stand_where_the_contract_says() -> None:
    """Switch 1 of a 2x1: SOUTH (fourth output) from CORE, the last of its four; EAST flushed."""
    words = chain_words(static(2, 1), {(1, Port.SOUTH): Port.LOCAL}, {(1, Port.EAST)})
    assert [place for place, bit in enumerate(shifted(words, 50)) if bit] == [29, 25 + 15 + 3]
    assert len(words) == 2


@pytest.mark.parametrize(("width", "height"), [(1, 1), (2, 2), (5, 3), (8, 4)])
def test_what_is_shifted_in_is_the_chain(width: int, height: int) -> None:
    spec, rng = static(width, height), random.Random(width)
    outputs: list[Output] = [(s, port) for s in range(width * height) for port in Port]
    routes = {o: rng.choice([p for p in Port if p != o[1]]) for o in outputs}
    flushed = rng.sample(outputs, len(outputs) // 2)
    words = chain_words(spec, routes, flushed)
    bits = shifted(words, spec.layout.chain_bits)
    for place, output in enumerate(outputs):
        *select, flush = bits[5 * place : 5 * place + 5]
        others = [port for port in Port if port != output[1]]
        assert [port for port, bit in zip(others, select, strict=True) if bit] == [routes[output]]
        assert flush == (output in flushed)
    assert all(word >> 32 == 0 for word in words)
    assert sum(bits) == len(routes) + len(flushed)


def test_bad_routes_are_refused() -> None:
    rule = r"^routes: output \(0, 0\) cannot select input 0; take one of 1, 2, 3, 4, or leave"
    with pytest.raises(SpecError, match=rule):
        chain_words(static(2, 2), {(0, 0): 0})
    with pytest.raises(
        SpecError, match=r"^routes: output \(4, 0\) is outside the 2x2 mesh; switches"
    ):
        chain_words(static(2, 2), {}, {(4, 0)})


CORE = Port.LOCAL


def planned(rng: random.Random, planner: str) -> tuple[StaticSpec, GroupPlan]:
    network = StaticSpec(kind="static", width=rng.randint(2, 5), height=rng.randint(2, 5))
    nodes = network.topology.nodes
    members = tuple(rng.sample(nodes, rng.randint(2, len(nodes))))
    groups = (GroupSpec(id=1, members=members, planner=planner),)
    group = make_plan(NetworkSpec(name="one", network=network, groups=groups)).groups[0]
    return network, group


@pytest.mark.parametrize("seed", range(12))
def test_the_token_passes_every_core_once_on_the_links_of_the_ring(seed: int) -> None:
    network, group = planned(random.Random(seed), "ring")
    mesh, routes, own = network.topology, through_cores(group).routes(), group.routes()
    assert routes.keys() == own.keys()
    assert all(source != port for (_, port), source in routes.items())
    # Walk it, flit in hand: no output shares an input with another, so there is one path.
    assert len({(switch, source) for (switch, _), source in routes.items()}) == len(routes)
    outputs = {(switch, source): port for (switch, port), source in routes.items()}
    (here, source), links, met = mesh.graph.port_of(group.route.root), 0, []
    while True:
        port = outputs[here, source]
        if port == CORE:
            met.append((mesh.node(here), links))
            source = CORE
            if met[-1][0] == group.route.root:
                break
            continue
        links += 1
        to = mesh.graph.across(here, port)
        assert to is not None
        here, source = to
    assert links == group.links
    assert sorted(node for node, _ in met) == sorted(group.members)
    assert met == list(reach(group).items())


@pytest.mark.parametrize("seed", range(6))
def test_reach_in_a_tree(seed: int) -> None:
    network, group = planned(random.Random(seed), "tree")
    above, index = dict(group.edges or ()), network.topology.index
    for node, links in reach(group).items():
        switch = index(node)
        for _ in range(links):
            switch = above[switch]
        assert switch == index(group.route.root)
    found = reach(group)
    assert found.keys() == set(group.members) - {group.route.root}
    assert max(found.values()) == group.longest_path


def test_a_tree_has_no_token() -> None:
    _, group = planned(random.Random(1), "tree")
    with pytest.raises(PlanError, match="a token goes round a ring of two members or more"):
        through_cores(group)
