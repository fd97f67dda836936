"""The probe: a line for every cycle in which something is on a wire, unknown values included."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.spec import AnySpec, StaticSpec
from syncfabric.sim.assemble.bench import probe_text
from syncfabric.sim.assemble.network import link_wires, targets, top_ports
from syncfabric.sim.drive.trace import parse
from tests.sim.assemble.icarus import runs
from tests.sim.drive.networks import irregular, mesh

SPEC = mesh(2, 1, groups=2, transport="routed", message_links="shared")
MESH_LINKS = ("link_0_0", "link_1_2")
EAST, WEST = (f"dut.{link}" for link in MESH_LINKS)
PAIR = Irregular(ports=3, switches=2, links=(((0, 0), (1, 1)),), nodes=((1, 2), (0, 1)))
"""Switch 0 has node 1 on port 1, switch 1 has node 0 on port 2; output 0 of switch 0 is link 0."""
PAIR_LINKS = ("link_0_0", "link_0_1", "link_1_1", "link_1_2", "uplink_0", "uplink_1")


def probed(spec: AnySpec, links: Iterable[str], cycles: Iterable[str], folder: Path) -> list[str]:
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
  reg clk = 0, rst = 1;
  reg [31:0] cycle = 0;
{outside}
  network dut();
  always #5 clk = !clk;
  always @(posedge clk) cycle <= rst ? 0 : cycle + 1;
{probe_text(spec, "dut")}
  initial begin
    @(negedge clk); @(negedge clk); rst = 0;
{steps}
    @(negedge clk); $finish;
  end
endmodule
"""
    runs(text, "top", folder, {})
    return (folder / "probe.txt").read_text().splitlines()


@pytest.mark.icarus
def test_a_line_a_cycle_in_which_something_happens(tmp_path: Path) -> None:
    lines = probed(
        SPEC,
        MESH_LINKS,
        [
            "",
            f"{EAST}_valid = 1; {EAST}_flit = 34'h2_0000_00ab; {WEST}_credit = 1;",
            f"{EAST}_valid = 0; {WEST}_credit = 0; {WEST}_sync_valid = 2; {WEST}_flit = 5;",
            f"{WEST}_sync_valid = 0; inject_valid = 2; inject_flit = 68'h7_0000_0000_0;",
            "inject_valid = 0; eject_valid = 1; eject_flit = 9; eject_credit = 2;",
            "eject_valid = 0; eject_credit = 0;",
            "released = 4'b1010; result = 16'h4321;",
            "released = 4'b0001; result = 16'h4321;",
            "released = 0; config_ready = 1; config_error = 1; config_rdata = 48;",
            f"config_ready = 0; {EAST}_sync_credit = 1;",
            f"{EAST}_sync_credit = 0;",
        ],
        tmp_path,
    )
    link = [1 << 3 * n for n in range(12)]
    assert lines == [
        f"1 {link[0]:x} {link[7]:x} 0 2000000ab",
        f"2 {link[7] << 2:x} 0 0 5",
        f"3 {link[11]:x} 0 0 {0x7_0000_0000_0 >> 34:x}",
        f"4 {link[4]:x} {link[9]:x} 0 9",
        "6 0 0 a 2 4 p0:0:0:0:21 p1:0:0:0:43",
        "o",
        "7 0 0 1 1",
        "o",
        "8 0 0 0 c1:30",
        f"9 0 {link[0] << 1:x} 0",
    ]


@pytest.mark.icarus
def test_an_unknown_value_is_printed(tmp_path: Path) -> None:
    lines = probed(
        SPEC,
        MESH_LINKS,
        [f"{EAST}_valid = 1'bx;", f"{EAST}_valid = 1; {EAST}_flit = 'bx;"],
        tmp_path,
    )
    for line, word in zip(lines, (1, 4), strict=False):
        assert "x" in line.split()[word].lower()
        with pytest.raises(ValueError, match=r"."):
            parse(line, 0)


@pytest.mark.icarus
def test_observed_state_is_printed_when_it_changes(tmp_path: Path) -> None:
    spec = StaticSpec(kind="static", width=2, height=1)
    lines = probed(
        spec,
        [f"link_{x}_0_{end}" for x in (0, 1) for end in (("east", "west")[x], "inject", "eject")],
        [
            "released = 2'b01; dut.node_1_0.observe = 1;",
            "released = 2'b10;",
            "dut.node_1_0.observe = 0; released = 0;",
            "released = 2'b11; dut.node_0_0.observe = 1;",
            "released = 0;",
        ],
        tmp_path,
    )
    assert lines == ["0 0 0 1 0", "o 1:1", "1 0 0 2 0", "o", "3 0 0 3 0 0", "o 0:1 1:0"]


@pytest.mark.icarus
def test_links_of_their_own(tmp_path: Path) -> None:
    lines = probed(
        mesh(2, 1, groups=2),
        MESH_LINKS,
        [
            f"{EAST}_valid = 1; {EAST}_flit = 6; {EAST}_sync_valid = 1; {EAST}_sync = 7;",
            f"{EAST}_valid = 0; {EAST}_sync_valid = 0;",
        ],
        tmp_path,
    )
    assert lines == ["0 3 0 0 6 7"]


@pytest.mark.icarus
@pytest.mark.parametrize(("message_links", "message"), [("own", "sync"), ("shared", "flit")])
def test_an_irregular_network(message_links: str, message: str, tmp_path: Path) -> None:
    """Two nodes of two registers."""
    spec = irregular(PAIR, channels=2, groups=2, message_links=message_links)
    across, down, up = (f"dut.{name}" for name in ("link_0_0", "link_1_2", "uplink_0"))
    lines = probed(
        spec,
        PAIR_LINKS,
        [
            f"{across}_valid = 2; {across}_flit = 6; {up}_sync_valid = 1; {up}_{message} = 7;",
            f"{across}_valid = 0; {up}_sync_valid = 0; {down}_credit = 1;",
            f"{down}_credit = 0; inject_valid = 1; eject_credit = 1;"
            "released = 4'b1000; result = 16'h4000;",
            "inject_valid = 0; released = 0; config_ready = 1; config_rdata = 5;",
            "config_ready = 0; released = 1;",
            "released = 0;",
        ],
        tmp_path,
    )
    bits = 3  # a link: two channels and messages
    numbers = {"link_0_0": 0, "link_1_2": 5, "uplink_0": 6}
    lane = {name: 1 << bits * number for name, number in numbers.items()}
    assert lines == [
        f"0 {2 * lane['link_0_0'] | 4 * lane['uplink_0']:x} 0 0 6 7",
        f"1 0 {lane['link_1_2']:x} 0",
        "2 0 0 8 4 p1:0:0:0:40",
        "o",
        "3 0 0 0 c0:5",
        "4 0 0 1 0",
        "o",
    ]


@pytest.mark.icarus
def test_messages_alone(tmp_path: Path) -> None:
    """One lane a link, five links a router, and two that lead from the nodes."""
    lines = probed(
        mesh(2, 1, channels=0, groups=2),
        MESH_LINKS,
        [
            f"{EAST}_sync_valid = 1; {EAST}_sync = 6; {WEST}_sync_valid = 1; {WEST}_sync = 7;",
            f"{EAST}_sync_valid = 0; {WEST}_sync_valid = 0;",
        ],
        tmp_path,
    )
    assert lines == [f"0 {1 | 1 << 7:x} 0 0 6 7"]


@pytest.mark.icarus
def test_words_of_slots(tmp_path: Path) -> None:
    """A link has lanes of packets, messages and two slots, whose words are 6 bits each."""
    lines = probed(
        mesh(2, 1, wires=2, groups=2),
        MESH_LINKS,
        [
            f"{EAST}_slots_valid = 1; {EAST}_slots = 12'hfeb;",
            f"{EAST}_slots_valid = 3; {EAST}_slots = 12'h0c5;"
            f"{WEST}_slots_valid = 2; {WEST}_slots = 12'h840;",
            f"{WEST}_slots_valid = 0; {EAST}_slots_valid = 1; {EAST}_slots = 9;"
            f"{EAST}_valid = 1; {EAST}_flit = 6; {EAST}_sync_valid = 1; {EAST}_sync = 7;",
            f"{EAST}_valid = 0; {EAST}_sync_valid = 0; {EAST}_slots_valid = 0;",
        ],
        tmp_path,
    )
    assert lines == ["0 4 0 0 2b", f"1 {0xC | 8 << 4 * 7:x} 0 0 5 3 21", "2 7 0 0 6 7 9"]


@pytest.mark.icarus
def test_words_of_slots_of_an_irregular_network(tmp_path: Path) -> None:
    across, up = "dut.link_0_0", "dut.uplink_1"
    lines = probed(
        irregular(PAIR, wires=1, data_bits=3),
        PAIR_LINKS,
        [
            f"{across}_valid = 1; {across}_flit = 6; {up}_slots_valid = 1; {up}_slots = 5'h15;",
            f"{across}_valid = 0; {up}_slots_valid = 0; {up}_sync_valid = 1; {up}_sync = 7;",
            f"{up}_sync_valid = 0;",
        ],
        tmp_path,
    )
    assert lines == [f"0 {1 | 4 << 3 * 7:x} 0 0 6 15", f"1 {2 << 3 * 7:x} 0 0 7"]


@pytest.mark.icarus
def test_wires_of_guards(tmp_path: Path) -> None:
    lines = probed(
        mesh(2, 1, check_bits=4),
        MESH_LINKS,
        [
            f"{WEST}_check = 5; {WEST}_probe = 1;",
            f"{WEST}_check = 0; {WEST}_probe = 0; {EAST}_sync_check = 9; {EAST}_empty = 1;",
            f"{EAST}_sync_check = 0; {EAST}_empty = 0;",
        ],
        tmp_path,
    )
    assert lines == ["0 0 0 0 g7:5:0:1:0", "1 0 0 0 g0:0:9:0:1"]
