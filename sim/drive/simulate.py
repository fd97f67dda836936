"""A job under a simulator: built, started, and its outcomes read back."""

from __future__ import annotations

import pickle
import re
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from syncfabric.models.errors import ToolError
from syncfabric.models.networks.spec import (
    AnySpec,
)
from syncfabric.sim.assemble.bench import BENCH, NETWORK, PUBLIC, bench_verilog, shared_modules
from syncfabric.sim.drive.conduct import conduct_model
from syncfabric.sim.drive.recording import COLUMNS
from syncfabric.sim.drive.scenario import Job, Outcome
from syncfabric.sim.netlist import Netlist
from syncfabric.sim.simulators import Built, Design, find_simulator, run_cocotb

__all__ = ["Simulation", "build_bench", "run_model", "simulate"]

_BENCH_MODULE = "syncfabric.sim.drive.bench_network"
_PROGRESS = re.compile(r"^syncfabric-progress (\d+) (\d+)$")

Told = Callable[[int, int], None]
"""Is told how many episodes and lives are done, of how many."""


@dataclass(frozen=True)
class Simulation:
    """Outcomes of a job's runs, in order, and what they took."""

    outcomes: list[Outcome]
    build_seconds: float
    run_seconds: float


def build_bench(
    spec: AnySpec,
    sim: str,
    *,
    waves: bool = False,
    queue: int = 16384,
    netlist: Netlist | None = None,
) -> Built:
    """Build the bench of a network, or take it from the cache.

    Raises
    ------
    ToolError
        The simulator, or what makes the netlist, is missing, or refused the design.
    """
    mapped = netlist.make(spec, NETWORK) if netlist else ""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "bench.v"
        source.write_text(bench_verilog(spec, queue=queue, netlist=mapped))
        design = Design(
            top=BENCH,
            sources=[source],
            public=PUBLIC,
            no_inline=() if netlist else shared_modules(spec),
            trace=waves,
        )
        return find_simulator(sim).build(design)


def simulate(
    job: Job,
    built: Built,
    *,
    folder: Path | None = None,
    waves: Path | None = None,
    told: Told | None = None,
    seconds: float | None = None,
) -> Simulation:
    """Run a job on a build.

    Parameters
    ----------
    job : Job
    built : Built
        Of ``build_bench``, for the network of the job.
    folder : Path, optional
        Where the bench's files go; a passing one by default.
    waves : Path, optional
        Waveform to write.
    told : callable, optional
        Progress.
    seconds : float, optional
        After which the run is ended.

    Raises
    ------
    ToolError
        The simulation broke off.
    """
    with ExitStack() as stack:
        if folder is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder = folder.resolve()
        path = folder / "job.pickle"
        path.write_bytes(pickle.dumps(job))

        def on_line(line: str) -> None:
            if told and (match := _PROGRESS.match(line.strip())):
                told(int(match[1]), int(match[2]))

        run = run_cocotb(
            find_simulator(built.simulator),
            built,
            _BENCH_MODULE,
            folder=folder,
            env={"SYNCFABRIC_JOB": str(path)},
            plusargs=[f"+{name}={folder / name}.txt" for name in ("script", "probe", "report")],
            waves=waves,
            seconds=seconds,
            check=False,
            on_line=on_line,
        )
        outcomes = folder / "outcomes.pickle"
        if not outcomes.is_file():
            raise ToolError(
                f"the bench broke off under {built.simulator}: {run.cases[0].failure}; "
                f"see {run.log}"
            )
        read: list[Outcome] = pickle.loads(outcomes.read_bytes())
    return Simulation(read, built.seconds, run.seconds)


def run_model(job: Job, *, told: Told | None = None) -> Simulation:
    """Run a job with the golden model alone."""
    outcomes = []
    with ExitStack() as stack:
        log = stack.enter_context(open(job.log, "w", newline="")) if job.log else None
        if log:
            log.write(",".join(COLUMNS) + "\n")
        for plan, scenario in job.runs:
            outcomes.append(conduct_model(plan, scenario, job, log, told=told).outcome(None))
    return Simulation(outcomes, 0.0, sum(outcome.seconds for outcome in outcomes))
