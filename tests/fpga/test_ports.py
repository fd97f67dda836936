# amaranth: UnusedElaboratable=no
"""Ports keep their names and widths."""

import gc
import re
import warnings
from pathlib import Path

from amaranth.hdl import UnusedElaboratable

from syncfabric.fpga.designs import block_files
from syncfabric.rtl.static.agents import RingAgent
from syncfabric.sim.emit.naming import plain
from tests.fpga.ports import component_ports, listing

KNOWN = Path(__file__).with_name("ports.txt")


def test_ports_are_those_that_are_known() -> None:
    """Meant so? Then: python -m tests.fpga.ports > tests/fpga/ports.txt."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedElaboratable)
        found = list(listing())
        gc.collect()
    assert found == KNOWN.read_text(encoding="utf-8").splitlines()


def test_a_blocks_verilog_has_these_ports() -> None:
    text = block_files("reflex-ring-agent")["reflex-ring-agent.v"]
    module = re.search(r"^module reflex_ring_agent \(.*?^endmodule", text, re.DOTALL | re.MULTILINE)
    assert module
    found = set()
    port = r"^  (in|out)put +(?:wire|reg) +(?:\[(\d+):0\] )?(\w+)"
    for flow, high, name in re.findall(port, module[0], re.M):
        found.add((flow, name, int(high or 0) + 1))
    ports = {(flow, plain(name), width) for flow, name, width in component_ports(RingAgent(2))}
    assert found == ports | {("in", "clk", 1)}  # a flush takes the place of the reset
