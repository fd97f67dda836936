"""A user's cluster of cores around an emitted network, set up by a program in C."""

from pathlib import Path

import pytest

from tests.examples.example import Example

NAME = "picorv32-cluster"


@pytest.mark.long
@pytest.mark.icarus
def test_no_core_passes_early(tmp_path: Path) -> None:
    Example(NAME, tmp_path).passes()


@pytest.mark.long
def test_it_passes_under_verilator_too(tmp_path: Path) -> None:
    Example(NAME, tmp_path).passes("SIM=verilator")


@pytest.mark.icarus
@pytest.mark.parametrize(
    ("file", "old", "new", "found"),
    [
        ("tile.v", "{31'd0, done};", "{31'd0, done || number == 5};", "core 5 ends with code 2"),
        pytest.param(
            *("fabric.toml", 'members = "all"', "members = [[0, 0], [1, 1]]", "passes before core"),
            marks=pytest.mark.long,
        ),
    ],
    ids=["the program sees a core that has not arrived", "the bench sees a core that goes on"],
)
def test_mistakes_are_found(file: str, old: str, new: str, found: str, tmp_path: Path) -> None:
    example = Example(NAME, tmp_path)
    example.replace(file, old, new)
    code, printed = example.run()
    assert code != 0
    assert found in printed
