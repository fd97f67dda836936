"""Rings by construction: of rectangles, Hamiltonian cycles, and tours of trees."""

from itertools import pairwise

import pytest

from syncfabric.models.networks.families import named
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.planning.free_links import FreeLinks
from syncfabric.models.planning.ring_construct import (
    hamiltonian_cycle,
    known_rings,
    rectangle_ring,
    tree_tour,
)
from tests.models.planning.static_paths import ring_hops


def graph_of(name: str) -> Irregular:
    return named(name).network(None, None, None)


def closed(links: FreeLinks, path: list[int]) -> list[int]:
    """Check that free links, each once, are a closed trail; return the switches that it leaves."""
    assert len(set(path)) == len(path)
    assert all(links.free[link] for link in path)
    assert all(links.head(a) == b // links.ports for a, b in pairwise([*path, path[0]]))
    return [link // links.ports for link in path]


def test_rectangles_of_every_size() -> None:
    for width in range(2, 14):
        for height in range(2, 14):
            switches = rectangle_ring(width, height)
            if (width, height) == (3, 3):
                assert switches is None
                continue
            assert switches is not None
            hops = ring_hops(Mesh(width, height), switches)
            assert len(set(switches)) == width * height
            assert len(hops) == width * height + width * height % 2
    assert rectangle_ring(1, 6) is rectangle_ring(6, 1) is None


@pytest.mark.parametrize("name", ["ring-9", "hypercube-16", "complete-7", "torus-3x3", "k-ring-8"])
def test_a_hamiltonian_cycle_passes_each_switch_once(name: str) -> None:
    graph = graph_of(name)
    links = FreeLinks(graph)
    path = hamiltonian_cycle(links, range(graph.switches))
    assert path is not None
    assert sorted(closed(links, path)) == [*range(graph.switches)]


@pytest.mark.parametrize("name", ["star-5", "mesh-3x3", "moore-petersen"])
def test_a_graph_without_a_hamiltonian_cycle(name: str) -> None:
    graph = graph_of(name)
    assert hamiltonian_cycle(FreeLinks(graph), range(graph.switches)) is None


@pytest.mark.parametrize("name", ["star-5", "fat-tree-2x3", "mesh-3x3", "dragonfly-2x4x1"])
def test_a_tour_takes_each_link_of_a_tree_in_both_directions(name: str) -> None:
    graph = graph_of(name)
    links, switches = FreeLinks(graph), list({switch for switch, _ in graph.nodes})
    path = tree_tour(links, switches)
    assert path is not None
    passed = {*closed(links, path)}
    assert passed >= {*switches}
    assert {*path} == {links.far[link] for link in path}
    assert len(path) == 2 * (len(passed) - 1)


def test_no_tour_where_free_links_join_no_members() -> None:
    graph = graph_of("star-3")
    assert tree_tour(FreeLinks(graph, [graph.links[0][0]]), [1, 2]) is None


def test_a_cycle_is_not_searched_where_no_ring_is_that_short() -> None:
    graph = graph_of("ring-8")
    links = FreeLinks(graph)
    assert [len(ring) for ring in known_rings(links, range(8), 8)] == [8, 14]
    assert [len(ring) for ring in known_rings(links, range(8), 9)] == [14]
