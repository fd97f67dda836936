"""BookSim2 beside us: how it is asked, and what of its output is taken."""

from pathlib import Path

import pytest

from syncfabric.models.errors import ToolError
from syncfabric.models.patterns import NAMES
from syncfabric.sim.experiments.bench.speed import BOOKSIM, _booksim, _cycles_of
from syncfabric.sim.load import LoadPoint

OUTPUT = """#!/bin/sh
cat "$1" > asked
echo "Accepted flit rate average= 0.05"
if grep -q "injection_rate = 0.9" "$1"; then
  echo "Average latency for class 0 exceeded 500 cycles. Aborting simulation."
else
  echo "Packet latency average = 99"
  echo "Packet latency average = 24.5 (1 samples)"
fi
echo "Accepted flit rate average = 0.21 (1 samples)"
echo "Time taken is 6000 cycles"
echo "Total run time 1.5"
"""


def executable(text: str) -> str:
    file = Path("booksim")
    file.write_text(text)
    file.chmod(0o755)
    return str(file.absolute())


def test_its_last_figures_count_and_what_it_gives_up_is_not_stable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = list(_booksim(executable(OUTPUT), "traffic = bitcomp", [0.2, 0.9]))
    assert found == [LoadPoint(0.2, 0.21, 0, 24.5), LoadPoint(0.9, 0.21, 0, None)]
    asked = Path("asked").read_text()
    for said in ("traffic = bitcomp;", "injection_rate = 0.9;", "num_vcs = 2;", "packet_size = 5;"):
        assert said in asked


def test_its_speed_is_that_of_the_simulation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _cycles_of(executable(OUTPUT), "k = 16; injection_rate = 0.1;") == 4_000
    assert "k = 16;" in Path("asked").read_text()
    with pytest.raises(ToolError, match="Parse error"):
        _cycles_of(executable("#!/bin/sh\necho Parse error\n"), "k = 16;")


def test_what_is_no_booksim_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ToolError, match="Parse error"):
        list(_booksim(executable("#!/bin/sh\necho Parse error\n"), "traffic = uniform", [0.1]))


def test_all_patterns_that_both_have_are_compared() -> None:
    assert BOOKSIM.keys() == NAMES.keys()
