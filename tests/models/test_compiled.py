"""What is compiled is kept by the sources of all kernels: no change of any of them goes unseen."""

import ast
import importlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

import syncfabric
from syncfabric.models import compiled
from syncfabric.models.compiled import KERNELS

MODELS = Path(str(files("syncfabric.models")))
OURS = tuple(
    ".".join(("syncfabric", "models", *Path(place).with_suffix("").parts)) for place in KERNELS
)

ASK = """
import numpy as np
from syncfabric.models.collectives.random_numbers import Random, seeded
from syncfabric.models.collectives.mboa.solve import tournament
print(tournament(np.array([3, 2, 1, 0]), 1, seeded(1)))
"""
CALLED = "models/collectives/random_numbers.py"


def modules() -> Iterator[ModuleType]:
    for place in KERNELS:
        found = MODELS / place
        for file in [found] if found.is_file() else sorted(found.rglob("*.py")):
            name = ".".join(file.relative_to(MODELS).with_suffix("").parts)
            yield importlib.import_module(f"syncfabric.models.{name}")


def kernels(module: ModuleType) -> Iterator[Callable[..., Any]]:
    for value in vars(module).values():
        function = getattr(value, "py_func", None)
        if function is not None and function.__module__ == module.__name__:
            yield function


def names(code: CodeType) -> set[str]:
    inner = [names(part) for part in code.co_consts if isinstance(part, CodeType)]
    return set(code.co_names).union(*inner)


def origins(module: ModuleType) -> dict[str, str]:
    """Return the module that each imported name of a module comes from."""
    assert module.__file__
    imports = [
        node
        for node in ast.walk(ast.parse(Path(module.__file__).read_text()))
        if isinstance(node, ast.ImportFrom)
    ]
    return {part.asname or part.name: node.module or "" for node in imports for part in node.names}


def test_kernels_name_nothing_of_the_project_from_elsewhere() -> None:
    seen = 0
    for module in modules():
        came = origins(module)
        for kernel in kernels(module):
            seen += 1
            for name in names(kernel.__code__) & came.keys():
                ours = came[name].startswith(OURS) or not came[name].startswith("syncfabric")
                assert ours, f"{module.__name__}.{kernel.__name__} uses {came[name]}.{name}"
    assert seen > 40


def test_no_other_module_is_compiled() -> None:
    users = [f for f in MODELS.rglob("*.py") if "models.compiled import" in f.read_text()]
    assert users
    for file in users:
        assert file.relative_to(MODELS).as_posix().startswith(KERNELS), file
    assert [f for f in MODELS.rglob("*.py") if "import numba" in f.read_text()] == [
        MODELS / "compiled.py"
    ]


def test_folders_of_other_sources_are_removed_but_for_a_few(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(tmp_path))
    for hours in range(9):
        folder = tmp_path / "kernels" / f"{hours} hours"
        folder.mkdir(parents=True)
        (folder / "kernel.nbc").touch()
        os.utime(folder, (time.time() - 3600 * hours - 60,) * 2)
    own = compiled._folder.__wrapped__()
    assert own is not None
    left = {folder.name for folder in (tmp_path / "kernels").iterdir()}
    assert left == {own.name, *(f"{hours} hours" for hours in range(compiled.KEPT))}
    monkeypatch.setattr(compiled, "KEPT", 0)
    assert compiled._folder.__wrapped__() == own
    assert {folder.name for folder in own.parent.iterdir()} == {own.name, "0 hours"}


def test_without_a_folder_nothing_is_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SYNCFABRIC_CACHE", str(tmp_path / "file"))
    folder = compiled._folder.__wrapped__()
    assert folder is None
    monkeypatch.setattr(compiled, "_folder", lambda: folder)

    def twice(number: int) -> int:
        return 2 * number

    made: Any = compiled.compiled(twice)
    assert made(3) == 6
    assert made.stats.cache_path is None


@pytest.mark.nightly
def test_a_change_in_what_a_kernel_calls_is_seen_by_a_new_process(tmp_path: Path) -> None:
    home = Path(syncfabric.__path__[0])
    shutil.copytree(home / "models", tmp_path / "models", ignore=shutil.ignore_patterns("*.nb?"))
    (tmp_path / "syncfabric").mkdir()
    shutil.copy(home / "__init__.py", tmp_path / "syncfabric")
    (tmp_path / "syncfabric" / "models").symlink_to(tmp_path / "models")
    environment = {
        **os.environ,
        "PYTHONPATH": str(tmp_path),
        "SYNCFABRIC_CACHE": str(tmp_path / "cache"),
    }

    def ask() -> int:
        command = [sys.executable, "-c", ASK]
        return int(subprocess.check_output(command, env=environment, cwd=tmp_path, text=True))

    def kept() -> list[Path]:
        return sorted((tmp_path / "cache" / "kernels").rglob("*.nbc"))

    first = ask()
    before = kept()
    assert before
    assert ask() == first
    assert kept() == before
    source = (tmp_path / CALLED).read_text()
    line = "return int(uniform(state) * most)"
    assert source.count(line) == 1
    (tmp_path / CALLED).write_text(source.replace(line, f"return {(first + 1) % 4}"))
    assert ask() == (first + 1) % 4
    assert set(before) < set(kept())
    assert not list((tmp_path / "models").rglob("*.nb?"))
