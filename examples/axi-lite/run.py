"""Runs the bench on the network and the driver that `make` has built."""

import os
import sys
from pathlib import Path

from cocotb_tools.check_results import get_results
from cocotb_tools.runner import get_runner

HERE = Path(__file__).resolve().parent
SIMULATOR = os.environ.get("SIM", "icarus")
BUILD = HERE / "build" / SIMULATOR

runner = get_runner(SIMULATOR)
runner.build(
    sources=[HERE / "build" / "soc.v"],
    hdl_toplevel="soc_axi",
    build_dir=BUILD,
    build_args=["-Wno-lint", "-Wno-UNOPTFLAT"] if SIMULATOR == "verilator" else [],
    timescale=("1ns", "1ps"),
)
results = runner.test(
    hdl_toplevel="soc_axi",
    test_module="test_driver",
    test_dir=HERE,
    results_xml=str(BUILD / "results.xml"),
    extra_env={"DRIVER": str(HERE / "build" / "driver.so"), "PYTHONPATH": str(HERE)},
)
tests, failed = get_results(results)
print(f"{tests} test, {failed} failed, {SIMULATOR}")
sys.exit(bool(failed or not tests))
