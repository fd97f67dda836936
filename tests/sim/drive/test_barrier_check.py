"""The rules of barriers, on releases as they should be and on doctored ones."""

import pytest

from syncfabric.models.golden.record import Record
from syncfabric.models.layout.setup import Operation as SetUp
from syncfabric.models.networks.spec import GroupSpec, Operation
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.trace import Act, Arrival, BrokenRelease, Chunk, Commanded, Line
from syncfabric.sim.results import Mismatch
from tests.sim.drive.networks import members, mesh, plan_of

REGISTERS = 2
PLAN = plan_of(mesh(3, 1, groups=REGISTERS), members(7, (0, 0), (1, 0)), members(9, (1, 0), (2, 0)))


@pytest.fixture
def check() -> BarrierCheck:
    return BarrierCheck(PLAN)


def arrive(check: BarrierCheck, cycle: int, *who: int, group: int = 0) -> None:
    """Have members arrive, each with the bit of its number as data."""
    for member in who:
        assert not list(check.act(Arrival(cycle, group, member, 1 << member)))


def release(
    check: BarrierCheck, cycle: int, *seats: tuple[int, int], result: int = 3
) -> list[Mismatch]:
    """Release (node, register) pairs in a cycle."""
    bits = sum(1 << node * REGISTERS + register for node, register in seats)
    record = Record(0, 0, (), bits, [result] * len(seats))
    return list(check.wires(Line(cycle, record)))


def unfinished(check: BarrierCheck) -> list[tuple[str, object]]:
    return [(each.signal, each.hardware) for each in check.close(99)]


def test_a_good_episode(check: BarrierCheck) -> None:
    arrive(check, 3, 0)
    arrive(check, 5, 1)
    assert release(check, 9, (0, 0)) == []
    assert release(check, 11, (1, 0)) == []
    assert check.latency == [[6], []]
    assert check.releases == 2
    assert unfinished(check) == []


def test_a_member_may_be_an_episode_ahead(check: BarrierCheck) -> None:
    arrive(check, 1, 0, 1)
    assert release(check, 4, (0, 0)) == []
    arrive(check, 4, 0)
    assert release(check, 6, (1, 0)) == []
    arrive(check, 8, 1)
    assert release(check, 20, (0, 0), (1, 0)) == []
    assert check.latency[0] == [5, 12]


def test_groups_are_apart(check: BarrierCheck) -> None:
    arrive(check, 1, 0, 1)
    arrive(check, 2, 0, 1, group=1)
    assert release(check, 5, (1, 1), (2, 0)) == []
    assert check.latency == [[], [3]]
    assert unfinished(check) == [("group 7: members released at the end", 0)]


def test_released_before_the_last_member_arrived(check: BarrierCheck) -> None:
    arrive(check, 1, 0)
    wrong = Mismatch(4, (0, 0), "group 7: arrivals before a release", 1, 2)
    assert release(check, 4, (0, 0), result=1) == [wrong]


def test_released_in_the_cycle_of_the_last_arrival(check: BarrierCheck) -> None:
    arrive(check, 1, 0)
    assert release(check, 4, (0, 0), (1, 0))  # a cycle's arrivals come after its releases
    arrive(check, 4, 1)


def test_released_twice(check: BarrierCheck) -> None:
    arrive(check, 1, 0, 1)
    assert release(check, 4, (0, 0)) == []
    wrong = Mismatch(5, (0, 0), "group 7: releases of a member in an episode", 2, 1)
    assert release(check, 5, (0, 0)) == [wrong]


def test_released_again_when_all_is_over(check: BarrierCheck) -> None:
    arrive(check, 1, 0, 1)
    assert release(check, 4, (0, 0), (1, 0)) == []
    assert release(check, 9, (1, 0)) == [
        Mismatch(9, (1, 0), "group 7: arrivals before a release", 0, 2)
    ]


def test_not_released_at_all(check: BarrierCheck) -> None:
    arrive(check, 1, 0, 1)
    release(check, 4, (0, 0))
    assert unfinished(check) == [("group 7: members released at the end", 1)]


def test_a_node_that_is_no_member(check: BarrierCheck) -> None:
    arrive(check, 1, 0, 1)
    assert release(check, 4, (2, 1)) == [Mismatch(4, (2, 0), "release of no member", "1", None)]


def test_another_result_than_the_members_data(check: BarrierCheck) -> None:
    arrive(check, 1, 0, 1)
    assert release(check, 4, (0, 0), result=2) == [
        Mismatch(4, (0, 0), "group 7: result of all members", 2, 3)
    ]


@pytest.mark.parametrize(
    ("op", "result"),
    [("or", 15), ("and", 8), ("xor", 7), ("max", 14), ("min", 9), ("sum", 7)],
)
def test_every_operation(op: Operation, result: int) -> None:
    network = mesh(2, 1, operations="all", data_bits=4)
    check = BarrierCheck(plan_of(network, members(1, (0, 0), (1, 0), op=op)))
    for member, data in enumerate((14, 9)):
        assert not list(check.act(Arrival(1, 0, member, data)))
    (wrong,) = check.wires(Line(3, Record(0, 0, (), 1, [0])))
    assert (wrong.hardware, wrong.model) == (0, result)


@pytest.mark.parametrize(("planner", "rule"), [("wires", True), ("shortest", False)])
def test_on_wires_no_barrier_is_later_than_its_bound(planner: str, rule: bool) -> None:
    """Whatever else goes on; messages wait for others."""
    network = mesh(2, 1, wires=1)
    plan = plan_of(network, GroupSpec(id=4, members=((0, 0), (1, 0)), planner=planner))
    check, bound = BarrierCheck(plan), plan.groups[0].bound
    registers, register = network.port_registers, plan.groups[0].places[0, 0]
    assert bound is not None
    for begin, late in ((10, 0), (500, 1)):
        for member in (0, 1):
            assert not list(check.act(Arrival(begin, 0, member, 0)))
        bits = sum(1 << node * registers + register for node in (0, 1))
        line = Line(begin + bound + late, Record(0, 0, (), bits, [0, 0]))
        wrong = Mismatch(line.cycle, (1, 0), "group 4: cycles of a barrier", bound + 1, bound)
        assert list(check.wires(line)) == [wrong] * (rule and late)


def test_only_who_is_killed_is_released_broken(check: BarrierCheck) -> None:
    arrive(check, 1, 0)
    broken: list[Act] = [BrokenRelease(cycle, node, 0) for cycle in range(9) for node in (0, 1)]
    check.begin(Chunk(0, acts=broken))
    (wrong,) = release(check, 3, (0, 0))
    assert wrong == Mismatch(3, (0, 0), "group 7: broken, and not killed", 1, 0)
    check = BarrierCheck(PLAN)
    check.begin(Chunk(0, acts=broken))
    assert not list(check.act(Commanded(2, 0, 0, SetUp.KILL)))
    assert release(check, 3, (0, 0)) == []
    # BROKEN reaches members that have not arrived, too, but each once.
    assert release(check, 4, (1, 0)) == []
    (wrong,) = release(check, 5, (0, 0))
    assert wrong == Mismatch(5, (0, 0), "group 7: broken release of a member", 1, 0)
    assert (check.broken, check.releases) == (3, 0)
