"""Distances between switches: the fast methods against the plain ones of networkx."""

import random

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.planning import graph as searches
from syncfabric.models.planning.graph import BATCH, eccentricities, least_eccentric, shapes
from tests.models.planning.irregular import clusters, draw_network, member_switches


def plain(topology: Irregular) -> "nx.Graph[int]":
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(topology.switches))
    graph.add_edges_from((a[0], b[0]) for a, b in topology.links)
    return graph


@settings(max_examples=60, deadline=None)
@given(clusters())
def test_spanning_tree_by_levels_and_lowest_numbers(
    drawn: tuple[Irregular, list[Place]],
) -> None:
    topology, _ = drawn
    graph = plain(topology)
    for root in range(topology.switches):
        parents, levels = topology.spanning(root), topology.levels(root)
        distance = nx.single_source_shortest_path_length(graph, root)
        assert levels.tolist() == [distance[switch] for switch in range(topology.switches)]
        for switch, parent in enumerate(parents.tolist()):
            above = [n for n in graph[switch] if levels[n] == levels[switch] - 1]
            assert parent == min(above, default=-1)


@pytest.mark.parametrize("switches", [1, 2, BATCH, BATCH + 1, 150])
def test_eccentricities_and_shapes_of_many_roots(switches: int) -> None:
    rng = random.Random(switches)
    topology = draw_network(rng, switches, switches // 2, 2 * switches)
    graph, whole = topology, plain(topology)
    targets = np.array(sorted(rng.sample(range(switches), switches // 2 + 1)))
    edges, leaves = shapes(graph, targets, targets)
    far = eccentricities(graph, targets, targets)
    for place, root in enumerate(targets.tolist()):
        parents, levels = graph.spanning(root), graph.levels(root)
        assert far[place] == levels[targets].max()
        kept = {switch for target in targets.tolist() for switch in above(parents, target)}
        inner = {int(parents[switch]) for switch in kept}
        assert (edges[place], leaves[place]) == (len(kept) - 1, len(kept - inner))
    assert far.tolist() == [
        max(nx.shortest_path_length(whole, root, t) for t in targets.tolist())
        for root in targets.tolist()
    ]


def above(parents: np.ndarray, switch: int) -> list[int]:
    path = [switch]
    while parents[path[-1]] >= 0:
        path.append(int(parents[path[-1]]))
    return path


@settings(max_examples=60, deadline=None)
@given(clusters())
def test_the_least_eccentric_are_all_found(drawn: tuple[Irregular, list[Place]]) -> None:
    topology, members = drawn
    graph, targets = topology, member_switches(members)
    everyone = np.arange(topology.switches)
    for candidates in (everyone, targets):
        far = eccentricities(graph, candidates, targets)
        found, distance = least_eccentric(graph, candidates, targets)
        assert distance == far.min()
        assert found.tolist() == candidates[far == distance].tolist()


@pytest.mark.parametrize("extra", [0, 100, 900])
def test_the_least_eccentric_are_found_without_measuring_all(
    extra: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    topology = draw_network(random.Random(extra), 1500, extra, 1)
    graph, everyone = topology, np.arange(1500)
    far = eccentricities(graph, everyone, everyone)
    measured = []

    def counting(graph: Irregular, roots: np.ndarray, targets: np.ndarray) -> np.ndarray:
        measured.extend(roots.tolist())
        return eccentricities(graph, roots, targets)

    monkeypatch.setattr(searches, "eccentricities", counting)
    found, distance = least_eccentric(graph, everyone, everyone)
    assert (distance, found.tolist()) == (far.min(), np.flatnonzero(far == far.min()).tolist())
    assert len(measured) == len(set(measured)) < 1500
    assert len(measured) <= 6 * BATCH + 2 * len(found)


def test_ports_between_are_the_lowest_of_the_first_switch() -> None:
    links = (((0, 3), (1, 0)), ((0, 1), (1, 2)), ((1, 1), (0, 2)), ((1, 3), (2, 0)))
    graph = Irregular(4, 3, links, ())
    own, far = graph.ports_between(np.array([0, 1, 1, 2]), np.array([1, 0, 2, 1]))
    assert own.tolist() == [1, 0, 3, 0]
    assert far.tolist() == [2, 3, 0, 3]
