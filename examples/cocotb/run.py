"""Builds the network of mine.toml and runs the bench on it: SIM=icarus or SIM=verilator."""

import os
import subprocess
import sys
from pathlib import Path

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

HERE = Path(__file__).resolve().parent
BUILD = HERE / "build"
SIMULATOR = os.environ.get("SIM", "icarus")

subprocess.run(["syncfabric", "build", "mine.toml", "-o", "build"], cwd=HERE, check=True)

runner = get_runner(SIMULATOR)
runner.build(
    sources=[BUILD / "mine.v"],
    hdl_toplevel="mine",
    build_dir=BUILD / SIMULATOR,
    build_args=["-Wno-lint", "-Wno-UNOPTFLAT"] if SIMULATOR == "verilator" else [],
    timescale=("1ns", "1ps"),
)
results = runner.test(
    hdl_toplevel="mine",
    test_module="test_barrier",
    test_dir=HERE,
    results_xml=str(BUILD / SIMULATOR / "results.xml"),
    extra_env={"BUILD": str(BUILD), "PYTHONPATH": str(HERE)},
)
tests, failed = get_results(results)
print(f"{tests} test, {failed} failed, {SIMULATOR}")
sys.exit(bool(failed or not tests))
