"""The irregular network as dictionaries and as arrays."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.random_network import RandomNetwork, draw_network

TWINS = Irregular(
    ports=4,
    switches=3,
    links=(((1, 3), (0, 2)), ((0, 1), (1, 0)), ((2, 0), (0, 3))),
    nodes=((2, 2), (0, 0), (1, 1)),
)


def test_nodes_are_numbered_in_their_order() -> None:
    assert [TWINS.index(node) for node in TWINS.nodes] == [0, 1, 2]
    assert [TWINS.node(i) for i in range(3)] == list(TWINS.nodes)
    assert TWINS.contains((0, 0))
    assert not TWINS.contains((0, 1))
    assert TWINS.node_at(1, 1) == 2
    assert TWINS.node_at(1, 0) is None


def test_a_link_leads_in_both_directions() -> None:
    assert TWINS.across(1, 3) == (0, 2)
    assert TWINS.across(0, 2) == (1, 3)
    assert TWINS.across(0, 0) is None


def test_rows_of_a_small_network() -> None:
    assert TWINS.indptr.tolist() == [0, 3, 5, 6]
    assert TWINS.neighbour.tolist() == [1, 1, 2, 0, 0, 0]
    assert TWINS.port.tolist() == [1, 2, 3, 0, 3, 0]
    assert TWINS.far_port.tolist() == [0, 3, 0, 1, 2, 3]
    assert TWINS.links_array.tolist() == [[1, 3, 0, 2], [0, 1, 1, 0], [2, 0, 0, 3]]
    assert TWINS.nodes_array.tolist() == [[2, 2], [0, 0], [1, 1]]


def test_a_switch_alone_has_empty_arrays() -> None:
    alone = Irregular(2, 1, (), ((0, 1),))
    assert alone.links_array.shape == (0, 4)
    assert alone.indptr.tolist() == [0, 0]
    assert alone.neighbour.shape == alone.port.shape == alone.far_port.shape == (0,)
    assert str(alone) == "irregular network of 1 switch"
    assert str(TWINS) == "irregular network of 3 switches"


@given(st.integers(1, 12), st.integers(0, 10**6))
@settings(max_examples=50, deadline=None)
def test_the_rows_are_the_links_seen_from_each_switch(switches: int, seed: int) -> None:
    drawn = RandomNetwork(switches=switches, nodes=switches, connectivity=0.8, seed=seed)
    network, _ = draw_network(drawn, 6)
    for switch in range(switches):
        there = slice(network.indptr[switch], network.indptr[switch + 1])
        rows = zip(
            network.neighbour[there].tolist(),
            network.port[there].tolist(),
            network.far_port[there].tolist(),
            strict=True,
        )
        ends = {port: network.across(switch, port) for port in range(6)}
        wanted = sorted((end[0], port, end[1]) for port, end in ends.items() if end)
        assert list(rows) == wanted
    assert network.indptr[-1] == 2 * len(network.links) == len(network.port)
    assert np.array_equal(network.nodes_array, np.array(network.nodes))
