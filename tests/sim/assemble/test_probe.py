"""The probe: a line for every cycle in which something is on a wire, unknown values included."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.sim.assemble.network import link_wires, targets, top_ports
from syncfabric.sim.assemble.probe import probe_text
from syncfabric.sim.drive.lines import parse
from tests.sim.assemble.icarus import runs
from tests.sim.drive.networks import irregular, mesh

SPEC = mesh(2, 1, barrier_registers=2, data_bits=4)
MESH_LINKS = ("link_0_0_east", "link_1_0_west")
PAIR = Irregular(ports=3, switches=2, links=(((0, 0), (1, 1)),), nodes=((1, 2), (0, 1)))
"""Switch 0 has node 1 on port 1, switch 1 has node 0 on port 2; output 0 of switch 0 is link 0."""
PAIR_LINKS = ("link_0_0", "link_0_1", "link_1_1", "link_1_2", "uplink_0", "uplink_1")


def probed(
    spec: RegisterSpec, links: Iterable[str], cycles: Iterable[str], folder: Path
) -> list[str]:
    """Set the wires of links by hand, cycle by cycle; return the probe's lines."""
    outside = "\n".join(
        f"  reg [{(width or 1) - 1}:0] {name} = 0;"
        for _, name, width in top_ports(spec)
        if width != 0 and name not in ("clk", "rst")
    )
    inside = "\n".join(
        f"  reg [{width - 1}:0] {link}_{wire} = 0;"
        for link in links
        for wire, width in link_wires(spec).items()
    )
    nodes = "\n".join(f"  state #({width}) {instance}();" for instance, width in targets(spec))
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
        MESH_LINKS,
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
        SPEC,
        MESH_LINKS,
        [f"{east}_valid = 1'bx;", f"{east}_valid = 1; {east}_flit = 'bx;"],
        tmp_path,
    )
    for line, word in zip(lines, (1, 4), strict=False):
        assert "x" in line.split()[word].lower()
        with pytest.raises(ValueError, match=r"."):
            parse(line, 0)


@pytest.mark.icarus
def test_links_of_their_own(tmp_path: Path) -> None:
    spec = mesh(2, 1, sync_links="own", barrier_registers=1)
    east = "dut.link_0_0_east"
    lines = probed(
        spec,
        MESH_LINKS,
        [
            f"{east}_valid = 1; {east}_flit = 6; {east}_sync_valid = 1; {east}_sync = 7;",
            f"{east}_valid = 0; {east}_sync_valid = 0;",
        ],
        tmp_path,
    )
    assert lines == ["0 3 0 0 6 7"]


@pytest.mark.icarus
@pytest.mark.parametrize("buffered", [False, True])
def test_an_irregular_network(buffered: bool, tmp_path: Path) -> None:
    spec = irregular(
        PAIR, channels=2, operations="all" if buffered else "bitwise", barrier_registers=1
    )
    across, down, up = (f"dut.{name}" for name in ("link_0_0", "link_1_2", "uplink_0"))
    given, taken = (f"{down}_sync_credit = {bit};" if buffered else "" for bit in "10")
    lines = probed(
        spec,
        PAIR_LINKS,
        [
            f"{across}_valid = 2; {across}_flit = 6; {up}_sync_valid = 1; {up}_flit = 7;",
            f"{across}_valid = 0; {up}_sync_valid = 0; {down}_credit = 1; {given}",
            f"{down}_credit = 0; {taken} inject_valid = 1; eject_credit = 1;"
            "released = 2'b10; result = 12'h040; dut.node_1.observe = 9;"
            "dut.switch_1.observe = 10;",
            "inject_valid = 0; released = 0; config_ready = 1; config_rdata = 5;",
            "config_ready = 0; released = 1; dut.switch_1.observe = 0;",
            "released = 0;",
        ],
        tmp_path,
    )
    bits = 3  # a link: two channels and synchronization
    numbers = {"link_0_0": 0, "link_1_2": 5, "uplink_0": 6}
    lane = {name: 1 << bits * number for name, number in numbers.items()}
    assert lines == [
        f"0 {2 * lane['link_0_0'] | 4 * lane['uplink_0']:x} 0 0 6 7",
        f"1 0 {lane['link_1_2'] * (5 if buffered else 1):x} 0",
        "2 0 0 2 1",
        "o 1:9 3:a",
        "3 0 0 0 c0:5",
        "4 0 0 1 0",
        "o 3:0",
    ]


@pytest.mark.icarus
def test_messages_alone(tmp_path: Path) -> None:
    """Two lanes a link, five links a router, and two that lead from the nodes."""
    spec = mesh(2, 1, channels=0, barrier_registers=1)
    east, west = "dut.link_0_0_east", "dut.link_1_0_west"
    lines = probed(
        spec,
        MESH_LINKS,
        [
            f"{east}_sync_valid = 2; {east}_sync = 6; {west}_sync_valid = 1; {west}_sync = 7;",
            f"{east}_sync_valid = 0; {west}_sync_valid = 0; {east}_sync_credit = 1;",
            f"{east}_sync_credit = 0;",
        ],
        tmp_path,
    )
    assert lines == [f"0 {2 | 1 << 14:x} 0 0 6 7", "1 0 1 0"]


@pytest.mark.icarus
def test_words_of_wires_that_change(tmp_path: Path) -> None:
    """Two slots of 4 bits: up, down, data of each, parity; data count where the wire is 1."""
    spec = mesh(2, 1, sync="wires", channels=0, barrier_registers=2, data_bits=4, parity=True)
    east, west = "dut.link_0_0_east_wires", "dut.link_1_0_west_wires"
    lines = probed(
        spec,
        MESH_LINKS,
        [
            f"{east} = 21'h0_0ab0;",
            f"{east} = 21'h0_0ab2;",
            "",
            f"{east} = 21'h1_cdb5; {west} = 21'h0_0008;",
            f"{west} = 21'h1_cdb8; config_ready = 1; config_rdata = 3;",
            f"{west} = 21'h1_cdbb; config_ready = 0; released = 4'b0100; result = 16'h0500;",
            f"released = 0; {east} = 21'h1fffff;",
            f"{east} = 0; {west} = 0;",
        ],
        tmp_path,
    )
    assert lines == [
        "1 0 0 0 w0:a02",
        "3 0 0 0 w0:c0b5 w6:8",
        "4 0 0 0 w6:10008 c0:3",
        "5 0 0 4 5 w6:10dbb",
        "o",
        "6 0 0 0 w0:1fffff",
        "7 0 0 0 w0:0 w6:0",
    ]


@pytest.mark.icarus
def test_words_of_wires_beside_flits(tmp_path: Path) -> None:
    spec = irregular(PAIR, sync="both", wires="shared", barrier_registers=1, data_bits=3)
    across, up = "dut.link_0_0", "dut.uplink_1"
    lines = probed(
        spec,
        PAIR_LINKS,
        [
            f"{across}_valid = 1; {across}_flit = 6; {up}_wires = 4'b0111; {across}_wires = 14;",
            f"{across}_valid = 0; {up}_sync_valid = 1; {up}_flit = 7;",
            f"{up}_sync_valid = 0; {across}_wires = 1; {up}_wires = 4'b0101;",
        ],
        tmp_path,
    )
    assert lines == ["0 1 0 0 6 w7:7", "1 8000 0 0 7", "2 0 0 0 w0:1 w7:5"]
