"""The rules of groups that come and go, on right and wrong notes and answers."""

from collections.abc import Callable, Iterable

import pytest

from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.setup import Operation
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.group_check import GroupCheck
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

PLAN = plan_with(grid())
NETWORK = grid()
LIFE, GID, ENTRY = 2, 40, 3
STATUS = NETWORK.shape.router.layout.status


class Bench:
    """A check of one group, and everything that it has reported."""

    def __init__(self, episodes: int = 1) -> None:
        self.barriers = BarrierCheck(PLAN)
        self.check = GroupCheck(PLAN, self.barriers)
        self.found: list[str] = []
        self.note(Created(1, LIFE, GID, "or", (0, 1), (0, 1), episodes, (ENTRY, ENTRY)))

    def note(self, *acts: Act) -> None:
        for act in acts:
            for rule in (self.check, self.barriers):
                self._take(rule.act(act))

    def answer(self, request: ConfigRequest | None, data: int) -> None:
        self.check.begin(Chunk(0, answered={9: request} if request else {}))
        self._take(self.check.wires(Line(9, EMPTY, (0, data))))

    def come(self) -> None:
        """Let both members come to the register of their entry."""
        self.note(*(Joined(2, LIFE, member, member, ENTRY) for member in (0, 1)))

    def arrive(self, *members: int) -> None:
        self.note(*(Arrival(3, LIFE, member, 1) for member in members))

    def release(self, *nodes: int, broken: bool = False) -> None:
        bits = sum(1 << node * NETWORK.port_registers + ENTRY for node in nodes)
        record = Record(0, 0, (), bits, [1] * len(nodes))
        self.barriers.begin(
            Chunk(0, acts=[BrokenRelease(8, node, ENTRY) for node in nodes if broken])
        )
        self._take(self.barriers.wires(Line(8, record)))

    def order(self, operation: Operation) -> None:
        self.note(Commanded(4, LIFE, 0, operation))

    def gone(self) -> None:
        self.note(Removed(8, LIFE))

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
    bench.order(Operation.SETUP)
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
    bench.order(Operation.KILL)
    return bench


def early() -> Bench:
    """Return one that is killed when one member has arrived."""
    bench = Bench(episodes=5)
    bench.come()
    bench.arrive(0)
    bench.order(Operation.KILL)
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
    (Bench, [Bench.close], [f"{NAME}life that does not end"]),
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
