"""cocotb benches: found, started under a simulator, and their verdicts read."""

import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

from syncfabric.models.errors import ToolError, how_to_install
from syncfabric.sim.simulators.base import Built, Simulator
from syncfabric.sim.simulators.process import last_lines, run_logged

__all__ = ["BenchError", "BenchRun", "CaseResult", "cocotb_config", "run_cocotb"]

NO_COCOTB = f"cocotb is not installed; {how_to_install('sim')}"


class BenchError(AssertionError):
    """A bench found the design wrong; the message has the failures and where the log lies."""


@dataclass(frozen=True)
class CaseResult:
    """One test of a bench: its name, and its failure's first line (empty where it passed)."""

    name: str
    failure: str


@dataclass(frozen=True)
class BenchRun:
    """What came of a bench.

    Parameters
    ----------
    cases : tuple of CaseResult
        Its tests, in the order of running.
    seconds : float
        Wall-clock time, the start of the simulator included.
    log : Path
        What the simulator and the bench printed.
    """

    cases: tuple[CaseResult, ...]
    seconds: float
    log: Path

    @property
    def passed(self) -> bool:
        """Whether every test passed."""
        return not any(case.failure for case in self.cases)


def cocotb_config() -> ModuleType:
    """Give the module in which cocotb says where its files lie.

    Raises
    ------
    ToolError
        cocotb is not installed.
    """
    try:
        import cocotb_tools.config  # an extra: imported only by who simulates
    except ImportError as error:
        raise ToolError(NO_COCOTB) from error
    return cocotb_tools.config


def _environment(
    simulator: Simulator, built: Built, test_module: str, results: Path
) -> dict[str, str]:
    """Give the variables by which cocotb 2.1 finds Python, the bench and the top."""
    config = cocotb_config()
    import find_libpython  # comes with cocotb

    library = os.environ.get("LIBPYTHON_LOC") or find_libpython.find_libpython()
    if not library:
        package = "libpython{}.{}".format(*sys.version_info)
        raise ToolError(
            "the shared library of Python is missing, and cocotb needs it; "
            f"install it with: apt-get install {package}"
        )
    return {
        **os.environ,
        **simulator.bench_environment,
        "GPI_USERS": f"{library};{config.pygpi_entry_point()}",
        "PYGPI_PYTHON_BIN": sys.executable,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "COCOTB_TOPLEVEL": built.design.top,
        "TOPLEVEL_LANG": "verilog",
        "COCOTB_TEST_MODULES": test_module,
        "COCOTB_RESULTS_FILE": str(results),
    }


def _read_results(results: Path) -> tuple[CaseResult, ...]:
    """Read the verdicts from the JUnit file that cocotb leaves."""
    cases = []
    for case in ElementTree.parse(results).iter("testcase"):
        if case.find("skipped") is not None:
            continue
        bad = next((child for child in case if child.tag in ("failure", "error")), None)
        text = (
            ""
            if bad is None
            else (bad.get("error_msg") or bad.get("message") or bad.text or "failed")
        )
        cases.append(CaseResult(case.get("name", "?"), text.strip().partition("\n")[0]))
    return tuple(cases)


def run_cocotb(
    simulator: Simulator,
    built: Built,
    test_module: str,
    *,
    folder: Path,
    env: Mapping[str, str] | None = None,
    plusargs: Sequence[str] = (),
    waves: Path | None = None,
    seed: int | None = None,
    seconds: float | None = None,
    check: bool = True,
    on_line: Callable[[str], None] | None = None,
) -> BenchRun:
    """Run a cocotb bench on a build.

    Parameters
    ----------
    simulator, built
        What built the design, and what it built.
    test_module : str
        Dotted name of the bench's module, importable in this process.
    folder : Path
        Where it runs, and where its log (``bench.log``) and results lie; made if missing. Two runs
        at the same time take two folders.
    env : mapping, optional
        Variables for the bench: how a caller hands it its configuration.
    plusargs : sequence of str
        Further arguments of the simulation, each with its ``+``.
    waves : Path, optional
        Waveform (VCD) to write; the design must have been built with `trace`.
    seed : int, optional
        Seed of ``random`` in the bench.
    seconds : float, optional
        Time after which the run is ended.
    check : bool
        Raise if a test of the bench fails.
    on_line : callable, optional
        Is given every line that the run prints.

    Raises
    ------
    BenchError
        A test failed, and `check` is true.
    ToolError
        The simulation broke off, ran no test at all, or did not end in time.
    """
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    log, results = folder / "bench.log", folder / "results.xml"
    log.unlink(missing_ok=True)
    results.unlink(missing_ok=True)
    if waves is not None and not built.design.trace:
        raise ToolError(f"{built.design.top} was built without waveforms; build it with trace")

    environment = _environment(simulator, built, test_module, results)
    if seed is not None:
        environment["COCOTB_RANDOM_SEED"] = str(seed)
    environment.update(env or {})
    command = simulator.command(built, waves=waves and waves.resolve(), plusargs=plusargs)
    begin = time.perf_counter()
    code = run_logged(
        command, log, folder=folder, environment=environment, seconds=seconds, on_line=on_line
    )
    taken = time.perf_counter() - begin
    cases = _read_results(results) if results.is_file() else ()
    if not cases:
        raise ToolError(
            f"bench {test_module} ran no test under {simulator.name} (exit code {code}); "
            f"the end of {log}:\n{last_lines(log)}"
        )
    run = BenchRun(cases, taken, log)
    if check and not run.passed:
        failed = "\n".join(f"  {case.name}: {case.failure}" for case in cases if case.failure)
        raise BenchError(
            f"bench {test_module} failed under {simulator.name}:\n{failed}\n"
            f"the end of {log}:\n{last_lines(log)}"
        )
    return run
