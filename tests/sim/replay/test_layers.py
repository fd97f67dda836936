"""Virtual channels for routes: no cycle in any, and no more than are needed."""

import networkx as nx
import pytest

from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.paths import paths
from syncfabric.sim.replay.free import layers_of


def test_routes_without_a_cycle_share_one() -> None:
    assert layers_of([(1, 2, 3), (3, 4), (2, 4), (5,), ()], 4) == [0] * 5


def test_a_route_that_closes_a_cycle_has_the_next() -> None:
    routes = [(1, 2), (2, 3), (3, 1), (3, 1, 2), (1, 2)]
    assert layers_of(routes, 4) == [0, 0, 1, 1, 0]
    assert layers_of(routes, 1) == [0, 0, None, None, 0]


def test_a_route_that_is_refused_leaves_nothing_behind() -> None:
    # 4 waits for 1 only on the route that is refused.
    assert layers_of([(1, 2), (2, 1, 4, 1), (1, 4)], 1) == [0, None, 0]
    assert layers_of([(1, 2), (4, 1, 2, 1), (1, 4)], 1) == [0, None, 0]


@pytest.mark.parametrize("name", ["ring-9", "octagon-8", "torus-4x4", "moore-petersen"])
def test_no_layer_has_a_cycle(name: str) -> None:
    topology = named(name)
    pairs = collective("AAS", topology).pairs
    routes = [topology.along(next(paths(topology, a, b))) for a, b in pairs]
    layers = layers_of(routes, 4)
    assert None not in layers
    for layer in set(layers):
        graph: nx.DiGraph[int] = nx.DiGraph()
        for route, of in zip(routes, layers, strict=True):
            if of == layer:
                nx.add_path(graph, route)
        assert nx.is_directed_acyclic_graph(graph)
