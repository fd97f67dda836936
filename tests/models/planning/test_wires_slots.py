"""Groups laid into slots, against the most that can be."""

import random

import pytest

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Mesh
from syncfabric.models.planning import wires_slots
from syncfabric.models.planning.wires_board import Board
from syncfabric.models.planning.wires_graph import IrregularGraph, MeshGraph
from syncfabric.models.planning.wires_slots import Laid, Wanted, lay_groups, least_slots


def check(laid: dict[int, Laid], wanted: list[Wanted], slots: int) -> None:
    """No two groups share a unit of a slot, and every tree has its members."""
    taken: set[tuple[int, int]] = set()
    for group in wanted:
        if group.id not in laid:
            continue
        slot, tree = laid[group.id]
        assert 0 <= slot < slots
        assert (tree is None) == (not group.routers)
        units = {*group.own, *(tree.routers if tree else ())}
        assert set(group.routers) <= units
        mine = {(slot, unit) for unit in units}
        assert taken.isdisjoint(mine)
        taken |= mine


def test_a_row_of_intervals_takes_as_many_slots_as_overlap() -> None:
    """In one row trees have no choice, and intervals are colored with as many as lie on a spot."""
    rng = random.Random(4)
    for _ in range(20):
        graph = MeshGraph(Mesh(12, 1))
        spans = [sorted(rng.sample(range(12), 2)) for _ in range(rng.randint(1, 9))]
        wanted = [Wanted(gid, (a, b)) for gid, (a, b) in enumerate(spans)]
        overlap = max(sum(a <= spot <= b for a, b in spans) for spot in range(12))
        laid = lay_groups(graph, wanted, overlap)
        assert len(laid) == len(wanted)
        check(laid, wanted, overlap)
        assert least_slots(graph, wanted) <= overlap
        fewer = lay_groups(graph, wanted, max(1, overlap - 1))
        check(fewer, wanted, max(1, overlap - 1))
        assert len(fewer) == most(spans, max(1, overlap - 1))


def most(spans: list[list[int]], slots: int) -> int:
    """Return the most intervals of which at most ``slots`` overlap, by trying all sets."""
    best = 0
    for chosen in range(1 << len(spans)):
        some = [span for place, span in enumerate(spans) if chosen >> place & 1]
        if all(sum(a <= spot <= b for a, b in some) <= slots for spot in range(12)):
            best = max(best, len(some))
    return best


def test_trees_go_round_each_other() -> None:
    """Two groups whose shortest ways along the middle row would meet find room in one slot."""
    graph = MeshGraph(Mesh(4, 2))
    wanted = [Wanted(0, (0, 3)), Wanted(1, (5, 6))]
    laid = lay_groups(graph, wanted, 1)
    check(laid, wanted, 1)
    assert len(laid) == 2


def test_groups_that_take_no_router() -> None:
    topology = Irregular(4, 1, (), ((0, 0), (0, 1)))
    graph = IrregularGraph(topology)
    wanted = [Wanted(0, (), (1,)), Wanted(1, (), (2,)), Wanted(2, (0,), (1, 2))]
    laid = lay_groups(graph, wanted, 2)
    check(laid, wanted, 2)
    assert laid[0].slot == laid[1].slot != laid[2].slot
    assert least_slots(graph, wanted) == 2


@pytest.mark.parametrize(("slots", "fit"), [(1, 1), (3, 3), (4, 4)])
def test_everyone_meets_everyone(slots: int, fit: int) -> None:
    wanted = [Wanted(gid, tuple(range(9))) for gid in range(4)]
    assert len(lay_groups(MeshGraph(Mesh(3, 3)), wanted, slots)) == fit


def test_room_that_is_made_is_found() -> None:
    wanted = [Wanted(0, (5,)), Wanted(1, (4, 6)), Wanted(2, (0,))]
    board = Board(MeshGraph(Mesh(7, 1)), wanted, 1)
    board.lay(0)
    board.lay(1)
    assert board.left == [2, 1]
    ripped, laid = board.across(2, 0, [0])
    assert ripped == []
    board.replace([0], 2, laid)
    board.lay(1)
    assert board.left == [0]
    assert board.across(0, 0, [1, 2])[0] == [1]


def fitting(count: int, slots: int, side: int) -> list[int]:
    """Return how many of some random groups of 2 to 8 fit, for a few draws."""
    found = []
    for seed in range(4):
        rng, routers = random.Random(seed), range(side * side)
        sizes = (rng.randint(2, 8) for _ in range(count))
        wanted = [Wanted(gid, tuple(rng.sample(routers, size))) for gid, size in enumerate(sizes)]
        laid = lay_groups(MeshGraph(Mesh(side, side)), wanted, slots)
        check(laid, wanted, slots)
        found.append(len(laid))
    return found


def test_every_step_makes_more_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    both = fitting(16, 4, 6)
    with monkeypatch.context() as context:
        context.setattr(wires_slots, "TRIES", 0)
        packed = fitting(16, 4, 6)
        context.setattr(wires_slots, "PACKED", 0)
        plain = fitting(16, 4, 6)
    monkeypatch.setattr(wires_slots, "PACKED", 0)
    pushed = fitting(16, 4, 6)
    for better, worse in ((both, packed), (both, pushed), (packed, plain), (pushed, plain)):
        assert all(more >= less for more, less in zip(better, worse, strict=True))
    assert sum(both) >= sum(pushed) > sum(plain)
    assert sum(packed) > sum(plain)


def test_as_many_compact_groups_as_the_prototype_and_more() -> None:
    """The prototype had room for 113 groups of 2 to 8 neighbors, in 8 slots on 16x16."""
    rng = random.Random(0)
    mesh = Mesh(16, 16)
    wanted = []
    for gid in range(113):
        nodes = [rng.choice(mesh.nodes)]
        while len(nodes) < rng.randint(2, 8):
            x, y = rng.choice(nodes)
            near = rng.choice([(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)])
            if mesh.contains(near) and near not in nodes:
                nodes.append(near)
        wanted.append(Wanted(gid, tuple(map(mesh.index, nodes))))
    laid = lay_groups(MeshGraph(mesh), wanted, 8)
    check(laid, wanted, 8)
    assert len(laid) == 113
