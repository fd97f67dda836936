"""The mesh's arithmetic: indices, neighbours, opposite ports."""

import pytest

from syncfabric.models.networks.mesh import Mesh, Port

MESH = Mesh(5, 3)


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
