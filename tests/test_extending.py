"""The package of docs/extending.md, installed as an outsider would."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import Reader, blocks

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"
pytestmark = pytest.mark.nightly

PLANNED = """
name = "near"
[network]
kind = "irregular"
topology = "cube-connected-cycles-3"
[[group]]
id = 1
planner = "around-first"
members = "all"
"""


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return an environment in which the page's package is installed: all of the page, followed."""
    reader = Reader(tmp_path_factory.mktemp("more"))
    for block in blocks(PAGE):
        reader.follow(block)
    assert reader.installed
    return reader.environment


def _call(program: str, *words: object, **more: object) -> str:
    command = [str(Path(sys.executable).with_name(program)), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, **more)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def test_its_planner(environment: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "near.toml").write_text(PLANNED)
    out = _call("syncfabric", "plan", tmp_path / "near.toml", env=environment)
    assert "around-first" in out


def test_a_planner_that_makes_no_tree(environment: dict[str, str], tmp_path: Path) -> None:
    """Each wrong answer is refused by name."""
    code = """
import numpy as np, sys
from syncfabric.models import plugins
from syncfabric.models.planning import planners
from syncfabric import Network
from syncfabric.models.errors import PlanError
text = open(sys.argv[1]).read()
good = Network.loads(text)
answers = {
    "a parent for each router": np.zeros(3, dtype=int),
    "parents must be": np.full(24, 99),
    "no link to its parent": np.where(np.arange(24) == 0, -1, 0),
    "does not lead to a root": np.array([1, 0] + [-1] * 22),
    "have 24 roots": np.full(24, -1),
}
for words, answer in answers.items():
    planners.plugins = lambda group, kind: {"around-first": lambda graph, members: answer}
    try:
        Network(good.spec).plan()
    except PlanError as error:
        assert words in str(error) and "group 1" in str(error), error
    else:
        raise AssertionError(words)
"""
    (tmp_path / "near.toml").write_text(PLANNED)
    command = [sys.executable, "-c", code, str(tmp_path / "near.toml")]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_package_that_cannot_be_imported(environment: dict[str, str], tmp_path: Path) -> None:
    folder = tmp_path / "broken-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 1\n")
    (folder / "entry_points.txt").write_text("[syncfabric.schemes]\nnone = not_there:x\n")
    command = [str(Path(sys.executable).with_name("syncfabric")), "schemes", "fig1"]
    done = subprocess.run(
        command, env={**environment, "PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert 'package "broken"' in done.stderr
