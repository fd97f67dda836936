# amaranth: UnusedElaboratable=no
"""The engine's bench under each simulator: many parameters in one build."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from syncfabric.rtl.engine.engine import Engine
from tests.models.golden.engine_stimuli import Build
from tests.rtl.engine.bench_engine import CASES, TOP
from tests.rtl.support import run_bench


def run(simulator: str, cases: Mapping[str, Build], folder: Path) -> None:
    parts = {name: Engine(case.layout, **case.options) for name, case in cases.items()}
    run_bench(simulator, parts, "tests.rtl.engine.bench_engine", folder)


@pytest.mark.nightly_under("verilator")
def test_engine(simulator: str, tmp_path: Path) -> None:
    run(simulator, CASES, tmp_path)


@pytest.mark.nightly
def test_engine_at_the_top_of_its_ranges(simulator: str, tmp_path: Path) -> None:
    run(simulator, TOP, tmp_path)
