"""Centers and trees against all that there are."""

import itertools
import random

import networkx as nx
import pytest

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.planning.wires_graph import IrregularGraph, MeshGraph, WireGraph
from syncfabric.models.planning.wires_tree import WireTree, lay_tree
from tests.models.planning.irregular import draw_network

CASES = 100


def drawn(rng: random.Random) -> tuple[WireGraph, "nx.Graph[int]"]:
    """Return a small network of either kind, and the graph that it is."""
    if rng.random() < 0.5:
        mesh = Mesh(rng.randint(1, 4), rng.randint(1, 3))
        grid: nx.Graph[int] = nx.convert_node_labels_to_integers(
            nx.grid_2d_graph(mesh.height, mesh.width), ordering="sorted"
        )
        return MeshGraph(mesh), grid
    network = draw_network(rng, rng.randint(1, 12), rng.randint(0, 6), 4)
    return IrregularGraph(network), switches_of(network)


def switches_of(network: Irregular) -> "nx.Graph[int]":
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(network.switches))
    graph.add_edges_from((a, b) for (a, _), (b, _) in network.links)
    return graph


def radius(graph: "nx.Graph[int]", members: list[int]) -> int | None:
    """Return the least height of a tree over the members; None if they are apart."""
    if not set(members) <= set(graph):
        return None
    reach = [nx.single_source_shortest_path_length(graph, member) for member in members]
    heights = [max(far[n] for far in reach) for n in graph if all(n in far for far in reach)]
    return min(heights, default=None)


def fewest(graph: "nx.Graph[int]", members: list[int], height: int) -> int:
    """Return the routers of the smallest tree that is so high, by trying all sets of them."""
    others = sorted(set(graph) - set(members))
    for more in range(len(others) + 1):
        for added in itertools.combinations(others, more):
            part = graph.subgraph([*members, *added])
            if nx.is_connected(part) and radius(part, members) == height:
                return len(part)
    raise AssertionError


def check(tree: WireTree, graph: WireGraph, members: list[int], height: int) -> None:
    depth = {tree.root: 0}
    for child, port, parent, far in tree.edges:
        assert (port, parent, far) in graph.ends[child]
        assert (far, child, port) in graph.ends[parent]
        assert child not in depth
        depth[child] = depth[parent] + 1
    assert set(members) <= set(depth) == tree.routers
    leaves = tree.routers - {edge[2] for edge in tree.edges}
    assert leaves <= set(members)
    assert max(depth.values()) == tree.depth == height


def test_trees_of_small_networks() -> None:
    """All are as low as can be, and here as small; on large networks a tree may be larger."""
    rng = random.Random(1)
    for _ in range(CASES):
        graph, plain = drawn(rng)
        members = rng.sample(sorted(plain), rng.randint(1, len(plain)))
        height = radius(plain, members)
        assert height is not None
        centre = graph.centre(members)
        assert (centre.radius, sorted(centre.roots)) == (
            height,
            [
                n
                for n in plain
                if max(nx.shortest_path_length(plain, n, m) for m in members) == height
            ],
        )
        tree = lay_tree(graph, centre, members, bytearray(len(plain)))
        assert tree is not None
        check(tree, graph, members, height)
        least = fewest(plain, members, height)
        assert centre.least <= least == len(tree.routers)


def test_trees_between_routers_that_are_taken() -> None:
    rng = random.Random(2)
    found = {True: 0, False: 0}
    for _ in range(4 * CASES):
        graph, plain = drawn(rng)
        members = rng.sample(sorted(plain), min(len(plain), rng.randint(1, 4)))
        taken = rng.sample(sorted(plain), len(plain) // 4)
        blocked = bytearray(unit in taken for unit in range(len(plain)))
        centre = graph.centre(members)
        tree = lay_tree(graph, centre, members, blocked)
        free = plain.subgraph(set(plain) - set(taken))
        fits = radius(free, members) == centre.radius
        assert (tree is not None) == fits
        found[fits] += 1
        if tree is not None:
            check(tree, graph, members, centre.radius)
            assert tree.routers.isdisjoint(taken)
    assert min(found.values()) > CASES / 2


@pytest.mark.parametrize("members", [range(16), [0, 8, 15], [5]])
def test_the_root_is_in_the_middle(members: list[int]) -> None:
    """Of roots that are as near to the farthest, the one nearest to all others comes first."""
    graph = MeshGraph(Mesh(4, 4))
    centre = graph.centre(list(members))
    grid = nx.grid_2d_graph(4, 4)
    total = {
        y * 4 + x: sum(
            nx.shortest_path_length(grid, (x, y), (member % 4, member // 4)) for member in members
        )
        for x, y in grid
    }
    assert centre.roots == sorted(centre.roots, key=lambda root: (total[root], root))
