"""The ways to say who belongs to a group, and what is said of those that are no nodes."""

import random
from typing import Any

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


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("some", r'be a list of nodes \[x, y\], "all" or \{ random = n, seed = s \}, not "some"$'),
        (7, r'^group 3: members must be a list of nodes \[x, y\], "all" or .*, not 7$'),
        ([[1]], r"^group 3: members: \[1\] is not a node; write \[x, y\] in whole numbers$"),
        ([[0, 0], [1, 1, 1]], r"^group 3: members: \[1, 1, 1\] is not a node; "),
        ([[0, True]], r"^group 3: members: \[0, true\] is not a node; "),
        ([[0, 1.0]], r"^group 3: members: \[0, 1\.0\] is not a node; "),
        ([5], r"^group 3: members: 5 is not a node; "),
        ({"random": 2, "sead": 1}, r'^group 3: members: unknown key "sead"; .*"seed"'),
        ({"random": 0, "seed": 1}, r"^group 3: members: random must be "),
        ({"random": 2}, r"^group 3: members: seed "),
        (
            {"random": 7, "seed": 1},
            r"^group 3: members: random = 7 is more than the 3x2 mesh has nodes; it must be 1\.\.6",
        ),
    ],
)
def test_other_forms_are_refused(value: Any, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        name_members("group 3: members", value, MESH)


@pytest.mark.parametrize(
    ("mesh", "members", "message"),
    [
        (MESH, [(0, 0), (3, 0)], r"^group 1: member \(3, 0\) is outside the 3x2 mesh; x must be 0"),
        (MESH, [(2, 2), (3, 0)], r"^group 1: member \(2, 2\) .*; y must be 0\.\.1$"),
        (MESH, [(-1, 5)], r"^group 1: member \(-1, 5\) .*; x must be 0\.\.2$"),
        (Mesh(3, 1), [(2, 1)], r"^group 1: member \(2, 1\) is outside the 3x1 mesh; y must be 0$"),
        (MESH, [(0, 2**70)], rf"^group 1: member \(0, {2**70}\) is outside .*; y must be 0\.\.1$"),
    ],
)
def test_who_is_outside_a_mesh_is_refused(mesh: Mesh, members: list[Node], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        check_members(1, tuple(members), mesh)


@pytest.mark.parametrize(
    ("member", "message"),
    [
        ((3, 1), r"^group 1: member \(3, 1\) is not a node; switch must be 0\.\.2$"),
        ((1, 2), r"^group 1: member \(1, 2\) is not a node; switch 1 has none$"),
        ((0, 3), r"^group 1: member \(0, 3\) is not a node; those of switch 0 are \(0, 2\), \(0,"),
    ],
)
def test_who_is_no_node_of_an_irregular_network_is_refused(member: Node, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        check_members(1, ((2, 3), member), PAIR)


@pytest.mark.parametrize("topology", [MESH, PAIR])
def test_nodes_are_not_refused(topology: Mesh | Irregular) -> None:
    check_members(1, tuple(topology.nodes), topology)
