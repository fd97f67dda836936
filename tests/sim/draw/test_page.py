"""Pictures as files: the same every time, by their ending, with settings of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

from syncfabric import Network
from syncfabric.sim.draw.figures import (
    plan_figure,
)
from syncfabric.sim.draw.page import picture
from syncfabric.sim.draw.scene import scene_of
from tests.nightly import nightly_but

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.mark.parametrize(
    "name", nightly_but(["demo", "cluster-fig1"], ["demo", "reflex-groups", "cluster-fig1"])
)
def test_pictures_are_the_same_every_time(name: str) -> None:
    plan = Network.load(name).plan()
    for kind in ("svg", "png"):
        scene_of.cache_clear()
        first, second = (picture(plan_figure(plan), kind) for _ in range(2))
        assert first == second
    assert b"<dc:date>" not in picture(plan_figure(plan), "svg")


def test_a_plan_draws_itself_into_a_file(tmp_path: Path) -> None:
    plan = Network.load("mesh-2x2").plan()
    assert plan.draw(tmp_path / "a" / "x.png").read_bytes().startswith(PNG)
    assert plan.draw(tmp_path / "x.SVG").read_text().startswith("<?xml")
    assert Network.load("reflex-4x4")._repr_svg_()


def test_a_users_own_settings_of_matplotlib_stay() -> None:
    code = (
        "import matplotlib; matplotlib.use('svg'); matplotlib.rcParams['font.size'] = 17\n"
        "from syncfabric import Network\n"
        "Network.load('mesh-2x2')._repr_svg_()\n"
        "import sys; assert 'matplotlib.pyplot' not in sys.modules\n"
        "assert matplotlib.rcParams['font.size'] == 17, matplotlib.get_backend()\n"
        "assert matplotlib.get_backend() == 'svg', matplotlib.get_backend()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
