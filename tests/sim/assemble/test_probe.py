"""The probe: a line for every cycle in which something is on a wire, unknown values included."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.sim.assemble.mesh import link_wires, observe_bits, top_ports
from syncfabric.sim.assemble.probe import bits_a_link, link_count, probe_text
from syncfabric.sim.drive.lines import parse
from tests.sim.assemble.icarus import runs
from tests.sim.drive.networks import mesh

SPEC = mesh(2, 1, barrier_registers=2, data_bits=4)


def test_links_and_bits() -> None:
    assert bits_a_link(mesh(4, 4, channels=3)) == 5
    assert link_count(mesh(4, 3)) == 72


def probed(spec: MeshSpec, cycles: Iterable[str], folder: Path) -> list[str]:
    """Set wires by hand, cycle by cycle; return the probe's lines."""
    outside = "\n".join(
        f"  reg [{(width or 1) - 1}:0] {name} = 0;"
        for _, name, width in top_ports(spec)
        if width != 0 and name not in ("clk", "rst")
    )
    inside = "\n".join(
        f"  reg [{width - 1}:0] link_{x}_0_{side}_{wire} = 0;"
        for x, side in ((0, "east"), (1, "west"))
        for wire, width in link_wires(spec).items()
    )
    nodes = "\n".join(f"  state #({observe_bits(spec)}) node_{x}_0();" for x in range(2))
    steps = "\n".join(f"    {step} @(negedge clk);" for step in cycles)
    text = f"""
module state #(parameter W = 1); reg [W-1:0] observe = 0; endmodule
module network;
{inside}
{nodes}
endmodule
module top;
  reg clk = 0, rst = 1, load = 0;
  reg [31:0] cycle = 0;
{outside}
  network dut();
  always #5 clk = !clk;
  always @(posedge clk) cycle <= rst ? 0 : cycle + 1;
{probe_text(spec, "dut")}
  initial begin
    @(negedge clk); @(negedge clk); rst = 0;
{steps}
    load = 1; @(negedge clk); $finish;
  end
endmodule
"""
    runs(text, "top", folder, {})
    return (folder / "probe.txt").read_text().splitlines()


@pytest.mark.icarus
def test_a_line_a_cycle_in_which_something_happens(tmp_path: Path) -> None:
    east, west = "dut.link_0_0_east", "dut.link_1_0_west"
    lines = probed(
        SPEC,
        [
            "",
            f"{east}_valid = 1; {east}_flit = 34'h2_0000_00ab; {west}_credit = 1;",
            f"{east}_valid = 0; {west}_credit = 0; {west}_sync_valid = 2; {west}_flit = 5;",
            f"{west}_sync_valid = 0; inject_valid = 2; inject_flit = 68'h7_0000_0000_0;",
            "inject_valid = 0; eject_valid = 1; eject_flit = 9; eject_credit = 2;",
            "eject_valid = 0; eject_credit = 0;",
            "released = 4'b1010; result = 16'h4321; dut.node_1_0.observe = 12;",
            "released = 4'b0001; result = 16'h4321;",
            "released = 0; config_ready = 1; config_error = 1; config_rdata = 48;",
            "config_ready = 0;",
        ],
        tmp_path,
    )
    link = [1 << 3 * n for n in range(12)]
    assert lines == [
        f"1 {link[0]:x} {link[7]:x} 0 2000000ab",
        f"2 {link[7] << 2:x} 0 0 5",
        f"3 {link[11]:x} 0 0 {0x7_0000_0000_0 >> 34:x}",
        f"4 {link[4]:x} {link[9]:x} 0 9",
        "6 0 0 a 2 4",
        "o 1:c",
        "7 0 0 1 1",
        "o",
        "8 0 0 0 c1:30",
    ]


@pytest.mark.icarus
def test_an_unknown_value_is_printed(tmp_path: Path) -> None:
    east = "dut.link_0_0_east"
    lines = probed(
        SPEC, [f"{east}_valid = 1'bx;", f"{east}_valid = 1; {east}_flit = 'bx;"], tmp_path
    )
    for line, word in zip(lines, (1, 4), strict=False):
        assert "x" in line.split()[word].lower()
        with pytest.raises(ValueError, match=r"."):
            parse(line, 0)


@pytest.mark.icarus
def test_spilled_groups_and_links_of_their_own(tmp_path: Path) -> None:
    spec = mesh(2, 1, spill=True, sync_links="own", barrier_registers=1)
    east = "dut.link_0_0_east"
    lines = probed(
        spec,
        [
            f"{east}_valid = 1; {east}_flit = 6; {east}_sync_valid = 1; {east}_sync = 7;",
            f"{east}_valid = 0; {east}_sync_valid = 0; spill_release_valid = 2;"
            "spill_release_gid = 16'h2a00; spill_release_result = 8'h90;",
            "spill_release_valid = 0;",
        ],
        tmp_path,
    )
    assert lines == ["0 3 0 0 6 7", "1 0 0 0 s1:2a:9", "o"]
