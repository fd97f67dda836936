"""A user's driver in C on an AXI4-Lite port, with the emitted headers."""

from pathlib import Path

import pytest

from tests.examples.example import Example


@pytest.mark.icarus
def test_the_driver_does_barriers(tmp_path: Path) -> None:
    printed = Example("axi-lite", tmp_path).passes()
    assert "5 barriers, at most " in printed


@pytest.mark.icarus
@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("rounds[member] = round;", "rounds[member] = round - 1;", "assert 3 == 0"),
        pytest.param(
            "return soc_set_up(BASE);", "return 0;", "assert 1 == 0", marks=pytest.mark.long
        ),
    ],
    ids=["a member that has not arrived is seen", "the group is not set up"],
)
def test_mistakes_of_the_driver_are_found(old: str, new: str, found: str, tmp_path: Path) -> None:
    example = Example("axi-lite", tmp_path)
    example.replace("driver.c", old, new)
    code, printed = example.run()
    assert code != 0
    assert found in printed
    assert "1 test, 1 failed, icarus" in printed


@pytest.mark.long
def test_it_passes_under_verilator_too(tmp_path: Path) -> None:
    code, printed = Example("axi-lite", tmp_path).run("SIM=verilator")
    assert code == 0, printed
    assert "1 test, 0 failed, verilator" in printed
