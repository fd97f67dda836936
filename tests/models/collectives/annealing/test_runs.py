"""Runs: the same seed, several processes, stopping and going on."""

from pathlib import Path

import pytest

from syncfabric.models.collectives.annealing import solve as module
from syncfabric.models.collectives.annealing.island import Outcome, Solution
from syncfabric.models.collectives.annealing.team import Team
from syncfabric.models.collectives.clock import Found
from syncfabric.models.collectives.methods import solve
from syncfabric.models.collectives.task import Rules
from syncfabric.models.errors import SpecError
from tests.models.collectives.tasks import task

HARD = task("mesh-4x4", "AAS", Rules(1))


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let epochs be short, so that a search of a second has many."""
    monkeypatch.setattr(module, "EPOCH", 40_000)


def stop_after(epochs: int):  # type: ignore[no-untyped-def]
    left = iter(range(epochs - 1))
    return lambda: next(left, None) is None


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("islands", [1, 2])
def test_the_same_seed_gives_the_same(islands: int) -> None:
    def run(seed: int):  # type: ignore[no-untyped-def]
        return solve("hgsa", HARD, 17, seed=seed, time_limit=60, islands=islands)

    first = run(1)
    assert first.steps is not None
    assert run(1).steps == first.steps
    assert run(2).steps != first.steps


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("islands", [1, 2])
def test_a_run_that_goes_on_comes_to_the_same(islands: int, tmp_path: Path) -> None:
    file = tmp_path / "run"

    def run(epochs: int, kept: Path | None):  # type: ignore[no-untyped-def]
        return solve(
            "hgsa", HARD, 16, seed=3, time_limit=60, islands=islands, stop=stop_after(epochs),
            checkpoint=kept,
        )  # fmt: skip

    whole = run(7, None)
    assert whole.steps is None
    run(1, file)
    run(3, file)
    parts = run(3, file)
    assert (parts.conflicts, parts.evaluations) == (whole.conflicts, whole.evaluations)
    assert parts.seconds > 0
    with pytest.raises(SpecError, match="of another run"):
        solve("hgsa", HARD, 16, seed=4, islands=islands, checkpoint=file)
    file.write_text("nonsense")
    with pytest.raises(SpecError, match="it is no checkpoint, or it is damaged"):
        run(1, file)


@pytest.mark.usefixtures("short")
def test_it_reports_and_stops() -> None:
    reports: list[Found] = []
    found = solve("hgsa", HARD, 15, progress=reports.append, stop=stop_after(3), islands=1)
    assert found.steps is None
    assert len(reports) == 3
    assert found.conflicts == reports[-1].conflicts <= reports[0].conflicts
    assert 0 < reports[0].evaluations < reports[1].evaluations < found.evaluations + 1


@pytest.mark.usefixtures("short")
def test_evaluations_of_all_islands_count(monkeypatch: pytest.MonkeyPatch) -> None:
    epochs: list[list[Outcome]] = []
    whole = Team.run

    def run(team: Team, moves: int, solutions: list[Solution | None]) -> list[Outcome]:
        epochs.append(whole(team, moves, solutions))
        return epochs[-1]

    monkeypatch.setattr(Team, "run", run)
    reports: list[Found] = []
    found = solve("hgsa", HARD, 17, seed=7, time_limit=60, islands=2, progress=reports.append)
    assert len(epochs) > 7
    assert any(outcome.best.conflicts == 0 for outcome in epochs[-1])
    # Island 1 joins after six epochs, the first of which are shorter.
    assert [len(outcomes) for outcomes in epochs[:7]] == [1, 1, 1, 1, 1, 1, 2]
    assert epochs[0][0].evaluations < 2_000
    assert all(outcome.evaluations > 30_000 * (len(epochs) - 6) for outcome in epochs[-1])
    assert found.evaluations == sum(outcome.evaluations for outcome in epochs[-1])
    assert reports[-1].evaluations == found.evaluations


def test_no_islands_are_refused() -> None:
    with pytest.raises(SpecError, match="islands must be 1 or more, not -1"):
        solve("hgsa", HARD, 16, islands=-1)
