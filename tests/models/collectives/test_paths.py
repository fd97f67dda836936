"""Shortest paths, others, and the table of them."""

import networkx as nx
import pytest

from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.paths import path_table, paths
from syncfabric.models.networks.families import FAMILIES


@pytest.mark.parametrize("name", ["octagon-8", "mesh-4x4", "moore-petersen", "fat-octagon-16"])
def test_paths_are_those_of_networkx(name: str) -> None:
    topology = named(name)
    graph = nx.DiGraph(list(topology.channels))
    for target in (1, topology.nodes - 1):
        least = int(nx.shortest_path_length(graph, 0, target))
        for extra in (0, 1, 2):
            found = list(paths(topology, 0, target, extra))
            wanted = nx.all_simple_paths(graph, 0, target, cutoff=least + extra)
            assert sorted(found) == sorted(map(tuple, wanted))
            assert [len(path) for path in found] == sorted(len(path) for path in found)


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES)
def test_every_topology_has_paths_between_all_nodes(family) -> None:  # type: ignore[no-untyped-def]
    topology = named(family.example)
    for target in range(1, topology.nodes):
        path = next(paths(topology, 0, target))
        assert len(topology.along(path)) == topology.distances[0, target]


def test_the_first_of_many_paths_comes_without_the_others() -> None:
    cube = named("hypercube-1024")
    assert next(paths(cube, 0, 1023, 2)) == (0, 1, 3, 7, 15, 31, 63, 127, 255, 511, 1023)


def test_the_table_holds_the_paths_in_flat_arrays() -> None:
    octagon = named("octagon-8")
    pairs = [(a, b) for a in range(8) for b in range(8) if a != b]
    table = path_table(octagon, pairs)
    assert table.pairs.tolist() == [list(pair) for pair in pairs]
    for i, (source, target) in enumerate(pairs):
        numbers = range(table.first_path[i], table.first_path[i + 1])
        assert [table.path(octagon, n) for n in numbers] == list(paths(octagon, source, target))
    assert len(table.channel) == table.first_channel[-1]


def test_where_there_are_too_many_paths_different_ones_are_drawn() -> None:
    cube = named("hypercube-64")
    table = path_table(cube, [(0, 63), (0, 1)], most=100, seed=3)
    drawn = [table.path(cube, n) for n in range(100)]
    assert len(set(drawn)) == 100
    assert all(len(path) == 7 and path[0] == 0 and path[-1] == 63 for path in drawn)
    # Drawn evenly: no first channel is much more frequent than another.
    firsts = [sum(path[1] == 1 << bit for path in drawn) for bit in range(6)]
    assert min(firsts) >= 5
    assert table.first_path.tolist() == [0, 100, 101]
    again = path_table(cube, [(0, 63), (0, 1)], most=100, seed=3)
    assert again.channel.tolist() == table.channel.tolist()
    assert path_table(cube, [(0, 63)], most=100, seed=4).channel.tolist() != drawn


def test_longer_paths_fill_up_the_table() -> None:
    ring = named("ring-8")
    table = path_table(ring, [(0, 3)], extra=2)
    assert [table.path(ring, n) for n in range(2)] == [(0, 1, 2, 3), (0, 7, 6, 5, 4, 3)]
