# amaranth: UnusedElaboratable=no
"""Streams back to back with their process under each simulator."""

from pathlib import Path

import pytest

from tests.rtl.streams.bench_axis import LAYOUTS
from tests.rtl.streams.loop import StreamLoop
from tests.rtl.support import run_bench


@pytest.mark.nightly_under("verilator")
def test_axi_stream(simulator: str, tmp_path: Path) -> None:
    parts = {name: StreamLoop(layout) for name, layout in LAYOUTS.items()}
    run_bench(simulator, parts, "tests.rtl.streams.bench_axis", tmp_path)
