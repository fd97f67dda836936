"""The names that `syncfabric` exports."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import syncfabric

ROOT = Path(__file__).parents[1]


def typed() -> set[str]:
    """Return the names that type checkers see."""
    tree = ast.parse((ROOT / "syncfabric" / "__init__.py").read_text("utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    return {
        name.asname or name.name
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }


def test_one_list_of_names() -> None:
    names = {*syncfabric.__all__} - {"__version__"}
    assert typed() == names <= {*dir(syncfabric)}


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
        syncfabric.Netwrok  # noqa: B018
