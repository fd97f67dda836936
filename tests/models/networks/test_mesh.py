"""The mesh's arithmetic: numbering, links, and the two dimension orders."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncfabric.models.networks.mesh import STEP, Mesh, Port, Turn, hops

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


@given(PLACES, PLACES, st.sampled_from(Turn))
def test_a_path_is_shortest_and_turns_once(
    a: tuple[int, int], b: tuple[int, int], turn: Turn
) -> None:
    path = MESH.path(a, b, turn)
    assert len(path) == hops(a, b) == MESH.hops(a, b)
    here = a
    for node, port in path:
        assert node == here
        here = here[0] + STEP[port][0], here[1] + STEP[port][1]
    assert here == b
    axes = [port % 2 for _, port in path]
    assert axes == sorted(axes, reverse=turn is Turn.Y_FIRST)


@given(PLACES, PLACES, st.sampled_from(Turn))
def test_the_other_order_goes_back_over_the_same_links(
    a: tuple[int, int], b: tuple[int, int], turn: Turn
) -> None:
    forth = [(node, MESH.neighbour(node, port)) for node, port in MESH.path(a, b, turn)]
    back = [(node, MESH.neighbour(node, port)) for node, port in MESH.path(b, a, turn.reverse)]
    assert [(end, start) for start, end in reversed(back)] == forth
