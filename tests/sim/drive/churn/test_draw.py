"""Lives as they are drawn, who has room for them, and what is refused."""

import random

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import GroupSpec, NetworkSpec
from syncfabric.sim.drive.churn.draw import Drawing
from syncfabric.sim.drive.churn.room import check_churn, free_gids
from tests.sim.drive.churn.networks import cluster, grid, plan_with
from tests.sim.drive.networks import members, mesh, plan_of


def test_lives_are_as_they_should() -> None:
    spec = plan_with(grid()).spec
    drawing = Drawing(spec, random.Random(4))
    drawn = []
    for _ in range(300):
        drawn.append(drawing.draw(range(6)))
        drawing.give_back(drawn[-1].group.id)
    sizes = [len(life.group.members) for life in drawn]
    assert {min(sizes), max(sizes)} == {2, 6}
    assert {life.manager for life in drawn} == {0, 1}
    assert {life.group.op for life in drawn} == {"or", "and", "xor"}
    assert 300 / 16 < sum(life.doomed for life in drawn) < 300 / 5
    alive = [life.episodes for life in drawn if not life.doomed]
    assert {min(alive), max(alive)} == {1, 8}
    assert any(life.episodes > 8 for life in drawn if life.doomed)
    assert all(len(life.entries) == len(life.group.members) for life in drawn)
    assert len({life.group.id for life in drawn}) == 8
    assert not {7, 9} & {life.group.id for life in drawn}


def test_on_a_large_network_most_are_few() -> None:
    drawing = Drawing(plan_of(mesh(9, 9, setup="manager")).spec, random.Random(4))
    sizes = []
    for _ in range(60):
        life = drawing.draw(range(81))
        drawing.give_back(life.group.id)
        sizes.append(len(life.group.members))
    assert sorted(sizes)[30] <= 6
    assert max(sizes) > 40


def test_serial_operations_are_drawn_where_they_are_built() -> None:
    drawing = Drawing(plan_with(cluster(operations="all")).spec, random.Random(4))
    seen = set()
    for _ in range(80):
        life = drawing.draw(range(4))
        drawing.give_back(life.group.id)
        seen.add(life.group.op)
    assert seen == {"or", "and", "xor", "max", "min", "sum"}


def test_numbers_run_out() -> None:
    drawing = Drawing(plan_with(grid()).spec, random.Random(4))
    for _ in range(8):
        assert drawing.has_gid
        drawing.draw(range(6))
    assert not drawing.has_gid


def spec_with(count: int, **keys: object) -> NetworkSpec:
    """Return everybody's groups, as many as asked for."""
    network = mesh(2, 2, setup="manager", **keys)
    nodes = tuple(network.mesh.nodes)
    groups = tuple(GroupSpec(id=gid, members=nodes) for gid in range(count))
    return NetworkSpec(name="net", network=network, groups=groups)


def test_room_is_what_the_networks_groups_leave() -> None:
    check_churn(spec_with(3))
    assert free_gids(spec_with(3)) == list(range(3, 256))
    check_churn(plan_with(cluster()).spec)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            plan_of(mesh(2, 2), members(1, (0, 0))).spec,
            r'^churn: groups of net are set up with setup = "local", not by packets; '
            r'set setup = "manager" in \[network\]$',
        ),
        (
            spec_with(4),
            r"^churn: 0 of the nodes of net can take another group, and a group that comes and "
            r"goes has two members; set barrier_registers above 4, or remove a group$",
        ),
        (
            plan_of(mesh(1, 1, setup="manager")).spec,
            r"^churn: 1 of the nodes of net can take another group, and",
        ),
        (
            spec_with(256, barrier_registers=64),
            r"^churn: the groups of net have all 256 ids, so there is none for another; "
            r"remove a group$",
        ),
    ],
)
def test_what_has_no_room_is_refused(spec: NetworkSpec, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        check_churn(spec)
