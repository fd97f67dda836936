"""The names that `syncfabric` exports."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import syncfabric

ROOT = Path(__file__).parents[1]


def test_type_checkers_see_what_there_is() -> None:
    """The stub exports a name by ``as`` itself, or by an assignment."""
    tree = ast.parse((ROOT / "syncfabric" / "__init__.pyi").read_text("utf-8"))
    aliases = [a for node in tree.body if isinstance(node, ast.ImportFrom) for a in node.names]
    typed = {alias.asname for alias in aliases if alias.asname == alias.name}
    typed |= {ast.unparse(node.targets[0]) for node in tree.body if isinstance(node, ast.Assign)}
    names = {*syncfabric.__all__} - {"__version__"}
    assert typed == names <= {*dir(syncfabric)}
    assert len(names) == len(aliases) > 35


@pytest.mark.parametrize("name", syncfabric.__all__)
def test_each_is_there_and_documented(name: str) -> None:
    assert getattr(syncfabric, name) is not None
    page = (ROOT / "docs" / "api.md").read_text("utf-8")
    assert name == "__version__" or re.search(rf"^::: syncfabric\.{name}$", page, re.M)


def test_the_page_names_no_other() -> None:
    page = (ROOT / "docs" / "api.md").read_text("utf-8")
    assert {*re.findall(r"^::: syncfabric\.(\w+)$", page, re.M)} <= {*syncfabric.__all__}


def test_import_is_light() -> None:
    code = "import sys, syncfabric; assert not {'amaranth', 'numpy', 'networkx'} & {*sys.modules}"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_unknown_name() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Netwrok'"):
        syncfabric.Netwrok  # type: ignore[attr-defined]  # noqa: B018
