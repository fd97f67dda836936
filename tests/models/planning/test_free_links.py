"""Directed links of a mesh as numbers."""

import pytest

from syncfabric.models.networks.families import named
from syncfabric.models.networks.mesh import Mesh, Port
from syncfabric.models.planning.free_links import FreeLinks
from tests.models.planning.static_paths import numbered

SIDES = (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH)
SIZES = [(1, 1), (1, 3), (4, 1), (2, 2), (3, 5)]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_link_leads_to_the_neighbour(width: int, height: int) -> None:
    mesh = Mesh(width, height)
    links = FreeLinks(mesh.graph)
    assert len(links.free) == 5 * width * height
    for switch, node in enumerate(mesh.nodes):
        for port in SIDES:
            there, link = mesh.neighbour(node, port), 5 * switch + port
            assert links.free[link] == (there is not None)
            if there is not None:
                assert mesh.node(links.head(link)) == there
                assert numbered(mesh, [(node, there)]) == [link]
                assert links.outputs([link]) == [(switch, port)]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_links_that_are_taken_lead_nowhere(width: int, height: int) -> None:
    mesh = Mesh(width, height)
    every = [link for link, free in enumerate(FreeLinks(mesh.graph).free) if free]
    for taken in (every[::2], every[1::3], every):
        links = FreeLinks(mesh.graph, [divmod(link, 5) for link in taken])
        left = set(every) - set(taken)
        assert {link for link, free in enumerate(links.free) if free} == left
        for switch in range(len(mesh.nodes)):
            into = {link for link in left if links.head(link) == switch}
            assert set(links.into(switch)) == into


def test_distances() -> None:
    mesh = Mesh(4, 3)
    links = FreeLinks(mesh.graph)
    for a, here in enumerate(mesh.nodes):
        for b, there in enumerate(mesh.nodes):
            assert links.distance(a, b) == abs(here[0] - there[0]) + abs(here[1] - there[1])


def test_no_link_follows_its_opposite() -> None:
    """There and back again is no ring through two links."""
    mesh = Mesh(3, 3)
    links = FreeLinks(mesh.graph)
    for port in SIDES:
        out = 5 * mesh.index((1, 1)) + port
        ahead = [links.head(link) for link in links.after(out)]
        assert mesh.index((1, 1)) not in ahead
        assert len(ahead) == 2


def test_on_a_graph_a_link_follows_its_opposite() -> None:
    star = named("star-4").network()
    links = FreeLinks(star)
    for link, back in enumerate(links.far):
        if back >= 0:
            assert back in links.after(link)
            assert len(links.after(link)) == star.degree[links.head(link)]
