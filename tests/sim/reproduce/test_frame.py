"""The frame of the experiments: rows, registry, files, pictures."""

import csv
import os
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from syncfabric.models.errors import SpecError
from syncfabric.sim.reproduce.claim import Claim, Value
from syncfabric.sim.reproduce.experiment import Axes, Experiment, Work
from syncfabric.sim.reproduce.files import write
from syncfabric.sim.reproduce.plot import figure_of
from syncfabric.sim.reproduce.registry import EXPERIMENTS, chosen
from tests.sim.reproduce import jobs

PLOTTED = Experiment("toy", "a toy", "nowhere", "toy:toy", axes=Axes("x", "y", 2, 10))


@pytest.mark.parametrize(
    ("paper", "ours", "ratio"),
    [
        (4, 3, 0.75),
        (2.0, 5, 2.5),
        (0, 3, None),
        (None, 3, None),
        ("yes", "no", None),
        (3, None, None),
    ],
)
def test_a_ratio_is_ours_by_the_papers(paper: Value, ours: Value, ratio: float | None) -> None:
    assert Claim("steps", paper, ours).ratio == ratio


def test_a_row_has_its_note_in_the_claim() -> None:
    row = Claim("steps", 4, 3, "fewer").to_json()
    assert row == {"claim": "steps (fewer)", "paper": 4, "ours": 3, "ratio": 0.75}
    assert Claim("steps", 4, 3).to_json()["claim"] == "steps"


def test_work_ends_when_the_user_asks() -> None:
    asked = [False, False, True]
    said: list[str] = []
    work = Work(PLOTTED, stop=lambda: asked.pop(0), told=said.append)
    work.tell("first")
    work.claim("whole", 1, 1)
    with pytest.raises(KeyboardInterrupt):
        work.claim("half", 1, 1)
    assert said == ["first"]
    assert [claim.claim for claim in work.claims] == ["whole"]


def test_seeds_follow_each_other() -> None:
    assert list(Work(PLOTTED, runs=3, seed=7).seeds) == [7, 8, 9]


def test_jobs_are_done_in_turn_and_come_as_json_holds_them() -> None:
    work = Work(PLOTTED)
    assert work.beside == 1
    found: list[object] = list(work.map(jobs.pair, ((n,) for n in range(3))))
    assert found == [[n, os.getpid()] for n in range(3)]
    with pytest.raises(TypeError, match="JSON"):
        list(work.map(jobs.unsaid, [(1,)]))


def test_jobs_end_when_the_user_asks() -> None:
    asked = [False, False, True]
    work, found = Work(PLOTTED, stop=lambda: asked.pop(0)), list[int]()
    with pytest.raises(KeyboardInterrupt):
        found.extend(work.map(jobs.square, [(n,) for n in range(9)]))
    assert found == [0, 1]


def test_a_job_alone_says_what_it_is() -> None:
    said: list[str] = []
    work = Work(PLOTTED, told=said.append)
    found: object = work.alone(jobs.lonely, (4,), "four")
    assert found == [4, False]
    assert said == ["four: number 4"]
    asked = [False, False, True]
    work.stop = lambda: asked.pop(0)
    with pytest.raises(KeyboardInterrupt):
        work.alone(jobs.lonely, (4,), "four")


def test_every_experiment_is_there() -> None:
    for name, experiment in EXPERIMENTS.items():
        assert experiment.name == name
        module, _, function = experiment.function.partition(":")
        spec = find_spec(f"syncfabric.sim.reproduce.{module}")
        assert spec is not None
        assert spec.origin is not None
        assert f"def {function}(work: Work" in Path(spec.origin).read_text()


def test_every_experiment_is_documented() -> None:
    docs = Path(__file__).parents[3] / "docs"
    text = "".join((docs / page).read_text() for page in ("reproduce.md", "broadcast.md"))
    assert [name for name in EXPERIMENTS if name not in text] == []


def test_names_are_looked_up() -> None:
    assert [e.name for e in chosen(["evo-fig7", "evo-table4", "evo-fig7"])] == [
        "evo-fig7",
        "evo-table4",
    ]
    assert chosen(["evo-fig7", "all"]) == list(EXPERIMENTS.values())
    with pytest.raises(
        SpecError, match='unknown experiment "evo-tabel4"; did you mean "evo-table4"'
    ):
        chosen(["evo-tabel4"])
    with pytest.raises(SpecError, match=r"name an experiment, or all; --list shows them$"):
        chosen([])


def test_files_hold_what_was_found(tmp_path: Path) -> None:
    work = Work(PLOTTED)
    work.claim("steps", 4, 3, "fewer")
    work.claim("order", "a, b", None)
    work.point("ours", 8, 2.5)
    work.point("ours", 16, 0)
    names = [path.name for path in write(work, tmp_path / "out")]
    assert names == ["toy.csv", "toy-series.csv", "toy.svg", "toy.png"]
    rows = list(csv.reader((tmp_path / "out" / "toy.csv").read_text().splitlines()))
    assert rows == [
        ["claim", "paper", "ours", "ratio"],
        ["steps (fewer)", "4", "3", "0.75"],
        ["order", "a, b", "", ""],
    ]
    series = (tmp_path / "out" / "toy-series.csv").read_text()
    assert series == "series,x,y\nours,8,2.5\nours,16,0\n"
    assert (tmp_path / "out" / "toy.svg").read_text().startswith("<?xml")
    assert (tmp_path / "out" / "toy.png").read_bytes().startswith(b"\x89PNG")


def test_curves_have_their_scales_and_leave_out_what_has_no_logarithm() -> None:
    work = Work(PLOTTED)
    for x, y in ((8, 10), (16, 0), (32, 100)):
        work.point("ours", x, y)
    (axes,) = figure_of(work).axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    (line,) = axes.lines
    assert np.asarray(line.get_xydata()).tolist() == [[8, 10], [32, 100]]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x", "y")


def test_the_papers_curve_has_the_colour_of_ours() -> None:
    work = Work(PLOTTED)
    for label in ("OAB, paper", "OAB, ours", "OAS, paper"):
        work.point(label, 8, 10)
    (axes,) = figure_of(work).axes
    paper, ours, other = axes.lines
    assert paper.get_color() == ours.get_color() != other.get_color()
    assert (paper.get_linestyle(), other.get_linestyle()) == (":", ":")
    assert ours.get_linestyle() != ":"


def test_what_the_hardware_took_has_the_colour_of_its_model_and_points_of_its_own() -> None:
    work = Work(PLOTTED)
    for label in ("ring, model", "ring, RTL", "tree, RTL", "tree"):
        work.point(label, 8, 10)
    (axes,) = figure_of(work).axes
    model, ring, tree, plain = axes.lines
    assert model.get_color() == ring.get_color() != tree.get_color() == plain.get_color()
    assert (ring.get_marker(), tree.get_marker()) == ("s", "s")
    assert (model.get_marker(), plain.get_marker()) == ("o", "o")


def test_many_curves_have_a_colour_each() -> None:
    work = Work(PLOTTED)
    for number in range(20):
        work.point(f"curve {number}", 8, 10 + number)
    (axes,) = figure_of(work).axes
    assert len({line.get_color() for line in axes.lines}) == 20


def test_without_series_ratios_are_drawn() -> None:
    work = Work(PLOTTED)
    work.claim("first", 2, 3)
    work.claim("no ratio", None, 3)
    work.claim("second", 2, 1)
    (axes,) = figure_of(work).axes
    _, points = axes.lines
    assert np.asarray(points.get_xdata()).tolist() == [1.5, 0.5]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["first", "second"]


def test_an_experiments_own_picture_comes_first() -> None:
    from matplotlib.figure import Figure

    own = Figure()
    work = Work(PLOTTED, drawing=lambda: own)
    work.point("ours", 1, 1)
    assert figure_of(work) is own
