"""What all benches of whole networks share."""

import re
from typing import Any

import pytest

from syncfabric.sim.assemble import bench

ZEROS = re.compile(r"(\w+)(\[\1_word\])\s*=\s*(\d+)'d0;")
"""What a memory begins with in emitted Verilog, unless it is a table."""


@pytest.fixture(autouse=True)
def memories_begin_in_any_state(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let memories of whole networks under Icarus begin as on a chip: with anything, not with 0."""
    made = bench.bench_verilog

    def any_state(*spec: Any, **keys: Any) -> str:
        return ZEROS.sub(r"\1\2 = {(\3 + 31) / 32{$random}};", made(*spec, **keys))

    monkeypatch.setattr(bench, "bench_verilog", any_state)
