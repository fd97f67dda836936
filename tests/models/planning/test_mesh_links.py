"""Directed links of a mesh as numbers."""

import pytest

from syncfabric.models.networks.mesh import Mesh, Node
from syncfabric.models.planning.mesh_links import AHEAD, SIDES, MeshLinks, link_numbers

SIZES = [(1, 1), (1, 3), (4, 1), (2, 2), (3, 5)]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_link_leads_to_the_neighbour(width: int, height: int) -> None:
    mesh = Mesh(width, height)
    links = MeshLinks(mesh)
    assert len(links.free) == 4 * width * height
    for switch, node in enumerate(mesh.nodes):
        for port in SIDES:
            there, link = mesh.neighbour(node, port), 4 * switch + port
            assert links.free[link] == (there is not None)
            if there is not None:
                assert mesh.node(links.head(link)) == there
                assert link_numbers(mesh, [(node, there)]) == [link]
                assert links.switches([link]) == [node]


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_links_that_are_taken_lead_nowhere(width: int, height: int) -> None:
    mesh = Mesh(width, height)
    every = [link for link, free in enumerate(MeshLinks(mesh).free) if free]
    for taken in (every[::2], every[1::3], every):
        links = MeshLinks(mesh, taken)
        left = set(every) - set(taken)
        assert {link for link, free in enumerate(links.free) if free} == left
        for switch in range(len(mesh.nodes)):
            into = {link for link in left if links.head(link) == switch}
            assert set(links.into(switch)) == into


def test_distances() -> None:
    mesh = Mesh(4, 3)
    links = MeshLinks(mesh)
    for a, here in enumerate(mesh.nodes):
        for b, there in enumerate(mesh.nodes):
            assert links.distance(a, b) == abs(here[0] - there[0]) + abs(here[1] - there[1])


def test_no_link_follows_its_opposite() -> None:
    """There and back again is no way through two links."""
    mesh = Mesh(3, 3)
    links, middle = MeshLinks(mesh), mesh.index((1, 1))
    for port in SIDES:
        here: Node = (1, 1)
        back = mesh.node(links.head(4 * middle + port))
        ahead = {mesh.neighbour(back, SIDES[side]) for side in AHEAD[port]}
        assert here not in ahead
        assert len(ahead) == 3
