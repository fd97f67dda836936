"""Paper Reflex's barriers in a table and a picture; the barriers themselves are stand-ins."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from syncfabric.models.errors import OutputError
from syncfabric.sim.draw.canvas import picture
from syncfabric.sim.draw.curves import curves_figure
from syncfabric.sim.figures import reflex as section
from syncfabric.sim.figures.__main__ import main
from syncfabric.sim.figures.reflex import BARRIERS, Times, check_plot, measured, plot, reflex
from tests.sim.figures.conftest import Stands


@pytest.fixture(autouse=True)
def _stand_ins(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    barriers = {
        "quick": lambda side: Times(side, 2 * side),
        "slow": lambda side: Times(side * side, 1000),
    }
    monkeypatch.setattr(section, "BARRIERS", barriers)
    measured.cache_clear()
    yield
    measured.cache_clear()


def test_the_barriers_are_those_of_the_paper_and_ours() -> None:
    others = {"UDN/STN", "dissemination", "unicast", "Reflex, ring", "Reflex, tree (ours)"}
    assert others < set(BARRIERS)
    assert sum(name.startswith("BTM") for name in BARRIERS) == 2
    assert sum(name.startswith("wires (ours)") for name in BARRIERS) == 2


def test_wires_take_their_formula(by_model: Stands) -> None:
    """2L(1 + P) + 2, L as many links as a side."""
    by_model(section)
    assert BARRIERS["wires (ours)"](4) == Times(10, 10)
    assert BARRIERS["wires (ours), one link register"](4) == Times(18, 18)


def test_a_row_has_all_sizes() -> None:
    assert [(row.figure, row.measured) for row in reflex()] == [
        ("4 / 16 / 36 / 64 cores, all together: quick", "2 / 4 / 6 / 8"),
        ("4 / 16 / 36 / 64 cores, one late, the worst: quick", "4 / 8 / 12 / 16"),
        ("4 / 16 / 36 / 64 cores, all together: slow", "4 / 16 / 36 / 64"),
        ("4 / 16 / 36 / 64 cores, one late, the worst: slow", "1000 / 1000 / 1000 / 1000"),
        ("4 / 16 / 36 / 64 cores, UDN/STN's release in these, by formula", "4 / 6 / 8 / 10"),
    ]


@pytest.mark.long
def test_a_mesh_is_measured_on_hardware() -> None:
    """A tree of L = 4 takes 2L + 2 cycles in the routers."""
    assert BARRIERS["BTM, planner shortest, pipeline 0"](4) == Times(10, 10)
    assert BARRIERS["dissemination"](4) == Times(23, 23)
    assert BARRIERS["wires (ours)"](4) == Times(10, 10)


def test_a_static_network_is_measured_on_hardware() -> None:
    """A ring of N = 4 takes 2N + 5 cycles, a tree of L = 2 takes 3L + 5."""
    assert BARRIERS["Reflex, ring"](2) == Times(13, 13)
    assert BARRIERS["Reflex, tree (ours)"](2) == Times(11, 11)


def test_the_picture_has_every_point_and_name(tmp_path: Path) -> None:
    file = plot(tmp_path / "reflex.svg")
    assert ET.parse(file).getroot().tag.endswith("svg")
    curves = {
        name: {n: time.together for n, time in sizes.items()} for name, sizes in measured().items()
    }
    figure = curves_figure(curves, title="t", line="l", across="cores", up="cycles")
    (axes,) = figure.axes
    drawn = {line.get_label(): dict(np.asarray(line.get_xydata())) for line in axes.lines}
    assert drawn == curves
    assert list(drawn) == ["slow", "quick"]
    assert picture(figure, "svg") == picture(figure, "svg")


def test_a_curve_on_another_shows() -> None:
    """BTM by `shortest` and wires take the same."""
    points = {4: 6.0, 16: 10.0}
    curves = {"one": points, "other": dict(points), "third": {4: 5.0, 16: 9.0}}
    (axes,) = curves_figure(curves, title="t", line="l", across="cores", up="cycles").axes
    assert [line.get_linestyle() for line in axes.lines] == ["-", "--", "-"]
    assert axes.lines[1].get_markersize() < axes.lines[0].get_markersize()


@pytest.mark.parametrize("name", ["reflex.pdf", "reflex", "."])
def test_a_file_that_cannot_be_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(OutputError):
        check_plot(tmp_path / name)


def test_the_command_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "new" / "reflex.png"
    assert main(["64 cores"], file) == 0
    assert file.read_bytes().startswith(b"\x89PNG")
    assert "slow" in capsys.readouterr().out
    assert main(["64 cores"], tmp_path / "reflex.pdf") == 2
    assert "must end in .svg or .png" in capsys.readouterr().out
