"""The forms to say who belongs to a group, and what is said of those that are no nodes."""

import random
import re

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.members import check_members, name_members
from syncfabric.models.networks.mesh import Mesh, Node

MESH = Mesh(3, 2)
PAIR = Irregular(
    ports=4, switches=3, links=(((0, 0), (1, 0)), ((1, 1), (2, 1))), nodes=((2, 3), (0, 2), (0, 1))
)


@pytest.mark.parametrize("topology", [MESH, PAIR])
def test_all_are_the_nodes_in_their_order(topology: Mesh | Irregular) -> None:
    assert name_members("members", "all", topology) == tuple(topology.nodes)


def test_a_draw_is_pythons_own_over_the_nodes_in_their_order() -> None:
    for seed in range(5):
        drawn = name_members("members", {"random": 2, "seed": seed}, PAIR)
        assert drawn == tuple(random.Random(seed).sample([(2, 3), (0, 2), (0, 1)], 2))
    assert sorted(name_members("members", {"random": 6, "seed": 1}, MESH)) == sorted(MESH.nodes)


def test_a_list_keeps_its_order_and_is_not_judged_here() -> None:
    assert name_members("members", [[2, 1], [9, 9]], MESH) == ((2, 1), (9, 9))
    assert name_members("members", ((0, 1), (0, 0)), MESH) == ((0, 1), (0, 0))


@pytest.mark.parametrize("topology", [MESH, PAIR])
def test_nodes_are_not_refused(topology: Mesh | Irregular) -> None:
    check_members(1, tuple(topology.nodes), topology)


@pytest.mark.parametrize(
    ("member", "allowed"),
    [
        ((2, 2), r"y must be 0\.\.1"),
        ((-1, 5), r"x must be 0\.\.2"),
        ((0, 2**70), r"y must be 0\.\.1"),
    ],
)
def test_a_member_outside_a_mesh_is_refused(member: Node, allowed: str) -> None:
    place = re.escape(str(member))
    with pytest.raises(SpecError, match=rf"^group 1: member {place} is outside .*; {allowed}$"):
        check_members(1, (member, (3, 0)), MESH)
