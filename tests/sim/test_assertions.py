"""Assertions that are bound to a network: they hold, and each of them fails when it should."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from syncfabric import Network
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.assertions import assertions
from syncfabric.sim.simulators.verilator import Verilator

# What goes wrong in each instance: a signal and its value in the cycles from 4 on.
LINK = {
    "one_at_a_time": "valid = 3",
    "no_flit_without_credit": "valid = 1, flit = 4'hc",
    "no_credit_without_flit": "credit = 2",
    "head_begins_a_packet": "valid = 2, flit = 4'h8",
}
PORT = {
    "release_ends_an_arrival": "ready = 1, released = 1",
    "done_after_a_release": "ready = 1, arrive = cycle == 4, released = cycle == 6",
    "arrival_clears_done": "ready = 1, arrive = 1, done = 1",
    "group_ends_by_a_release": "ready = cycle == 4",
    "result_is_kept": "result = cycle",
}
GROUP = {"no_early_release": "ready = 7, arrive = cycle == 4 ? 3 : 0, released = cycle == 6"}
MESSAGE = {
    "zeros_above_a_message": "valid = 1, message = 6'h20",
    "go_and_broken_have_no_data": "valid = 1, message = 6'ha",
}
# Entry in bit 0, epoch in bits 1 and 2, kind in bits 3 and 4.
GO, PLAIN = "down_valid = cycle == 4, down = 5'h0a", "down = cycle == 4 ? 5'h0a : 5'h02"
EDGE = {
    "arrival_is_plain_or_last": f"{GO}, up_valid = cycle == 6, up = 5'h08",
    "arrival_after_an_answer": f"{GO}, up_valid = cycle == 6 || cycle == 8",
    "answer_after_an_arrival": f"down_valid = cycle == 4 || cycle == 6, {PLAIN}",
    "go_begins_a_group": "down_valid = cycle == 4 || cycle == 6, down = 5'h0a",
    "last_after_a_last": "down_valid = cycle == 4 || cycle == 8, up_valid = cycle == 6, "
    "down = cycle == 4 ? 5'h0a : 5'h12",
    "epoch_is_kept": "down_valid = cycle == 4 || cycle == 8, up_valid = cycle == 6, "
    "down = cycle == 4 ? 5'h0a : 5'h04",
    "epoch_of_an_arrival_is_kept": f"down_valid = cycle == 4 || cycle == 8, {PLAIN}, "
    "up_valid = cycle == 6 || cycle == 10, up = cycle == 10 ? 5'h02 : 5'h00",
}
SET_UP = {
    "no_packet_of_one_flit": "valid = 1, flit = 8",
    "replies_have_two_flits": "valid = 1, flit = cycle == 4 ? 4 : 0",
    "requests_are_set_up_start_or_kill": "valid = 1, flit = cycle == 4 ? 0 : 3",
    "kill_alone_has_two_flits": "valid = 1, flit = cycle == 4 ? 0 : 2",
}
SENT = "inject_valid = cycle == 4, inject_flit = 8'h0c"
PACKETS = {
    "no_packet_from_nothing": "eject_valid = 1, eject_flit = 8'h0c",
    "packets_are_whole": f"{SENT}, eject_valid = cycle == 6, eject_flit = 8'h0e",
    "head_is_for_this_node": f"{SENT}, eject_valid = cycle == 6, eject_flit = 8'h0d",
}
KINDS = {
    **{"link": LINK, "port": PORT, "group": GROUP, "message": MESSAGE},
    **{"edge": EDGE, "set_up": SET_UP, "packets": PACKETS},
}
WIRES = {
    "message": "valid = 0, [5:0] message = 0",
    "edge": "up_valid = 0, [4:0] up = 0, down_valid = 0, [4:0] down = 0",
    "set_up": "valid = 0, [3:0] flit = 0",
    "packets": "[1:0] inject_valid = 0, [7:0] inject_flit = 0, [1:0] eject_valid = 0, "
    "[7:0] eject_flit = 0",
    "link": "[1:0] valid = 0, [3:0] flit = 0, [1:0] credit = 0, shared = 0",
    "port": "arrive = 0, ready = 0, released = 0, done = 0, broken = 0, [3:0] result = 0",
    "group": "[2:0] arrive = 0, [2:0] ready = 0, [2:0] released = 0, [2:0] broken = 0",
}
NUMBERS = {
    "message": "WIRES(6), .WIDTH(5), .KIND(1), .DATA(3), .D(2)",
    "edge": "WIRES(5), .ENTRIES(1)",
    "set_up": "WIDTH(4), .TAIL(3), .REPLY(2)",
    "packets": "N(2), .C(1), .WIDTH(4), .HEAD(2), .TAIL(3), .F(2), .H(1), .HEADS(2)",
    "link": "CHANNELS(2), .WIDTH(4), .HEAD(2), .TAIL(3), .DEPTH(2)",
    "port": "R(1), .D(4)",
    "group": "M(3)",
}


def verilated(texts: dict[str, str], top: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Build a bench with assertions and run it to its end, whatever fails."""
    for name, text in texts.items():
        (folder / name).write_text(text)
    tool = Verilator.find()
    environment = {**os.environ, **tool.environment}
    command = [tool.program, "--binary", "--timing", "--assert", "--no-stop-fail", "-CFLAGS", "-O0"]
    command += ["-Wno-lint", "-Wno-UNOPTFLAT", "--top-module", top, *texts]
    built = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, env=environment
    )
    assert built.returncode == 0, built.stderr
    program = folder / "obj_dir" / f"V{top}"
    return subprocess.run([program], cwd=folder, capture_output=True, text=True, check=False)


def bench(kinds: dict[str, dict[str, str]]) -> str:
    """Return a bench with an instance for each fault, and one of each kind without any."""
    lines = ["module top;", "reg clk = 0, rst = 1; integer cycle = 0; always #5 clk = !clk;"]
    lines.append("always @(posedge clk) begin cycle <= cycle + 1; rst <= cycle < 2;")
    lines.append("if (cycle == 20) $finish; end")
    for kind, faults in kinds.items():
        names = re.findall(r"(\w+) = 0", WIRES[kind])
        pins = ", ".join(f".{name}({name})" for name in ("clk", "rst", *names))
        for place, fault in {**faults, "none": ""}.items():
            declared = "; ".join(f"reg {wire}" for wire in WIRES[kind].split(", "))
            lines.append(f"if (1) begin : {kind}_{place} {declared};")
            wrong = " ".join(f"{given};" for given in re.split(r", (?=\w+ = )", fault) if given)
            lines.append(f"always @(negedge clk) if (cycle >= 4) begin {wrong} end")
            lines.append(f"p_{kind}_sva #(.{NUMBERS[kind]}) watch ({pins}); end")
    return "\n".join([*lines, "endmodule"])


@pytest.mark.nightly
def test_each_fails_when_it_should(tmp_path: Path) -> None:
    kinds = KINDS
    text = assertions(Network.load("mesh-2x2").plan(), "p")
    watchers = text[: text.index("bind ")]
    named = re.findall(r"^ *(\w+): assert property", watchers, re.MULTILINE)
    assert {*named} == {name for faults in kinds.values() for name in faults}
    run = verilated({"top.v": bench(kinds), "watch.sv": watchers}, "top", tmp_path)
    seen = re.findall(
        r"Assertion failed in top\.(\w+)\.watch[.\w[\]]*\.(\w+):", run.stdout + run.stderr
    )
    failed = {(place, name) for place, name in seen}
    for kind, faults in kinds.items():
        for name in faults:
            assert (f"{kind}_{name}", name) in failed
        assert not [name for place, name in failed if place == f"{kind}_none"]


# Packets of three flits to nodes at random, from all nodes; what comes is taken at once.
TRAFFIC = """
  localparam W = {flit}, C = {channels}, H = {bits};
  reg [NODES*C-1:0] inject_valid = 0, eject_credit = 0;
  reg [NODES*W-1:0] inject_flit = 0;
  wire [NODES*C-1:0] inject_credit, eject_valid;
  wire [NODES*W-1:0] eject_flit;
  reg [NODES*H-1:0] heads = {heads};
  integer n, c, to, credits [0:NODES*C-1], at [0:NODES-1], lane [0:NODES-1], packets = 0;
  initial for (n = 0; n < NODES * C; n = n + 1) begin credits[n] = {depth}; at[n / C] = 0; end
  always @(posedge clk) eject_credit <= eject_valid;
  always @(negedge clk) if (!rst && cycle > 40) begin
    inject_valid = 0;
    for (n = 0; n < NODES; n = n + 1) begin
      if (at[n] == 0) lane[n] = $urandom % C{even};
      if (credits[n*C+lane[n]] > 0 && (at[n] > 0 || (cycle < 2000 && $urandom % 4 == 0))) begin
        to = (n + 1 + $urandom % (NODES - 1)) % NODES;
        credits[n*C+lane[n]] = credits[n*C+lane[n]] - 1;
        inject_valid[n*C+lane[n]] = 1;
        inject_flit[n*W+:W] = {{at[n] == 2, at[n] == 0, {{(W-2){{1'b0}}}}}};
        inject_flit[n*W+:H] = at[n] == 0 ? heads[to*H+:H] : $urandom;
        at[n] = (at[n] + 1) % 3;
        packets = packets + (at[n] == 0);
      end
      for (c = 0; c < C; c = c + 1) credits[n*C+c] = credits[n*C+c] + inject_credit[n*C+c];
    end
  end
"""


def with_packets(network: Network, bench: str) -> str:
    """Return a user's bench with packets beside its barriers, and a second phase without any."""
    spec = network.spec.network
    if isinstance(spec, StaticSpec) or not spec.channels:
        return bench
    shape = spec.shape
    bits = shape.header.offsets["reply"]
    text = TRAFFIC.format(
        flit=spec.layout.flit.width,
        channels=spec.channels,
        bits=bits,
        heads=f"{bits * len(shape.nodes)}'h"
        f"{sum(shape.header_of(place) << bits * i for i, place in enumerate(shape.nodes)):x}",
        depth=spec.shape.router.buffer_flits,
        even=" & ~1" if shape.datelines else "",
    )
    names = [f"{end}_{wire}" for end in ("inject", "eject") for wire in ("valid", "flit", "credit")]
    for name in names:
        bench, count = re.subn(rf"\.{name}\([^)]*\)", f".{name}({name})", bench)
        assert count == 1
    begin = bench.index("  reg clk = 0, rst = 1;")
    text = (
        bench[:begin]
        + "  integer cycle = 0;\n"
        + bench[begin:].replace("integer cycle = 0,", f"{text}\n  integer")
    )
    wait = 'while (cycle < 2200) @(negedge clk);\n    $display("%0d packets", packets);\n    '
    return text.replace("$finish", f"{wait}$finish")


ROUTED = """
name = "routed"
[network]
kind = "mesh"
transport = "routed"
width = 3
height = 2
[[group]]
id = 1
members = "all"
"""
SHARED = ROUTED.replace('transport = "routed"', 'message_links = "shared"\nlink_registers = 1')


@pytest.mark.nightly
@pytest.mark.parametrize(
    "name",
    ["mesh-2x2", "twins", "reflex-2x2", "vectors-rows", ROUTED, SHARED],
)
def test_they_hold_in_a_network_and_an_early_release_is_seen(name: str, tmp_path: Path) -> None:
    network = Network.loads(name) if "\n" in name else Network.load(name)
    name = network.spec.name
    files = {path.name: path.read_text() for path in network.build(tmp_path, sva=True)}
    texts = {file: files[file] for file in (f"{name}_tb.v", f"{name}.v", f"{name}_sva.sv")}
    top = f"{network.spec.module}_tb"
    texts[f"{name}_tb.v"] = with_packets(network, texts[f"{name}_tb.v"])
    run = verilated(texts, top, tmp_path)
    assert run.returncode == 0, run.stdout
    assert "PASS" in run.stdout
    assert "reflex" in name or int(re.findall(r"(\d+) packets", run.stdout)[0]) > 100
    assert "Assertion" not in run.stdout + run.stderr
    if name == "mesh-2x2":
        whole, early = "wire complete = ", "wire complete = 1'b1 | "
        assert texts[f"{name}.v"].count(whole) == 1
        texts[f"{name}.v"] = texts[f"{name}.v"].replace(whole, early)
        run = verilated(texts, top, tmp_path)
        assert "no_early_release" in run.stdout + run.stderr
