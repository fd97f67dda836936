"""The linear program of rings: its bound, and whether a shorter ring exists."""

from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.planning.free_links import FreeLinks
from syncfabric.models.planning.ring_model import RingModel
from tests.models.planning.static_paths import passed, ring_hops


def test_a_search_finds_what_is_shorter() -> None:
    mesh = Mesh(3, 3)
    model = RingModel(FreeLinks(mesh.graph), list(range(9)))
    assert model.shorter(12) == (None, True)
    links, sure = model.shorter(20)
    assert sure
    assert links is not None
    assert len(ring_hops(mesh, passed(mesh, [link // 5 for link in links]))) == 14
