"""Attempts: who is asked, with what, in which order, and who is not asked any more."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from syncfabric.models.collectives import methods
from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.clock import Clock, Found, Stop
from syncfabric.models.collectives.methods import Method, known, searches
from syncfabric.models.collectives.record import Record, Standing
from syncfabric.models.collectives.schedule import Transfer
from syncfabric.models.collectives.search import Attempts, search
from syncfabric.models.collectives.task import Rules, Task
from syncfabric.models.errors import SpecError
from tests.models.collectives.tasks import STORE, task

SEED, SECONDS = 7, 50.0


SCATTER = task("star-8", "OAS")


class Asked:
    """Methods that note what they are asked; each part of their work takes as long."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int, dict[str, Any]]] = []
        self.parts: list[str] = []
        self.ended: list[tuple[str, int]] = []
        self.answers: dict[str, Callable[[Task], Found]] = {}

    def run(self, method: Method, task: Task, steps: int, seed: int, *_: Any, **more: Any) -> Any:
        self.calls.append((method.name, steps, {"seed": seed, **more}))
        return self.work(method.name, task, steps)

    def work(self, name: str, task: Task, steps: int) -> Iterator[Found]:
        try:
            for number in range(1, 1000):
                self.parts.append(name)
                answer = self.answers.get(name)
                yield answer(task) if answer else Found(None, 3, 100 * number, 0.5 * number)
        finally:
            self.ended.append((name, steps))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    made = Asked()
    monkeypatch.setattr(Method, "run", lambda *words, **more: made.run(*words, **more))
    return made


def begun(
    task: Task,
    method: str = "auto",
    stop: Stop | None = None,
    progress: Callable[[Standing], None] | None = None,
) -> Attempts:
    record = Record(task, tuple(lower_bounds(task)), method)
    return Attempts(record, Clock(SECONDS, stop), method, SEED, progress, {"islands": 3})


def refuse(task: Task) -> Found:
    raise SpecError("too large")


def one_by_one(task: Task) -> Found:
    made = tuple((Transfer((a, b), (a, b)),) for a, b in task.collective.pairs)
    return Found(made, 0, 100, 0.1)


def test_each_round_is_twice_as_long_and_goes_on(asked: Asked) -> None:
    standings: list[Standing] = []
    tries = begun(SCATTER, progress=standings.append)
    for number in range(3):
        done = len(asked.parts)
        tries.round(6, number)
        # Half a second's work each.
        assert len(asked.parts) - done == 12 * 2**number
    assert [(name, steps, more["seed"]) for name, steps, more in asked.calls] == [
        ("hgsa", 6, SEED), ("mboa", 6, SEED), ("exact", 6, SEED),
    ]  # fmt: skip
    assert tries.record.tried == 6
    assert tries.record.evaluations == standings[-1].evaluations == 84 * 100
    # As their shares are.
    shares = {name: asked.parts.count(name) for name in searches()[1:]}
    for name, parts in shares.items():
        assert parts == pytest.approx(84 * known()[name].share / 7, abs=2)
    assert asked.parts[:3] == ["hgsa", "mboa", "exact"]


def test_options_of_annealing_go_to_no_other_method(asked: Asked) -> None:
    begun(task("mesh-4x4", "AAS", Rules(1))).round(16, 0)
    assert [name for name, _, _ in asked.calls] == ["hgsa", "hgsa", "hgsa", "mboa", "exact"]
    assert [more.get("islands") for _, _, more in asked.calls] == [3, 3, 3, None, None]
    # Without a symmetry, with a quarter turn, and with a half turn.
    groups = [more["symmetry"].size for _, _, more in asked.calls if "symmetry" in more]
    assert groups == [4, 2]


def test_who_refuses_is_not_asked_again(asked: Asked) -> None:
    asked.answers["exact"] = refuse
    tries = begun(SCATTER)
    tries.round(6, 0)
    tries.round(5, 0)
    assert asked.parts.count("exact") == 1
    assert [name for name, steps, _ in asked.calls if steps == 5] == ["hgsa", "mboa"]
    assert not tries.over


def test_none_can_do_it(asked: Asked) -> None:
    asked.answers = dict.fromkeys(searches(), refuse)
    with pytest.raises(SpecError, match="too large"):
        begun(SCATTER).round(6, 0)


def test_who_does_not_fit_is_not_asked(asked: Asked) -> None:
    begun(task("ring-5", "AAS", STORE)).round(9, 0)
    assert {name for name, _, _ in asked.calls} == {"exact"}
    with pytest.raises(
        SpecError, match="method mboa: it cannot do alltoall with store and forward"
    ):
        search(task("ring-5", "AAS", STORE), "mboa")


def test_a_round_ends_with_a_schedule_that_is_short_enough(asked: Asked) -> None:
    tries = begun(SCATTER)
    tries.round(8, 0)
    asked.answers["hgsa"] = one_by_one
    tries.round(7, 0)
    assert asked.parts[-1] == "hgsa"
    assert tries.record.steps == 7
    parts = len(asked.parts)
    tries.round(7, 1)
    assert len(asked.parts) == parts
    # What looked for more is ended; all is, in the end.
    assert [steps for _, steps in asked.ended] == [7] + [8] * 3
    asked.answers.clear()
    tries.round(6, 0)
    tries.close()
    assert [steps for _, steps in asked.ended] == [7] + [8] * 3 + [6] * 3


def test_a_method_alone_ends_when_it_is_stopped(asked: Asked) -> None:
    tries = begun(SCATTER, "mboa", lambda: len(asked.parts) > 99)
    tries.round(6, 50)
    assert asked.parts == ["mboa"] * 100
    assert tries.over


def test_first_fit_takes_no_more_steps_than_it_may() -> None:
    for most, steps in ((6, None), (7, 7)):
        tries = begun(task("star-8", "OAS", Rules(1)))
        tries.at_once(7, most)
        assert tries.record.steps == steps


def test_no_turn_with_a_group_that_does_not_keep_the_collective(asked: Asked) -> None:
    for kind, groups in (("OAB", 0), ("AAS", 2)):
        asked.calls.clear()
        begun(task("hypercube-8", kind)).round(4, 0)
        assert sum("symmetry" in more for _, _, more in asked.calls) == groups


def test_a_method_of_another_package(monkeypatch: pytest.MonkeyPatch) -> None:
    place = f"{__name__}:one_a_step"
    other = Method("one a step", "for a test", place, share=9)

    monkeypatch.setattr(methods, "plugins", lambda group, kind: {"": other})
    methods._tables.cache_clear()
    try:
        assert searches()[-1] == "one a step"
        assert len(methods._OWN) == len(known()) - 1, "two methods have one name"
        result = search(SCATTER, "one a step", steps=7)
        assert (result.method, result.steps) == ("one a step", 7)
    finally:
        monkeypatch.undo()
        methods._tables.cache_clear()


@pytest.mark.parametrize(
    ("made", "message"),
    [
        ([5], "method bad: it must yield a Found whose steps are None or tuples of Transfers; c"),
        ([Found(("ab",), 0)], "method bad: it must yield a Found whose steps are None or"),  # type: ignore[arg-type]
        ([Found((), 0)], r"method bad: .*bad made a schedule that is wrong: node 1 never gets"),
        (None, r"method bad: TypeError: 'NoneType' object is not iterable; correct or uninstall"),
        (KeyError("x"), r"method bad: KeyError: 'x' \(.*test_attempts\.py, line \d+\); correct or"),
    ],
)
def test_a_method_of_another_package_with_a_mistake(
    made: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is an error of one line."""

    def bad(*_: Any) -> Any:
        if isinstance(made, Exception):
            raise made
        return made

    monkeypatch.setattr(f"{__name__}.bad", bad, raising=False)
    monkeypatch.setitem(known(), "bad", Method("bad", "for a test", f"{__name__}:bad"))
    with pytest.raises(SpecError, match=message):
        search(SCATTER, "bad")


def test_a_method_that_ends_without_a_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    """More steps than each hop in one of its own are not asked of it."""
    steps = []

    def bad(_: Task, most: int, *__: Any) -> tuple[Found, ...]:
        steps.append(most)
        return ()

    monkeypatch.setattr(f"{__name__}.bad", bad, raising=False)
    monkeypatch.setitem(known(), "bad", Method("bad", "for a test", f"{__name__}:bad"))
    assert search(SCATTER, "bad").schedule is None
    assert max(steps) == SCATTER.collective.demand * int(SCATTER.topology.distances.max())


def one_a_step(task: Task, steps: int, seed: int, clock: Clock) -> Iterator[Found]:
    yield one_by_one(task)


def test_with_no_method_left_all_is_over() -> None:
    attempts = begun(SCATTER)
    assert not attempts.over
    attempts.fit.clear()
    assert attempts.over
