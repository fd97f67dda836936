"""Numbers of links and ways, against the mesh's own notion of them."""

import pytest

from syncfabric.models.golden.wiring import HERE, Wiring
from syncfabric.models.networks.mesh import Mesh, Port, Turn
from syncfabric.models.networks.spec import MeshSpec


def wiring(width: int, height: int, channels: int = 1) -> Wiring:
    return Wiring(MeshSpec(kind="mesh", width=width, height=height, channels=channels))


def test_links_of_a_2x1_mesh() -> None:
    made = wiring(2, 1, channels=2)
    assert made.links == 12
    assert {link: end for link, end in enumerate(made.fed) if end} == {
        0: (1, Port.WEST),
        7: (0, Port.EAST),
        10: (0, Port.LOCAL),
        11: (1, Port.LOCAL),
    }
    assert made.feeding == [[7, None, None, None, 10], [None, None, 0, None, 11]]
    assert made.lane(1, Port.WEST, 3) == 31
    assert made.injection(1, 1) == 45


@pytest.mark.parametrize(("width", "height"), [(1, 1), (4, 4), (5, 3), (1, 6)])
@pytest.mark.parametrize("turn", list(Turn))
def test_routes_compare_coordinates(width: int, height: int, turn: Turn) -> None:
    """Destinations beyond the mesh, which a field can name, too."""
    made, mesh = wiring(width, height), Mesh(width, height)
    for index, here in enumerate(mesh.nodes):
        for y in range(1 << made.y_bits):
            for x in range(1 << made.x_bits):
                way = made.routes(index, turn)[made.code(x, y)]
                assert way == mesh.first_port(here, (x, y), turn)
                assert (way == HERE) == (here == (x, y))


def test_a_code_is_cut_to_the_width_of_the_mesh() -> None:
    made = wiring(4, 4)
    assert made.code(5, 6) == made.code(1, 2) == 0b1001
