"""Dividers of the PLL."""

import re
import subprocess

import pytest

from syncfabric.fpga.boards.pll import find_pll
from syncfabric.fpga.tools import find_tool
from syncfabric.models.errors import SpecError


@pytest.mark.parametrize(
    "clock", [3.125, 3.5, 12, 48, 50, 51, 57, 61.3, 62.5, 66, 98.7, 399.9, 400]
)
def test_dividers_are_within_what_the_data_sheet_allows(clock: float) -> None:
    pll = find_pll(25.0, clock)
    dividers = (pll.before, pll.feedback, pll.first, pll.second)
    assert all(1 <= divider <= 128 for divider in dividers)
    assert 25.0 / pll.before >= 3.125
    oscillator = 25.0 / pll.before * pll.feedback * pll.first
    assert 400 <= oscillator <= 800
    assert 3.125 <= oscillator / pll.first <= 400
    assert oscillator / pll.second == pytest.approx(clock, rel=1e-3)
    assert pll.clock == pytest.approx(oscillator / pll.second)


@pytest.mark.parametrize(
    ("clock", "nearest"), [(1.0, "3.125"), (0.0, "3.125"), (-5.0, "3.125"), (500.0, "400")]
)
def test_a_clock_that_no_pll_makes(clock: float, nearest: str) -> None:
    words = rf"freq = {clock:g} MHz: the PLL cannot make that of 25 MHz; the nearest is {nearest}$"
    with pytest.raises(SpecError, match=words):
        find_pll(25.0, clock)


@pytest.mark.parametrize("clock", [float("nan"), float("inf")])
def test_a_clock_that_is_no_number(clock: float) -> None:
    with pytest.raises(SpecError, match=rf"^freq must be a number of MHz, not {clock}$"):
        find_pll(25.0, clock)


@pytest.mark.nightly
@pytest.mark.parametrize("clock", [50, 62.5, 75, 80, 100, 350])
def test_dividers_are_those_of_project_trellis(clock: float) -> None:
    """Where one output's divider is enough, ours are those of its calculator."""
    command = [find_tool("ecppll").program, "-i", "25", "-o", f"{clock:g}"]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    found = dict(re.findall(r"(\w+) divisor: (\d+)", said.stdout + said.stderr))
    pll = find_pll(25.0, clock)
    ours = {"Refclk": pll.before, "Feedback": pll.feedback, "clkout0": pll.first}
    assert found == {name: str(divider) for name, divider in ours.items()}
    assert pll.second == pll.first
