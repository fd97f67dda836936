"""The notebooks run to their end, and are stored without outputs."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from syncfabric import Network
from tests.examples.example import EXAMPLES, Example

FOLDER = EXAMPLES / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def executed(name: str, **changes: str) -> dict[str, Any]:
    """Execute a notebook's cells, in the current folder; return what they define.

    Each change is of a text that stands once in a cell.
    """
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    source = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    for old, new in changes.items():
        assert "".join(source).count(old) == 1
        source = [text.replace(old, new) for text in source]
    found: dict[str, Any] = {}
    for text in source:
        exec(text, found)
    return found


def test_a_plan_and_a_run_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    found = executed("plan-and-look")
    plan = Network.loads(found["FILE"]).plan()
    out = capsys.readouterr().out
    for group in plan.groups:
        assert f"longest path {group.longest_path} hops, bound {group.bound} cycles" in out
    for drawn in ("network", "plan", "around"):
        assert "<svg" in found[drawn]._repr_svg_()
    assert found["result"].ok


def test_a_papers_figure_is_drawn_from_its_points(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    found = executed("papers-figure", **{'"10"': '"1"'})
    assert "<svg" in Path("build/btm-fig5.svg").read_text(encoding="utf-8")
    with Path("build/btm-fig5-series.csv").open() as file:
        points = {(row["series"], float(row["x"])): float(row["y"]) for row in csv.DictReader(file)}
    for mesh, factor in found["PAPER"].items():
        ours = points[f"CS, {mesh}", 1024] / points[f"BTM, {mesh}", 1024]
        assert ours == pytest.approx(factor, rel=0.1)
    assert len(found["axes"].lines) == 4


def test_schedules_are_found_and_swept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    found = executed("schedules")
    assert "4 steps" in capsys.readouterr().out
    assert (found["steps"].steps >= found["steps"].bound).all()
    assert {*found["times"].bytes} == {1 << 10, 1 << 14, 1 << 18, 1 << 22}
    assert (found["times"].of_bound >= 1).all()
    assert len(found["axes"].lines) == 3


@pytest.mark.nightly
def test_each_becomes_a_page(tmp_path: Path) -> None:
    example = Example("notebooks", tmp_path)
    code, printed = example.run()
    assert code == 0, printed
    for name, pictures in (("plan-and-look", 3), ("papers-figure", 2), ("schedules", 1)):
        page = (example.folder / "build" / f"{name}.html").read_text(encoding="utf-8")
        assert len(re.findall("<svg|data:image", page)) >= pictures


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs(notebook: Path) -> None:
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if "outputs" in cell]
    assert len(cells) >= 4
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
