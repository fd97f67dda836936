"""The rules of lives, on notes and answers as they should be and on doctored ones."""

from collections.abc import Iterator

import pytest

from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.models.messages import (
    ARRIVED,
    CONTROL,
    COUNTER_BASE,
    LIFE,
    MANAGER_BASE,
    MANAGER_STATUS,
    Answer,
    Counter,
    ManagerState,
    ManagerWord,
    Request,
    SwitchWord,
)
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.broken import BrokenSeats
from syncfabric.sim.drive.churn.check import ChurnCheck
from syncfabric.sim.drive.churn.notes import Born, Came, Ended, Gone, Note, Ordered
from syncfabric.sim.drive.driver import Arrival
from syncfabric.sim.drive.lines import EMPTY, Line
from syncfabric.sim.results import Mismatch
from tests.sim.drive.churn.networks import cluster, plan_with

PLAN = plan_with(cluster())
LIFE_NUMBER, GID = 2, 40
SWITCH = 4
"""Target of the first switch; nodes are 0 to 3."""
STATUS = ConfigRequest(0, MANAGER_BASE + ManagerWord.STATUS, False)
FREED = ConfigRequest(0, MANAGER_BASE + ManagerWord.FREED, False)
REGISTERS = 4


class Stage:
    """A check, and everything that it has complained of."""

    def __init__(self, episodes: int = 1, plan: BarrierPlan = PLAN) -> None:
        self.barriers = BarrierCheck(plan)
        self.check = ChurnCheck(plan, self.barriers)
        self.broken = BrokenSeats(plan.spec.register_network)
        self.told: list[str] = []
        self.note(Born(1, LIFE_NUMBER, GID, "or", (0, 1), (0, 1, SWITCH), episodes))

    def note(self, *notes: Note) -> None:
        for note in notes:
            self._tell(self.check.note(note))

    def answer(self, request: ConfigRequest | None, data: int, *, refused: bool = False) -> None:
        self._tell(self.check.answer(Line(9, EMPTY, (int(refused), data)), request))

    def come(self) -> None:
        """Let both members come to register 3 of their nodes."""
        self.note(*(Came(2, LIFE_NUMBER, member, member, 3) for member in (0, 1)))

    def barrier(self, *released: int) -> None:
        """Let both members arrive, and release some."""
        for member in (0, 1):
            self.barriers.arrive(Arrival(3, LIFE_NUMBER, member, 1))
        self.release(*released)

    def release(self, *nodes: int) -> None:
        bits = sum(1 << node * REGISTERS + 3 for node in nodes)
        record = Record(0, 0, (), bits, [1] * len(nodes))
        self._tell(self.barriers.release(Line(8, record), self.broken.seats))

    def observe(self, node: int) -> None:
        """Show ``broken`` of register 3 of a node."""
        shown = self.check._targets.observed[node][3]
        width = sum(size for _, size in shown)
        low = sum(size for _, size in shown[: [name for name, _ in shown].index("broken")])
        self.broken.observe(Line(8, EMPTY, observed=((node, 1 << 3 * width + low),)))

    def order(self, operation: Request) -> None:
        self.note(Ordered(4, LIFE_NUMBER, 0, operation))

    def ended(self, state: ManagerState, code: Answer = Answer.OK) -> None:
        """Read the manager's status."""
        self.answer(STATUS, MANAGER_STATUS.pack({"state": state, "code": code}))

    def _tell(self, found: Iterator[Mismatch]) -> None:
        self.told += [mismatch.signal for mismatch in found]


def read(target: int, register: int = 0) -> ConfigRequest:
    return ConfigRequest(target, 8 * register, False)


def control(gid: int) -> int:
    return CONTROL.pack({"valid": 1, "gid": gid})


def lived() -> Stage:
    """Return a stage on which a life has gone well up to its CLEAR."""
    stage = Stage()
    stage.order(Request.SETUP)
    stage.ended(ManagerState.DONE)
    stage.come()
    stage.barrier(0, 1)
    stage.answer(FREED, 256 | GID)
    stage.order(Request.CLEAR)
    stage.ended(ManagerState.DONE)
    return stage


def test_a_good_life() -> None:
    stage = lived()
    stage.note(Gone(8, LIFE_NUMBER, False))
    stage.answer(read(SWITCH), 0)
    stage.answer(read(SWITCH, 1), control(9))
    assert stage.told == []


def test_freed_may_come_before_the_last_release() -> None:
    stage = Stage(episodes=2)
    stage.come()
    stage.barrier(0, 1)
    stage.barrier(0)
    stage.answer(FREED, 256 | GID)
    assert stage.told == []


def test_freed_too_early_twice_or_of_nobody() -> None:
    stage = Stage(episodes=2)
    stage.come()
    stage.barrier(0, 1)
    stage.answer(FREED, 256 | GID)
    assert stage.told == ["group 40: freed after episodes"]
    stage = lived()
    stage.answer(FREED, 256 | GID)
    assert stage.told == ["group 40: freed after episodes"]
    stage.note(Gone(8, LIFE_NUMBER, False))
    stage.answer(FREED, 256 | GID)
    assert stage.told[1:] == ["group 40: freed, and gone"]
    stage.answer(FREED, 256 | 41)
    assert stage.told[2:] == ["group 41: freed, and never there"]
    stage.answer(FREED, 0)
    assert len(stage.told) == 3


def test_a_root_node_sees_for_itself_that_it_is_freed() -> None:
    freed = LIFE.pack({"freed": 1}) << ARRIVED.width
    status = ConfigRequest(1, 8 * 3 + SwitchWord.ARRIVED, False)
    stage = Stage()
    stage.come()
    stage.answer(status, freed)
    assert stage.told == ["group 40: freed after episodes"]
    stage = Stage()
    stage.come()
    stage.barrier(0, 1)
    stage.answer(status, freed)
    stage.note(Gone(8, LIFE_NUMBER, False))
    assert stage.told == []


def test_cleared_before_it_was_freed() -> None:
    stage = Stage()
    stage.order(Request.CLEAR)
    assert stage.told == ["group 40: cleared, and not freed"]


def test_gone_with_episodes_missing_and_somebody_inside() -> None:
    stage = Stage()
    stage.come()
    stage.barrier(0)
    stage.note(Gone(8, LIFE_NUMBER, False))
    assert stage.told == [
        "group 40: members inside when it was gone",
        "group 40: episodes",
        "group 40: freed",
    ]


def test_given_up_and_still_it_lived() -> None:
    stage = lived()
    stage.note(Gone(8, LIFE_NUMBER, True))
    assert stage.told == ["group 40: episodes", "group 40: freed"]


def test_killed_with_members_inside_who_are_released_as_broken() -> None:
    stage = Stage(episodes=5)
    stage.come()
    stage.barrier()
    stage.order(Request.KILL)
    stage.observe(0)
    stage.release(0)
    stage.observe(1)
    stage.release(1)
    stage.note(Gone(8, LIFE_NUMBER, False))
    assert stage.told == []


def test_killed_and_one_is_not_released() -> None:
    stage = Stage(episodes=5)
    stage.come()
    stage.barrier()
    stage.order(Request.KILL)
    stage.observe(0)
    stage.release(0)
    stage.note(Gone(8, LIFE_NUMBER, False))
    assert stage.told == ["group 40: members inside when it was gone"]


def test_broken_twice_and_broken_without_kill() -> None:
    stage = Stage(episodes=5)
    stage.come()
    stage.barrier()
    stage.observe(0)
    stage.release(0)
    assert stage.told == ["group 40: broken, and not killed"]
    stage.order(Request.KILL)
    stage.release(0)
    assert stage.told[1:] == ["group 40: broken release of a member"]


def test_released_early_after_a_kill_and_not_broken() -> None:
    stage = Stage(episodes=5)
    stage.come()
    stage.barriers.arrive(Arrival(3, LIFE_NUMBER, 0, 1))
    stage.order(Request.KILL)
    stage.release(0)
    assert stage.told == ["group 40: arrivals before a release"]


def test_a_register_is_taken_from_somebody_who_waits() -> None:
    stage = Stage()
    stage.come()
    stage.barrier()
    stage.note(Born(5, 3, 41, "or", (0, 1), (0, 1), 1), Came(6, 3, 0, 1, 3))
    assert stage.told == ["group 40: register taken from a member"]


def test_a_register_that_is_left() -> None:
    stage = lived()
    stage.answer(read(SWITCH), control(GID))
    assert stage.told == []
    stage.note(Gone(8, LIFE_NUMBER, False))
    stage.answer(read(SWITCH), control(GID))
    assert stage.told == ["group 40: register that it has left"]


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        (Request.SETUP, Answer.DENIED),
        (Request.SETUP, Answer.BAD),
        (Request.CLEAR, Answer.DENIED),
        (Request.KILL, Answer.FULL),
    ],
)
def test_commands_that_must_not_fail_so(operation: Request, code: Answer) -> None:
    stage = Stage()
    stage.check._lives[LIFE_NUMBER].freed = True
    stage.order(operation)
    stage.ended(ManagerState.FAILED, code)
    assert stage.told == [f"{operation.name} for group 40: status"]


@pytest.mark.parametrize("code", [Answer.FULL, Answer.EXISTS])
def test_a_set_up_may_be_refused_where_others_are(code: Answer) -> None:
    stage = Stage()
    stage.order(Request.SETUP)
    stage.ended(ManagerState.FAILED, code)
    assert stage.told == []
    stage.ended(ManagerState.RUNNING)
    assert stage.told == ["SETUP for group 40: status"]


def test_refused_requests_and_answers_to_none() -> None:
    stage = Stage()
    stage.answer(read(0), 0, refused=True)
    stage.answer(None, 0)
    assert stage.told == ["refused request", "answer to no request"]


def end(stage: Stage, *gids: int) -> list[str]:
    """Read registers with these groups at the end, and return the complaints."""
    stage.note(Ended(10))
    for gid in gids:
        stage.answer(read(SWITCH), control(gid))
    stage._tell(stage.check.close(11))
    return stage.told


STAY = [7] * 7 + [9] * 5
"""Of everybody's group four nodes and three switches; of the other two and three."""


def gone() -> Stage:
    stage = lived()
    stage.note(Gone(8, LIFE_NUMBER, False))
    return stage


def test_the_end_is_as_the_beginning() -> None:
    assert end(gone(), *STAY) == []


@pytest.mark.parametrize(
    ("gids", "told"),
    [
        (STAY[1:], ["group 7: registers at the end"]),
        ([*STAY, 9], ["group 9: registers at the end"]),
        ([*STAY, 77], ["group 77: registers at the end"]),
    ],
)
def test_the_end_is_not_as_the_beginning(gids: list[int], told: list[str]) -> None:
    assert end(gone(), *gids) == told


def test_a_life_that_does_not_end() -> None:
    assert end(lived(), *STAY) == ["group 40: life that does not end"]


@pytest.mark.parametrize(
    ("counter", "target", "told"),
    [
        (Counter.OVERFLOW, SWITCH, True),
        (Counter.REFUSED_ARRIVE, 0, True),
        (Counter.REFUSED_WRITE, SWITCH, False),
        (Counter.STRAY, SWITCH, False),
        (Counter.STRAY, SWITCH + 1, True),
    ],
)
def test_events_that_nothing_explains(counter: Counter, target: int, told: bool) -> None:
    stage = Stage()
    stage.order(Request.KILL)
    stage.answer(ConfigRequest(target, COUNTER_BASE + counter, False), 3)
    assert stage.told == ([f"{counter.name} at the end"] if told else [])


def test_strays_where_nobody_was_killed() -> None:
    stage = lived()
    stage.answer(ConfigRequest(SWITCH, COUNTER_BASE + Counter.STRAY, False), 1)
    assert stage.told == ["STRAY at the end"]
