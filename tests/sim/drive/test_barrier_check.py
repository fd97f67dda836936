"""The rules of barriers, on releases as they should be and on doctored ones."""

from collections.abc import Callable, Iterable

import pytest

from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.setup import Operation as SetUp
from syncfabric.models.networks.spec import GroupSpec
from syncfabric.models.networks.table import Operation
from syncfabric.sim.drive.barrier_check import BarrierCheck, GroupCheck
from syncfabric.sim.drive.targets import counters_of
from syncfabric.sim.drive.trace import (
    EMPTY,
    Act,
    AllOver,
    Arrival,
    BrokenRelease,
    Chunk,
    Commanded,
    Created,
    Joined,
    Line,
    Removed,
)
from syncfabric.sim.results import Mismatch
from tests.sim.drive.churn.networks import grid, plan_with
from tests.sim.drive.networks import members, mesh, plan_of

REGISTERS = 2
PLAN = plan_of(mesh(3, 1, groups=REGISTERS), members(7, (0, 0), (1, 0)), members(9, (1, 0), (2, 0)))


@pytest.fixture
def check() -> BarrierCheck:
    return BarrierCheck(PLAN)


def arrive(check: BarrierCheck, cycle: int, *members: int, group: int = 0) -> None:
    """Have members arrive, each with the bit of its number as data."""
    for member in members:
        assert not list(check.act(Arrival(cycle, group, member, 1 << member)))


def release(
    check: BarrierCheck, cycle: int, *endpoints: tuple[int, int], result: int = 3
) -> list[Mismatch]:
    """Release (node, register) pairs in a cycle."""
    bits = sum(1 << node * REGISTERS + register for node, register in endpoints)
    record = Record(0, 0, (), bits, [result] * len(endpoints))
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


def test_only_killed_members_are_released_broken(check: BarrierCheck) -> None:
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


MANAGED = plan_with(grid())
NETWORK = grid()
INSTANCE, GID, ENTRY = 2, 40, 3
STATUS = NETWORK.shape.router.layout.status


class Bench:
    """A check of one group, and everything that it has reported."""

    def __init__(self, episodes: int = 1) -> None:
        self.barriers = BarrierCheck(MANAGED)
        self.check = GroupCheck(MANAGED, self.barriers)
        self.found: list[str] = []
        self.note(Created(1, INSTANCE, GID, "or", (0, 1), (0, 1), episodes, (ENTRY, ENTRY)))

    def note(self, *acts: Act) -> None:
        for act in acts:
            for rule in (self.check, self.barriers):
                self._take(rule.act(act))

    def answer(self, request: ConfigRequest | None, data: int) -> None:
        self.check.begin(Chunk(0, answered={9: request} if request else {}))
        self._take(self.check.wires(Line(9, EMPTY, (0, data))))

    def come(self) -> None:
        """Let both members come to the register of their entry."""
        self.note(*(Joined(2, INSTANCE, member, member, ENTRY) for member in (0, 1)))

    def arrive(self, *members: int) -> None:
        self.note(*(Arrival(3, INSTANCE, member, 1) for member in members))

    def release(self, *nodes: int, broken: bool = False) -> None:
        bits = sum(1 << node * NETWORK.port_registers + ENTRY for node in nodes)
        record = Record(0, 0, (), bits, [1] * len(nodes))
        self.barriers.begin(
            Chunk(0, acts=[BrokenRelease(8, node, ENTRY) for node in nodes if broken])
        )
        self._take(self.barriers.wires(Line(8, record)))

    def order(self, operation: SetUp) -> None:
        self.note(Commanded(4, INSTANCE, 0, operation))

    def gone(self) -> None:
        self.note(Removed(8, INSTANCE))

    def read(self, target: int, *, alive: bool = False) -> None:
        """Read the status of the group's entry."""
        commit = COMMIT.pack({"code": Code.READ, "entry": ENTRY})
        self.answer(ConfigRequest(target, 0, True, commit), STATUS.pack({"alive": int(alive)}))

    def close(self) -> None:
        self._take(self.check.close(11))

    def _take(self, found: Iterable[Mismatch]) -> None:
        self.found += [mismatch.signal for mismatch in found]


def over() -> Bench:
    """Return a group that has gone well up to its end."""
    bench = Bench()
    bench.order(SetUp.SETUP)
    bench.come()
    bench.arrive(0, 1)
    bench.release(0, 1)
    bench.gone()
    return bench


def inside() -> Bench:
    """Return a group both of whose members are inside."""
    bench = Bench(episodes=5)
    bench.come()
    bench.arrive(0, 1)
    return bench


def killed() -> Bench:
    """Return one that is killed while both members are inside."""
    bench = inside()
    bench.order(SetUp.KILL)
    return bench


def early() -> Bench:
    """Return one that is killed when one member has arrived."""
    bench = Bench(episodes=5)
    bench.come()
    bench.arrive(0)
    bench.order(SetUp.KILL)
    return bench


NEXT = Created(5, 3, 41, "or", (0, 1), (0, 1), 1, (ENTRY, ENTRY)), Joined(6, 3, 0, 1, ENTRY)
NAME = "group 40: "
CASES: list[tuple[Callable[[], Bench], list[Callable[[Bench], None]], list[str]]] = [
    (over, [lambda b: b.read(0), lambda b: b.read(1), Bench.close], []),
    (over, [lambda b: b.read(0, alive=True)], [f"target 0: {NAME}entry 3 alive when it is over"]),
    (
        over,
        [lambda b: b.read(0), Bench.close],
        [f"target 1: {NAME}entry 3 not read when it was over"],
    ),
    (Bench, [lambda b: b.read(0, alive=True)], []),  # it may be, before its group is gone
    (Bench, [Bench.close], [f"{NAME}still present at the end"]),
    (Bench, [lambda b: b.answer(None, 0)], ["answer to no request"]),
    (
        inside,
        [lambda b: b.release(0), Bench.gone],
        [f"{NAME}members inside when it was gone", f"{NAME}episodes"],
    ),
    (inside, [lambda b: b.release(0, broken=True)], [f"{NAME}broken, and not killed"]),
    (killed, [lambda b: b.release(0, 1, broken=True), Bench.gone], []),
    (
        killed,
        [lambda b: b.release(0, broken=True), Bench.gone],
        [f"{NAME}members inside when it was gone"],
    ),
    (
        killed,
        [lambda b: b.release(0, broken=True), lambda b: b.release(0, broken=True)],
        [f"{NAME}broken release of a member"],
    ),
    (early, [lambda b: b.release(0)], [f"{NAME}arrivals before a release"]),
    (inside, [lambda b: b.note(*NEXT)], [f"{NAME}register taken from a member"]),
]


@pytest.mark.parametrize(("begin", "acts", "found"), CASES)
def test_each_rule(
    begin: Callable[[], Bench], acts: list[Callable[[Bench], None]], found: list[str]
) -> None:
    bench = begin()
    for act in acts:
        act(bench)
    assert bench.found == found


@pytest.mark.parametrize(
    ("name", "of_killed"),
    [
        ("engine OVERFLOW", True),
        ("engine UNEXPECTED", True),
        ("engine REFUSED_COMMAND", True),
        ("port REFUSED_ARRIVE", False),
        ("manager UNEXPECTED", False),
    ],
)
def test_events_that_nothing_explains(name: str, of_killed: bool) -> None:
    target, address = next(each.place for each in counters_of(NETWORK) if each.name == name)
    for bench, explained in ((over(), False), (killed(), of_killed)):
        bench.found.clear()
        bench.answer(ConfigRequest(target, address, False), 3)
        assert bench.found == []
        bench.note(AllOver(10))
        bench.answer(ConfigRequest(target, address, False), 0)
        assert bench.found == []
        bench.answer(ConfigRequest(target, address, False), 3)
        assert bench.found == ([] if explained else [f"target {target}: {name} at the end"])
