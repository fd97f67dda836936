"""Topologies as data."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.topology import Topology, full_duplex
from syncfabric.models.errors import SpecError

PAIR = full_duplex([(0, 1)])


def test_channels_are_numbered_by_their_place() -> None:
    ring = named("ring-3")
    assert ring.channels == ((0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2))
    assert ring.along((0, 2, 1)) == [5, 3]
    assert ring.ends.tolist()[4] == [2, 0]
    with pytest.raises(KeyError):
        named("ring-4").along((0, 2))


def test_a_processor_has_channels_to_one_switch_only() -> None:
    # Node 0 is behind switch 3; node 1 has a router between switch 3 and node 2.
    topology = Topology("mixed", 3, 1, full_duplex([(0, 3), (1, 3), (1, 2)]))
    assert topology.routers == (False, True, True, True)
    assert all(named("star-4").routers)


@settings(deadline=None)
@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=40))
def test_distances_are_those_of_networkx(more: set[tuple[int, int]]) -> None:
    channels = {*named("ring-7").channels, *((a, b) for a, b in more if a != b)}
    topology = Topology("t", 7, 0, tuple(sorted(channels)))
    graph = nx.DiGraph(list(channels))
    for source, found in nx.all_pairs_shortest_path_length(graph):
        assert [found[v] for v in range(7)] == topology.distances[source].tolist()


def test_distances_count_a_processors_channels() -> None:
    assert named("fat-octagon-16").distances[0].tolist()[:4] == [0, 2, 3, 3]
    assert named("coated-mesh-4x4").distances[:16, :16].max() == 8


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Topology("t", 0, 1, ()), "topology t: it must have a node at least, not 0 nodes"),
        (lambda: Topology("a\nb = 1", 2, 0, PAIR), "its name must be printable, in one line"),
        (lambda: Topology("t", 2, 0, ((0, 2),)), "channel [0, 2] leads out of it; nodes and"),
        (lambda: Topology("t", 2, 0, (*PAIR, (1, 1))), "channel [1, 1] leads nowhere"),
        (lambda: Topology("t", 2, 0, (*PAIR, (0, 1))), "channel [0, 1] is there 2 times"),
        (lambda: Topology("t", 4, 0, PAIR), "node 2 cannot be reached from node 0, and 1 more"),
        (
            lambda: Topology("t", 2, 0, ((0, 1),)),
            "not connected: node 1 has no path to node 0",
        ),
        (lambda: Topology("t", 2, 1, PAIR), "switch 2 cannot be reached from node 0"),
    ],
)
def test_what_is_no_network_is_refused(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(SpecError) as caught:
        make()
    assert message in str(caught.value)


def test_reversed_keeps_the_numbers() -> None:
    tree = Topology("t", 3, 0, ((0, 1), (1, 2), (2, 0)))
    back = tree.reversed()
    assert back.channels == ((1, 0), (2, 1), (0, 2))
    assert np.array_equal(back.distances, tree.distances.T)
