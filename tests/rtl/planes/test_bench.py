# amaranth: UnusedElaboratable=no
"""Routers, nodes and their parts under each simulator, all in one build."""

from pathlib import Path

import pytest

from tests.rtl.planes.bench_parts import CASES
from tests.rtl.support import run_bench

SHORT = {
    *("xy_shared", "torus", "table_2_datelines", "source_3", "adaptive_cube", "streamed_xy"),
    *("port_4", "chain_2", "chain_3", "registers_3", "stream_port_1"),
}
"""The others have more ports and channels, and take longest to build."""


def run(simulator: str, cases: set[str], folder: Path) -> None:
    parts = {name: case.part() for name, case in CASES.items() if name in cases}
    run_bench(simulator, parts, "tests.rtl.planes.bench_parts", folder)


@pytest.mark.nightly_under("verilator")
def test_parts(simulator: str, tmp_path: Path) -> None:
    run(simulator, SHORT, tmp_path)


@pytest.mark.nightly
def test_large_parts(simulator: str, tmp_path: Path) -> None:
    run(simulator, CASES.keys() - SHORT, tmp_path)
