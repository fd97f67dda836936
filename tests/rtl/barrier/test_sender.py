"""The sender's bench under each simulator."""

from pathlib import Path

import pytest

from syncfabric.rtl.barrier.sender import Sender
from tests.rtl.barrier.bench_sender import CASES, network
from tests.rtl.support import run_bench


@pytest.mark.long_under("verilator")
def test_sender(simulator: str, tmp_path: Path) -> None:
    parts = {f"sources_{n}_{pipeline}": Sender(network(pipeline), n) for n, pipeline in CASES}
    run_bench(simulator, parts, "tests.rtl.barrier.bench_sender", tmp_path)
