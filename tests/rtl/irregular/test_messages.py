# amaranth: UnusedElaboratable=no
"""The benches of a barrier unit's parts under each simulator, and their ports."""

from pathlib import Path

import pytest

from syncfabric.rtl.irregular.register import TreeRegister
from syncfabric.rtl.irregular.sender import Sender
from syncfabric.rtl.irregular.sync_input import SyncInput
from tests.rtl.irregular import bench_register, bench_sender, bench_sync_input
from tests.rtl.support import ports, run_bench


@pytest.mark.long_under("verilator")
def test_messages(simulator: str, tmp_path: Path) -> None:
    parts = {
        **{
            name: SyncInput(spec, cycles) for name, (spec, cycles) in bench_sync_input.CASES.items()
        },
        **{name: Sender(bench_sender.SPEC, *case) for name, case in bench_sender.CASES.items()},
        **{name: TreeRegister(s, node=node) for name, (s, node) in bench_register.CASES.items()},
    }
    benches = (bench_sync_input, bench_sender, bench_register)
    run_bench(simulator, parts, ",".join(bench.__name__ for bench in benches), tmp_path)


@pytest.mark.parametrize("name", list(bench_register.CASES))
def test_ports(name: str) -> None:
    spec, node = bench_register.CASES[name]
    found = ports(TreeRegister(spec, node=node))
    links = 1 if node else spec.ports
    assert found["match"] == ("in", links)
    assert found["observe"] == ("out", 2 * ((2 if node else spec.ports) + 1 + spec.data_bits))
    assert ("chosen" in found) == (spec.operations == "all" and not node)
    assert ("arrive" in found) == node
