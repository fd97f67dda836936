"""cocotb benches: built and started under a simulator, and their verdicts read."""

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import find_libpython
from cocotb_tools import config

from syncfabric.models.errors import ToolError
from syncfabric.sim.simulators import Simulator
from syncfabric.sim.simulators.base import Built, Design
from syncfabric.sim.simulators.icarus import Icarus
from syncfabric.sim.simulators.process import last_lines, run_logged

PUBLIC = '`verilator_config\npublic_flat_rw -module "{top}" -var "*"\n'
"""The top's signals alone: cocotb's runner makes all public, which slows the build and the run."""


def build_cocotb(simulator: Simulator, design: Design) -> Built:
    """Build a design for cocotb, or take it from the cache."""
    if isinstance(simulator, Icarus):
        return simulator.build(design)
    with tempfile.TemporaryDirectory() as name:
        main, header, public = (Path(name, file) for file in ("main.cpp", "Vtop.h", "public.vlt"))
        shutil.copyfile(config.share_dir / "lib" / "verilator" / "verilator.cpp", main)
        header.write_text(f'#include "V{design.top}.h"\nusing Vtop = V{design.top};\n')
        public.write_text(PUBLIC.format(top=design.top))
        shown = replace(design, sources=[*design.sources, public])
        libraries = f"-Wl,-rpath,{config.libs_dir} -L{config.libs_dir} -lcocotbvpi_verilator"
        flags = ["--vpi", "-LDFLAGS", libraries]
        return simulator.build_native([shown], main, headers=[header], flags=flags)


class BenchError(AssertionError):
    """A bench found the design wrong; the message has the failures and where the log lies."""


def run_cocotb(
    simulator: Simulator,
    built: Built,
    test_module: str,
    *,
    folder: Path,
    env: Mapping[str, str] | None = None,
    plusargs: Sequence[str] = (),
    waves: Path | None = None,
    seconds: float | None = None,
) -> list[str]:
    """Run a cocotb bench on a build; return the names of its tests, all of which passed.

    Parameters
    ----------
    test_module : str
        Dotted name of the bench's module, importable in this process.
    folder : Path
        Where it runs, and where its log (``bench.log``) and results lie; made if missing. Two runs
        at the same time take two folders.
    env : mapping, optional
        Variables for the bench: how a caller hands it its configuration.
    waves : Path, optional
        Waveform (VCD) to write; the design must have been built with `trace`.
    seconds : float, optional
        Time after which the run is ended.

    Raises
    ------
    BenchError
        A test failed.
    ToolError
        None was run, or it did not end in time.
    """
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    log, results = folder / "bench.log", folder / "results.xml"
    log.unlink(missing_ok=True)
    results.unlink(missing_ok=True)
    library = os.environ.get("LIBPYTHON_LOC") or find_libpython.find_libpython()
    environment = {
        **os.environ,
        "GPI_USERS": f"{library};{config.pygpi_entry_point()}",
        "PYGPI_PYTHON_BIN": sys.executable,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "COCOTB_TOPLEVEL": built.design.top,
        "TOPLEVEL_LANG": "verilog",
        "COCOTB_TEST_MODULES": test_module,
        "COCOTB_RESULTS_FILE": str(results),
        **(env or {}),
    }
    dump = waves and waves.resolve()
    if isinstance(simulator, Icarus):
        runtime, *rest = simulator.command(built, waves=dump, plusargs=plusargs)
        command = [runtime, "-m", config.lib_entry("vpi", "icarus"), *rest]
    else:
        tracing = ["--trace", "--trace-file", str(dump)] if dump else []
        command = simulator.command(built, plusargs=[*tracing, *plusargs])
        environment["COCOTB_TRUST_INERTIAL_WRITES"] = "1"  # values are applied when cocotb says so
    run_logged(command, log, folder=folder, environment=environment, seconds=seconds)
    cases = ElementTree.parse(results).iter("testcase") if results.is_file() else ()
    made = [case for case in cases if case.find("skipped") is None]
    end = f"the end of {log}:\n{last_lines(log)}"
    if not made:
        raise ToolError(f"bench {test_module} ran no test under {simulator.name}; {end}")
    failed = [
        f"  {case.get('name')}: {child.get('error_msg') or child.get('message') or child.text}\n"
        for case in made
        for child in case
        if child.tag in ("failure", "error")
    ]
    if failed:
        said = "".join(failed)
        raise BenchError(f"bench {test_module} failed under {simulator.name}:\n{said}{end}")
    return [case.get("name", "") for case in made]
