"""Assertions that are bound to a network: they hold, and each of them fails when it should."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from syncfabric import Network
from syncfabric.sim.assertions import assertions
from syncfabric.sim.simulators import Verilator

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
WIRES = {
    "link": "[1:0] valid = 0, [3:0] flit = 0, [1:0] credit = 0, shared = 0",
    "port": "arrive = 0, ready = 0, released = 0, done = 0, broken = 0, [3:0] result = 0",
    "group": "[2:0] arrive = 0, [2:0] ready = 0, [2:0] released = 0, [2:0] broken = 0",
}
NUMBERS = {
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
    command = [tool.program, "--binary", "--timing", "--assert", "--no-stop-fail", "-O0"]
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


def test_each_fails_when_it_should(tmp_path: Path) -> None:
    kinds = {"link": LINK, "port": PORT, "group": GROUP}
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


@pytest.mark.parametrize(
    "name",
    [
        "mesh-2x2",
        *(
            pytest.param(n, marks=pytest.mark.nightly)
            for n in ("twins", "reflex-2x2", "vectors-rows")
        ),
    ],
)
def test_they_hold_in_a_network_and_an_early_release_is_seen(name: str, tmp_path: Path) -> None:
    network = Network.load(name)
    files = {path.name: path.read_text() for path in network.build(tmp_path, sva=True)}
    texts = {file: files[file] for file in (f"{name}_tb.v", f"{name}.v", f"{name}_sva.sv")}
    top = f"{network.spec.module}_tb"
    run = verilated(texts, top, tmp_path)
    assert run.returncode == 0, run.stdout
    assert "PASS" in run.stdout
    assert "Assertion" not in run.stdout + run.stderr
    if name == "mesh-2x2":
        whole, early = "wire complete = ", "wire complete = 1'b1 | "
        assert texts[f"{name}.v"].count(whole) == 1
        texts[f"{name}.v"] = texts[f"{name}.v"].replace(whole, early)
        run = verilated(texts, top, tmp_path)
        assert "no_early_release" in run.stdout + run.stderr
