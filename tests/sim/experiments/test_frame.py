"""The frame of the experiments: rows, registry, files, pictures."""

import csv
import os
from collections.abc import Collection
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from syncfabric.models.errors import SpecError
from syncfabric.sim.experiments import bench, papers
from syncfabric.sim.experiments.bench import __main__ as scripts_bench
from syncfabric.sim.experiments.bench.__main__ import SECTIONS
from syncfabric.sim.experiments.choice import EXPERIMENTS
from syncfabric.sim.experiments.frame import Axes, Experiment, Work, declared
from syncfabric.sim.experiments.output import figure_of, write
from tests.sim.experiments import jobs

PLOTTED = Experiment("toy", "a toy", "no paper", jobs.toy, axes=(Axes("x", "y", 2, 10),))


def test_work_ends_when_the_user_asks() -> None:
    asked = [False, False, True]
    said: list[str] = []
    work = Work(PLOTTED, stop=lambda: asked.pop(0), progress=said.append)
    work.report("first")
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
    work = Work(PLOTTED, progress=said.append)
    found: object = work.alone(jobs.lonely, (4,), "four")
    assert found == [4, False]
    assert said == ["four: number 4"]
    asked = [False, False, True]
    work.stop = lambda: asked.pop(0)
    with pytest.raises(KeyboardInterrupt):
        work.alone(jobs.lonely, (4,), "four")


def test_files_hold_what_was_found(tmp_path: Path) -> None:
    work = Work(PLOTTED)
    work.claim("steps", 4, 3, "fewer", by_formula=True)
    work.claim("order", "a, b", None)
    work.point("ours", 8, 2.5)
    work.point("ours", 16, 0)
    names = [path.name for path in write(work, tmp_path / "out")]
    assert names == ["toy.csv", "toy-series.csv", "toy.svg", "toy.png"]
    rows = list(csv.reader((tmp_path / "out" / "toy.csv").read_text().splitlines()))
    assert rows == [
        ["claim", "paper", "ours", "ratio", "verdict", "by_formula"],
        ["steps (fewer)", "4", "3", "0.75", "partly", "yes"],
        ["order", "a, b", "", "", "no result", ""],
    ]
    series = (tmp_path / "out" / "toy-series.csv").read_text()
    assert series == "series,x,y\nours,8,2.5\nours,16,0\n"
    assert (tmp_path / "out" / "toy.svg").read_text().startswith("<?xml")
    assert (tmp_path / "out" / "toy.png").read_bytes().startswith(b"\x89PNG")


def drawn(*labels: str, y: float = 10) -> Any:
    """Draw a point of each curve, and return its axes."""
    work = Work(PLOTTED)
    for number, label in enumerate(labels):
        work.point(label, 8, y + number)
    (axes,) = figure_of(work).axes
    return axes


def test_curves_have_their_scales_and_leave_out_what_has_no_logarithm() -> None:
    work = Work(PLOTTED)
    for x, y in ((8, 10), (16, 0), (32, 100)):
        work.point("ours", x, y)
    (axes,) = figure_of(work).axes
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
    (line,) = axes.lines
    assert np.asarray(line.get_xydata()).tolist() == [[8, 10], [32, 100]]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x (log scale)", "y (log scale)")
    work.experiment = replace(PLOTTED, axes=(Axes("x", "y"),))
    (axes,) = figure_of(work).axes  # other axes begin at zero
    assert (axes.get_xlim()[0], axes.get_ylim()[0]) == (0, 0)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("x", "y")


def test_curves_of_another_unit_have_axes_of_their_own_and_no_label_is_lost() -> None:
    ratio = Axes("x", "over ours", 2, prefix="CS over BTM, ")
    work = Work(replace(PLOTTED, axes=(*PLOTTED.axes, ratio)))
    for label in ("BTM, ours", "CS over BTM, 8x8", "CS over BTM, 8x8, paper"):
        work.point(label, 8, 10)
    upper, lower = figure_of(work).axes
    assert [line.get_label() for line in upper.lines] == ["BTM"]
    assert [line.get_label() for line in lower.lines] == ["8x8", "8x8, paper"]
    assert lower.get_ylabel() == "over ours"
    assert [text.get_text() for text in lower.texts] == ["8x8", "8x8, paper"]


def test_a_picture_says_in_words_what_it_shows_and_what_the_paper_does_not_give() -> None:
    toy = replace(PLOTTED, title="height of trees", caption="No numbers.")
    work = Work(toy)
    work.point("ours, paper", 8, 10)
    said = [text.get_text() for text in figure_of(work).texts]
    assert said == [
        "Open markers: the paper's values. No numbers.",
        "Height of trees",
        "no paper · syncfabric reproduce toy",
    ]


def test_every_picture_of_a_paper_has_its_points_or_says_why_not() -> None:
    for experiment in EXPERIMENTS.values():
        assert experiment.caption or not experiment.axes, experiment.name
        assert not experiment.title.startswith(("the same", experiment.name))


@pytest.mark.parametrize("other", [1, 10_000])
def test_names_of_curves_do_not_overlap(other: float) -> None:
    work = Work(PLOTTED)
    work.point("another", 8, other)
    for number in range(19):
        work.point(f"curve {number}", 8, 100 + number / 100)
    figure = figure_of(work)
    figure.draw_without_rendering()
    (axes,) = figure.axes
    boxes = sorted((text.get_window_extent() for text in axes.texts), key=lambda box: box.y0)
    assert len(boxes) == 20
    assert all(below.y1 <= above.y0 for below, above in pairwise(boxes))
    assert axes.bbox.y0 - 10 < boxes[0].y0
    assert boxes[-1].y1 < axes.bbox.y1 + 10
    assert max(box.x1 for box in boxes) <= figure.bbox.width


def test_the_papers_curve_has_the_colour_of_ours() -> None:
    paper, ours, other = drawn("OAB, paper", "OAB, ours", "OAS, paper").lines
    assert paper.get_color() == ours.get_color() != other.get_color()
    assert (paper.get_linestyle(), other.get_linestyle()) == (":", ":")
    assert ours.get_linestyle() != ":"


def test_what_the_hardware_took_has_the_colour_of_its_model_and_points_of_its_own() -> None:
    model, ring, tree, plain = drawn("ring, model", "ring, RTL", "tree, RTL", "tree", y=1).lines
    assert model.get_color() == ring.get_color() != tree.get_color() == plain.get_color()
    assert model.get_marker() == ring.get_marker() != tree.get_marker() == plain.get_marker()
    assert (model.get_fillstyle(), ring.get_fillstyle()) == ("full", "left")
    assert (model.get_linestyle(), ring.get_linestyle()) == ("-", "--")


def test_many_curves_have_a_look_each() -> None:
    lines = drawn(*(f"curve {number}" for number in range(20))).lines
    assert len({(line.get_color(), line.get_marker()) for line in lines}) == 20


def test_without_series_ratios_are_drawn() -> None:
    work = Work(PLOTTED)
    work.claim("first", 2, 3)
    work.claim("no ratio", None, 3)
    work.claim("second", 2, 1)
    (axes,) = figure_of(work).axes
    _, *points = axes.lines
    assert [np.asarray(point.get_xdata()).tolist() for point in points] == [[1.5], [0.5]]
    assert [point.get_fillstyle() for point in points] == ["none", "none"]
    assert axes.get_xlim()[0] == 0
    assert [text.get_text() for text in axes.texts] == ["3 / 2", "1 / 2"]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["first", "second"]


def test_an_experiments_own_picture_comes_first() -> None:
    from matplotlib.figure import Figure

    own = Figure()
    work = Work(PLOTTED, drawing=lambda: own)
    work.point("ours", 1, 1)
    assert figure_of(work) is own


def test_benches_refuse_a_folder_before_work_and_all_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(work: Work) -> None:
        raise SpecError("no such network")

    monkeypatch.setattr(scripts_bench, "SECTIONS", [replace(PLOTTED, function=refuse)])
    (tmp_path / "file").touch()
    for words, folder, said in (
        (["toy"], str(tmp_path / "file"), f"output folder {tmp_path}/file cannot be written: "),
        (["toy"], str(tmp_path / "out"), "no such network\n"),
        (["tow"], None, "no section has that in its title; titles are a toy\n"),
    ):
        assert scripts_bench.main(words, folder) == 2
        err = capsys.readouterr().err
        assert err.startswith(f"error: {said}")
        assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize(("package", "known"), [(bench, SECTIONS), (papers, EXPERIMENTS.values())])
def test_what_a_module_declares_is_found(
    package: ModuleType, known: Collection[Experiment]
) -> None:
    names = [module.name for module in iter_modules(package.__path__) if module.name != "__main__"]
    found = declared(package.__name__, *names)
    assert len(found) == len(known) > 30
    assert all(experiment in known for experiment in found)
    assert len({experiment.title for experiment in found}) == len(found)
