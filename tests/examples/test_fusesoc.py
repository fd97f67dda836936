"""A user's FuseSoC core around an emitted one."""

from pathlib import Path

import pytest

from tests.examples.example import Example

pytestmark = pytest.mark.icarus


def test_it_is_linted_and_simulated(tmp_path: Path) -> None:
    printed = Example("fusesoc", tmp_path).passes()
    assert "verilator -f" in printed
    assert "%Warning" not in printed


def test_a_mistake_of_the_user_is_found(tmp_path: Path) -> None:
    """By the lint, in the user's file; and by the simulation, if a lane does not wait."""
    example = Example("fusesoc", tmp_path)
    example.replace("accel.v", "left <= work[8*lane +: 8];", "left <= work[8*lane +: 9];")
    code, printed = example.run("lint")
    assert code != 0
    assert "%Warning-WIDTHTRUNC" in printed
    example.replace("accel.v", "left <= work[8*lane +: 9];", "left <= work[8*lane +: 8];")
    example.replace("accel.v", "(released[lane] ||", "((begun && !(|left) && !arrive[lane]) ||")
    code, printed = example.run("sim")
    assert code != 0
    assert "did not wait for lane" in printed
