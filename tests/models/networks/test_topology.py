"""The mesh's arithmetic, and the irregular network as dictionaries and as arrays."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh, Port
from syncfabric.models.networks.random_network import RandomNetwork, draw_network

MESH = Mesh(5, 3)
PLACES = st.tuples(st.integers(0, 4), st.integers(0, 2))


def test_nodes_are_counted_east_then_north() -> None:
    assert MESH.nodes[:6] == [(0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (0, 1)]
    assert [MESH.index(node) for node in MESH.nodes] == list(range(15))
    assert [MESH.node(index) for index in range(15)] == MESH.nodes
    assert MESH.diameter == 6
    assert str(MESH) == "5x3 mesh"


@pytest.mark.parametrize(
    ("port", "neighbour"),
    [
        (Port.EAST, (1, 0)),
        (Port.NORTH, (0, 1)),
        (Port.WEST, None),
        (Port.SOUTH, None),
        (Port.LOCAL, (0, 0)),
    ],
)
def test_neighbours_of_a_corner(port: Port, neighbour: tuple[int, int] | None) -> None:
    assert MESH.neighbour((0, 0), port) == neighbour


def test_opposite_ports_are_the_two_ends_of_a_link() -> None:
    for port in (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH):
        there = MESH.neighbour((2, 1), port)
        assert there is not None
        assert MESH.neighbour(there, port.opposite) == (2, 1)
    assert Port.LOCAL.opposite is Port.LOCAL


GRIDS = (
    *(Grid((5, 4), pairs=True), Grid((5, 4)), Grid((3, 2, 4))),
    *(Grid((5,), wraps=True), Grid((6,), wraps=True), Grid((4, 2, 3), wraps=True)),
)


@given(st.sampled_from(GRIDS), st.randoms(use_true_random=False))
def test_paths_are_shortest_and_the_opposite_order_goes_back_over_them(
    grid: Grid, rng: random.Random
) -> None:
    a, b = rng.randrange(grid.routers), rng.randrange(grid.routers)
    order = range(len(grid.sides))[:: rng.choice((1, -1))]
    path, back = grid.path(a, b, order), grid.path(b, a, order[::-1])
    assert [grid.axis_of(port) for _, port in path] == sorted(
        (grid.axis_of(port) or 0 for _, port in path), reverse=order.step < 0
    )
    ends = {}
    for router in range(grid.routers):
        for axis, side in enumerate(grid.sides):
            place = list(grid.place(router))
            place[axis] = (place[axis] + 1) % side
            there = grid.router(place)
            assert there is not None
            if there != router and (place[axis] or (grid.wraps and side > 2)):
                up, down = grid.axes[axis]
                ends[router, up], ends[there, down] = there, router
    here, crossed = a, [a]
    for router, port in path:
        assert router == here
        here = ends[router, port]
        crossed.append(here)
    assert here == b
    assert crossed[::-1] == [router for router, _ in back] + [a]
    apart = 0
    for one, other, side in zip(grid.place(a), grid.place(b), grid.sides, strict=True):
        far = abs(one - other)
        apart += min(far, side - far) if grid.wraps else far
    assert len(path) == apart


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


def test_a_link_leads_both_ways() -> None:
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
