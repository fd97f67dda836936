"""Attempts: who is asked, with what, and who is not asked any more."""

from collections.abc import Callable
from typing import Any

import pytest

from syncfabric.models.collectives import search as module
from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.clock import Clock, Found, Stop
from syncfabric.models.collectives.methods import turns
from syncfabric.models.collectives.record import Record
from syncfabric.models.collectives.schedule import Transfer
from syncfabric.models.collectives.search import Attempts
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.models.errors import SpecError
from tests.models.collectives.tasks import task

SEED, SECONDS = 7, 50.0


SCATTER = task("star-8", "OAS")


class Asked:
    """Methods that note what they are asked, and hand back what they are told to."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.answers: dict[str, Callable[[Task], Found]] = {}

    def __call__(self, name: str) -> Callable[..., Found]:
        def solve(task: Task, steps: int, **options: Any) -> Found:
            self.calls.append((name, {"steps": steps, **options}))
            answer = self.answers.get(name)
            return answer(task) if answer else Found(None, 3, 100, 0.1)

        return solve

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.calls]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    made = Asked()
    monkeypatch.setattr(module, "load_method", made)
    return made


def begun(task: Task, method: str = "auto", stop: Stop | None = None) -> Attempts:
    record = Record(task, tuple(lower_bounds(task)), method)
    return Attempts(record, Clock(SECONDS, stop), method, SEED, None, {"islands": 3})


def refuse(task: Task) -> Found:
    raise SpecError("too large")


def one_by_one(task: Task) -> Found:
    made = tuple((Transfer((a, b), (a, b)),) for a, b in task.collective.pairs)
    return Found(made, 0, 100, 0.1)


def test_each_round_has_a_seed_of_its_own_and_what_is_left_of_the_time(asked: Asked) -> None:
    tries = begun(SCATTER)
    for number in range(3):
        tries.round(6, number)
        calls, asked.calls = asked.calls, []
        assert [name for name, _ in calls] == ["exact", "hgsa", "mboa"]
        assert {options["seed"] for _, options in calls} == {SEED + number}
        assert all(0 < options["time_limit"] <= SECONDS for _, options in calls)
        assert {options["steps"] for _, options in calls} == {6}
    assert tries.record.tried == 6
    assert tries.record.evaluations == 9 * 100


def test_what_only_annealing_is_told_nobody_else_is(asked: Asked) -> None:
    begun(task("mesh-4x4", "AAS", Rules(1))).round(16, 0)
    assert asked.names == ["exact", "hgsa", "hgsa", "hgsa", "mboa"]
    assert [options.get("islands") for _, options in asked.calls] == [None, 3, 3, 3, None]
    sizes = [options["symmetry"].size for _, options in asked.calls if "symmetry" in options]
    assert sizes == [4, 2]


def test_who_refuses_is_not_asked_again(asked: Asked) -> None:
    asked.answers["exact"] = refuse
    tries = begun(SCATTER)
    tries.round(6, 0)
    tries.round(6, 1)
    assert asked.names == ["exact", "hgsa", "mboa", "hgsa", "mboa"]
    assert not tries.over


def test_a_round_ends_with_a_schedule_that_is_short_enough(asked: Asked) -> None:
    asked.answers["hgsa"] = one_by_one
    tries = begun(SCATTER)
    tries.round(6, 0)
    assert asked.names == ["exact", "hgsa", "mboa"]
    assert tries.record.steps == 7
    tries.round(7, 1)
    assert asked.names == ["exact", "hgsa", "mboa"]


def test_a_method_alone_looks_as_long_as_there_is_time(asked: Asked) -> None:
    told = False
    tries = begun(SCATTER, "mboa", lambda: told)
    tries.whole(6)
    (_, options), *others = asked.calls
    assert not others
    assert options["seed"] == SEED
    assert not options["stop"]()
    told = True
    assert options["stop"]()
    assert tries.over


def test_first_fit_takes_no_more_steps_than_it_may() -> None:
    for most, steps in ((6, None), (7, 7)):
        tries = begun(task("star-8", "OAS", Rules(1)))
        tries.at_once(7, most)
        assert tries.record.steps == steps


def test_no_turn_with_a_group_that_does_not_keep_the_collective() -> None:
    for kind, groups in (("OAB", 0), ("AAS", 3)):
        made = list(turns("auto", task("hypercube-8", kind), 0))
        assert len([turn for turn in made if "symmetry" in turn.more]) == groups
