# amaranth: UnusedElaboratable=no
"""Routers, nodes and their parts under each simulator, all in one build."""

from pathlib import Path

import pytest

from tests.rtl.planes.bench_parts import CASES
from tests.rtl.support import run_bench

TOP = {"table_16", "table_6_shared", "source_9", "port_16", "registers_1"}
"""Cases at the ends of ranges, which take longest to build."""


def run(simulator: str, cases: set[str], folder: Path) -> None:
    parts = {name: case.part() for name, case in CASES.items() if name in cases}
    run_bench(simulator, parts, "tests.rtl.planes.bench_parts", folder)


@pytest.mark.nightly_under("icarus")
def test_parts(simulator: str, tmp_path: Path) -> None:
    run(simulator, CASES.keys() - TOP, tmp_path)


@pytest.mark.nightly
def test_parts_at_the_ends_of_their_ranges(simulator: str, tmp_path: Path) -> None:
    run(simulator, TOP, tmp_path)
