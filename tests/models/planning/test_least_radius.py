"""Centres, and trees around them that avoid what is dear, each by a second idea."""

import random

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.planning import least_radius
from syncfabric.models.planning.graph import Rays
from syncfabric.models.planning.least_radius import centre_of, lay
from tests.models.planning.checker import mesh
from tests.models.planning.irregular import clusters, draw_network


@settings(max_examples=60, deadline=None)
@given(clusters(), st.booleans())
def test_centres(case: tuple[Irregular, list[tuple[int, int]]], many: bool) -> None:
    topology, members = case
    routers = sorted({router for router, _ in members})
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(range(topology.switches))
    graph.add_edges_from((a[0], b[0]) for a, b in topology.links)
    away = dict(nx.all_pairs_shortest_path_length(graph))
    far = {r: max(away[r][m] for m in routers) for r in graph}
    with pytest.MonkeyPatch.context() as patch:
        if many:
            patch.setattr(least_radius, "MOST_MEASURED", 0)
        centre = centre_of(topology, np.array(routers))
    assert centre.radius == min(far.values())
    roots = {r for r in far if far[r] == centre.radius}
    assert set(centre.roots(0).tolist()) == roots
    if not many:
        assert centre.far.tolist() == [far[r] for r in graph]
        total = {r: sum(away[r][m] for m in routers) for r in graph}
        assert centre.roots(0).tolist() == sorted(roots, key=lambda r: (total[r], r))
        assert set(centre.roots(2).tolist()) == {r for r in far if far[r] <= centre.radius + 2}


def test_centres_of_many_members() -> None:
    graph = mesh(10, 10).topology.graph
    centre = centre_of(graph, np.arange(100))
    assert centre.radius == 10
    assert centre.roots(0).tolist() == [44, 45, 54, 55]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32))
def test_trees_avoid_what_is_dear(seed: int) -> None:
    """A tree goes by a dear router only where each shortest path from the root does."""
    rng = random.Random(seed)
    graph = draw_network(rng, 20, 30, 1)
    cost = np.array([rng.choice([1, 1, 1000]) for _ in range(20)])
    root, member = rng.sample(range(20), 2)
    cost[member] = 0
    laid = lay(graph, Rays.of(graph, root), [member], cost, np.zeros_like(cost))
    network: nx.Graph[int] = nx.Graph()
    network.add_edges_from((a[0], b[0]) for a, b in graph.links)
    paths = nx.all_shortest_paths(network, root, member)
    assert cost[laid.routers].sum() == min(int(cost[path[:-1]].sum()) for path in paths)
