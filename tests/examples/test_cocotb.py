"""A user's own cocotb bench on an emitted network."""

from pathlib import Path

import pytest

from tests.examples.example import Example


@pytest.mark.icarus
def test_the_bench_passes(tmp_path: Path) -> None:
    printed = Example("cocotb", tmp_path).passes()
    assert printed.count("from the last arrival to the last release; bound") == 2


@pytest.mark.icarus
def test_the_bench_notices_a_member_that_passes_early(tmp_path: Path) -> None:
    """Members arrive some cycles before the bench takes them to have arrived."""
    example = Example("cocotb", tmp_path)
    example.replace("test_barrier.py", "if when == cycle:", "if when - cycle in (0, 15):")
    code, printed = example.run()
    assert code != 0
    assert "is released before the last arrival" in printed
    assert "1 test, 1 failed, icarus" in printed


@pytest.mark.long
def test_it_passes_under_verilator_too(tmp_path: Path) -> None:
    code, printed = Example("cocotb", tmp_path).run("SIM=verilator")
    assert code == 0, printed
    assert "1 test, 0 failed, verilator" in printed
