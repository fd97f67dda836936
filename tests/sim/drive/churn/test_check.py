"""The rules of lives, on notes and answers as they should be and on doctored ones."""

from collections.abc import Iterator

import pytest

from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.layout.setup import Operation
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.churn.check import ChurnCheck
from syncfabric.sim.drive.churn.notes import Born, Came, Ended, Gone, Note, Ordered
from syncfabric.sim.drive.driving import Arrival
from syncfabric.sim.drive.lines import EMPTY, Line
from syncfabric.sim.lifecycle.counters import counters_of
from syncfabric.sim.results import Mismatch
from tests.sim.drive.churn.networks import grid, plan_with

PLAN = plan_with(grid())
NETWORK = grid()
LIFE, GID, ENTRY = 2, 40, 3
STATUS = NETWORK.shape.router.layout.status


class Stage:
    """A check, and everything that it has complained of."""

    def __init__(self, episodes: int = 1) -> None:
        self.barriers = BarrierCheck(PLAN)
        self.check = ChurnCheck(PLAN, self.barriers)
        self.told: list[str] = []
        self.note(Born(1, LIFE, GID, "or", (0, 1), (0, 1), episodes, (ENTRY, ENTRY)))

    def note(self, *notes: Note) -> None:
        for note in notes:
            self._tell(self.check.note(note))

    def answer(self, request: ConfigRequest | None, data: int) -> None:
        self._tell(self.check.answer(Line(9, EMPTY, (0, data)), request))

    def come(self) -> None:
        """Let both members come to the register of their entry."""
        self.note(*(Came(2, LIFE, member, member, ENTRY) for member in (0, 1)))

    def barrier(self, *released: int) -> None:
        """Let both members arrive, and release some."""
        for member in (0, 1):
            self.barriers.arrive(Arrival(3, LIFE, member, 1))
        self.release(*released)

    def release(self, *nodes: int, broken: bool = False) -> None:
        bits = sum(1 << node * NETWORK.port_registers + ENTRY for node in nodes)
        record = Record(0, 0, (), bits, [1] * len(nodes))
        seats = {(node, ENTRY) for node in nodes} if broken else ()
        self._tell(self.barriers.release(Line(8, record), seats))

    def read(self, target: int, *, alive: bool = False) -> None:
        """Read the status of the life's entry."""
        commit = COMMIT.pack({"code": Code.READ, "entry": ENTRY})
        self.answer(ConfigRequest(target, 0, True, commit), STATUS.pack({"alive": int(alive)}))

    def close(self) -> list[str]:
        self._tell(self.check.close(11))
        return self.told

    def _tell(self, found: Iterator[Mismatch]) -> None:
        self.told += [mismatch.signal for mismatch in found]


def lived() -> Stage:
    """Return a stage on which a life has gone well up to its end."""
    stage = Stage()
    stage.note(Ordered(2, LIFE, 0, Operation.SETUP))
    stage.come()
    stage.barrier(0, 1)
    stage.note(Gone(8, LIFE))
    return stage


def killed() -> Stage:
    """Return a stage on which a life is killed while both members are inside."""
    stage = Stage(episodes=5)
    stage.come()
    stage.barrier()
    stage.note(Ordered(4, LIFE, 0, Operation.KILL))
    return stage


def test_a_good_life() -> None:
    stage = lived()
    stage.read(0)
    stage.read(1)
    assert stage.close() == []


def test_an_entry_is_left_alive_or_not_looked_at() -> None:
    stage = lived()
    stage.read(0, alive=True)
    assert stage.told == ["target 0: group 40: entry 3 alive when it is over"]
    assert stage.close()[1:] == ["target 1: group 40: entry 3 not read when it was over"]


def test_an_entry_may_be_alive_before_its_group_is_gone() -> None:
    stage = Stage()
    stage.read(0, alive=True)
    assert stage.told == []


def test_gone_with_episodes_missing_and_somebody_inside() -> None:
    stage = Stage()
    stage.come()
    stage.barrier(0)
    stage.note(Gone(8, LIFE))
    assert stage.told == ["group 40: members inside when it was gone", "group 40: episodes"]


def test_killed_with_members_inside_who_are_released_as_broken() -> None:
    stage = killed()
    stage.release(0, 1, broken=True)
    stage.note(Gone(8, LIFE))
    assert stage.told == []


def test_killed_and_one_is_not_released() -> None:
    stage = killed()
    stage.release(0, broken=True)
    stage.note(Gone(8, LIFE))
    assert stage.told == ["group 40: members inside when it was gone"]


def test_broken_twice_and_broken_without_kill() -> None:
    stage = Stage(episodes=5)
    stage.come()
    stage.barrier()
    stage.release(0, broken=True)
    assert stage.told == ["group 40: broken, and not killed"]
    stage.note(Ordered(4, LIFE, 0, Operation.KILL))
    stage.release(0, broken=True)
    assert stage.told[1:] == ["group 40: broken release of a member"]


def test_released_early_after_a_kill_and_not_broken() -> None:
    stage = Stage(episodes=5)
    stage.come()
    stage.barriers.arrive(Arrival(3, LIFE, 0, 1))
    stage.note(Ordered(4, LIFE, 0, Operation.KILL))
    stage.release(0)
    assert stage.told == ["group 40: arrivals before a release"]


def test_a_register_is_taken_from_somebody_who_waits() -> None:
    stage = Stage()
    stage.come()
    stage.barrier()
    born = Born(5, 3, 41, "or", (0, 1), (0, 1), 1, (ENTRY, ENTRY))
    stage.note(born, Came(6, 3, 0, 1, ENTRY))
    assert stage.told == ["group 40: register taken from a member"]


def test_an_answer_to_no_request() -> None:
    stage = Stage()
    stage.answer(None, 0)
    assert stage.told == ["answer to no request"]


def test_a_life_that_does_not_end() -> None:
    assert Stage().close() == ["group 40: life that does not end"]


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
    for stage, explained in ((lived(), False), (killed(), of_killed)):
        stage.told.clear()
        stage.answer(ConfigRequest(target, address, False), 3)
        assert stage.told == []
        stage.note(Ended(10))
        stage.answer(ConfigRequest(target, address, False), 0)
        assert stage.told == []
        stage.answer(ConfigRequest(target, address, False), 3)
        assert stage.told == ([] if explained else [f"target {target}: {name} at the end"])
