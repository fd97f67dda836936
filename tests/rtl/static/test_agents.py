# amaranth: UnusedElaboratable=no
"""The agents' bench under each simulator."""

from pathlib import Path

import pytest
from amaranth.lib import wiring

from syncfabric.rtl.static.agents import RingAgent, TreeAgent
from tests.rtl.static.bench_agents import RINGS, TREES
from tests.rtl.support import run_bench


@pytest.mark.nightly_under("verilator")
def test_agents(simulator: str, tmp_path: Path) -> None:
    parts: dict[str, wiring.Component] = {name: RingAgent(b) for name, b in RINGS.items()}
    parts |= {name: TreeAgent() for name in TREES}
    run_bench(simulator, parts, "tests.rtl.static.bench_agents", tmp_path)
