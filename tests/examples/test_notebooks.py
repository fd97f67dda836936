"""The notebooks run to their end, and are stored without outputs."""

import csv
import json
import re
from pathlib import Path

import pytest

from syncfabric import Network
from tests.examples.example import EXAMPLES, Example

NOTEBOOKS = sorted((EXAMPLES / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Execute both into pages, and give the folder of these."""
    example = Example("notebooks", tmp_path_factory.mktemp("notebooks"))
    code, printed = example.run()
    assert code == 0, printed
    return example.folder / "build"


def test_a_plan_and_a_run_are_shown(built: Path) -> None:
    page = (built / "plan-and-look.html").read_text(encoding="utf-8")
    notebook = json.loads((EXAMPLES / "notebooks" / "plan-and-look.ipynb").read_text())
    text = re.search(r'"""(.*?)"""', "".join(notebook["cells"][1]["source"]), re.S)
    assert text
    plan = Network.loads(text[1]).plan()
    for group in plan.groups:
        assert f"longest path {group.longest_path} hops, bound {group.bound} cycles" in page
    assert page.count("<svg") + page.count("data:image") >= 3


def test_a_papers_figure_is_drawn_from_its_points(built: Path) -> None:
    page = (built / "papers-figure.html").read_text(encoding="utf-8")
    assert page.count("<svg") + page.count("data:image") >= 2
    folder = EXAMPLES / "notebooks"
    source = (folder / "papers-figure.ipynb").read_text(encoding="utf-8")
    with (built / "btm-fig5-series.csv").open() as file:
        points = {(row["series"], float(row["x"])): float(row["y"]) for row in csv.DictReader(file)}
    for mesh, factor in re.findall(r'\\"(\d+x\d+)\\": ([\d.]+)', source):
        ours = points[f"CS, {mesh}", 1024] / points[f"BTM, {mesh}", 1024]
        assert ours == pytest.approx(float(factor), rel=0.1)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stored_without_outputs(notebook: Path) -> None:
    cells = [cell for cell in json.loads(notebook.read_text())["cells"] if "outputs" in cell]
    assert len(cells) >= 4
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
