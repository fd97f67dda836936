"""The sender's bench under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.barrier.sender import Sender
from tests.rtl.barrier.bench_sender import SOURCES, SPEC
from tests.rtl.support import run_bench


@pytest.mark.long_under("verilator")
def test_sender(simulator: str, tmp_path: Path) -> None:
    parts = {f"sources_{sources}": Sender(SPEC, sources) for sources in SOURCES}
    run_bench(simulator, parts, "tests.rtl.barrier.bench_sender", tmp_path)
