"""The terms of the bound, by hand; whether it is true, the golden model says in tests/sim/drive."""

import pytest

from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.bounds import bound_cycles
from syncfabric.models.planning.btm import build_tree


@pytest.mark.parametrize(
    ("keys", "bound"),
    [
        ({"barrier_pipeline": 0}, 22),
        ({}, 30),
        ({"sync_links": "own"}, 30),
        ({"reduction_route": "paper"}, 33),
        ({"operations": "all"}, 42),
    ],
)
def test_the_bound_of_a_complete_mesh(keys: dict[str, object], bound: int) -> None:
    """L 10, h 4; the paper's routes bring one meeting to the worst path, serial ones 12 waits."""
    network = MeshSpec.model_validate({"kind": "mesh", "width": 8, "height": 8, **keys})
    assert bound_cycles(build_tree(Mesh(8, 8).nodes), network) == bound


def test_the_way_with_the_longest_waits_need_not_be_the_longest_way() -> None:
    """Up from (0, 0): 4 hops, 4 of depth and waits; down to (9, 3): 6 hops and 1 of depth."""
    network = MeshSpec(kind="mesh", width=10, height=4, operations="all")
    tree = build_tree([(0, 0), (1, 1), (2, 0), (3, 3), (9, 3)])
    plain = bound_cycles(tree, network.model_copy(update={"operations": "bitwise"}))
    assert bound_cycles(tree, network) > plain
