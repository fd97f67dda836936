"""Back ends: what plays a job's scenarios, and hands their outcomes back.

``model`` is the golden model alone; ``verilator`` the network as a fabric of tiles (`sim.fabric`);
``icarus``, and `simulate` with a build of either simulator, the network's own top under cocotb.
"""

from __future__ import annotations

import pickle
import re
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from syncfabric.models.errors import ToolError
from syncfabric.models.networks.spec import AnySpec, GroupSpec, NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.assemble.script import script_text
from syncfabric.sim.drive.log import log_file
from syncfabric.sim.drive.runner import Progress, Runner, ScenarioRunner
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario
from syncfabric.sim.drive.trace import Chunk
from syncfabric.sim.progress import Progress as Stages
from syncfabric.sim.progress import silent, stage
from syncfabric.sim.request import Netlist

__all__ = [
    "Simulation",
    "build_bench",
    "measure",
    "measure_runs",
    "plan_of",
    "play",
    "run_job",
    "run_model",
    "simulate",
    "simulate_tiles",
]

_BENCH_MODULE = "syncfabric.sim.drive.bench_network"
_PROGRESS = re.compile(r"^syncfabric-progress (\d+) (\d+)$")

if TYPE_CHECKING:
    from syncfabric.sim.fabric.program import Fabric
    from syncfabric.sim.simulators.base import Built

T = TypeVar("T")


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
    from syncfabric.sim.assemble.bench import (
        BENCH,
        NETWORK,
        PUBLIC,
        bench_verilog,
        shared_modules,
    )
    from syncfabric.sim.simulators import Design, find_simulator

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
    told: Progress | None = None,
    seconds: float | None = None,
) -> Simulation:
    """Run a job on a build of ``build_bench``.

    Parameters
    ----------
    folder : Path, optional
        Where the bench's files go; a temporary one by default.
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
    from syncfabric.sim.simulators import find_simulator, run_cocotb

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


def run_job(
    job: Job,
    sim: str,
    *,
    waves: Path | None = None,
    netlist: Netlist | None = None,
    told: Progress | None = None,
    progress: Stages = silent,
) -> Simulation:
    """Run a job on a back end, hardware and golden model compared in every cycle.

    Parameters
    ----------
    job : Job
    sim : {"model", "verilator", "icarus"}
    waves : Path, optional
        Waveform to write, of the first run; not with the model.
    netlist : Netlist, optional
        What runs under Icarus in place of the network's RTL.
    told : callable, optional
        Progress of the runs.
    progress : Progress
        Of the build, and of the runs as a whole where there is no ``told``.

    Raises
    ------
    ToolError
        The simulator is missing, or broke off.
    """
    if sim == "model":
        return run_model(job, told=told)
    spec, tiles, traced = job.runs[0][0].spec.network, sim == "verilator", waves is not None
    with stage(progress, "build"):
        if tiles:
            from syncfabric.sim.fabric.program import build_fabric

            built = build_fabric(spec, waves=traced)
        else:
            built = build_bench(spec, sim, waves=traced, netlist=netlist)
    run = simulate_tiles if tiles else simulate
    if told is not None:
        return run(job, built, waves=waves, told=told)
    with stage(progress, "simulate"):
        return run(job, built, waves=waves)


def run_model(job: Job, *, told: Progress | None = None) -> Simulation:
    """Run a job with the golden model alone."""
    with log_file(job.log) as log:
        outcomes = [ScenarioRunner(*run, job, log).run_model(told) for run in job.runs]
    return Simulation(outcomes, 0.0, sum(outcome.seconds for outcome in outcomes))


def simulate_tiles(
    job: Job, built: Built, *, waves: Path | None = None, told: Progress | None = None
) -> Simulation:
    """Run a job on a fabric of tiles, of ``build_fabric``; ``waves`` are of the first run.

    Raises
    ------
    ToolError
        The simulation broke off.
    """
    from syncfabric.sim.fabric.program import Fabric

    begin = time.perf_counter()
    outcomes: list[Outcome] = []
    with log_file(job.log) as log:
        for run in job.runs:
            with Fabric(built) as fabric:
                if waves and not outcomes:
                    fabric.waves(waves.resolve())
                outcomes.append(play(fabric, ScenarioRunner(*run, job, log), told))
    return Simulation(outcomes, built.seconds, time.perf_counter() - begin)


def play(fabric: Fabric, runner: Runner[T, Any], told: Progress | None = None) -> T:
    """Play a scenario on a fabric that has just been reset; afterwards its probe is off.

    While the hardware plays a chunk, the model makes the next.

    Raises
    ------
    ToolError
        The simulation broke off.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        script, probe = folder / "script.txt", folder / "probe.txt"
        fabric.probe(probe)
        lines = stack.enter_context(probe.open())
        played: Chunk | None = None
        while not runner.finished:
            chunk = runner.advance()
            if played:
                fabric.end()
                runner.take(played, lines.read().splitlines())
            script.write_text(script_text(chunk.stimuli))
            fabric.script(script)
            if chunk.faults:
                fabric.faults(chunk.faults, folder)
            fabric.begin(chunk.end - chunk.first)
            played = chunk
            if told:
                told(*runner.progress)
        if played:
            fabric.end()
            if not runner.checker.mismatches:
                runner.take(played, lines.read().splitlines())
        fabric.probe(None)
        return runner.outcome([list(counts.values()) for counts in fabric.report()])


def plan_of(
    network: AnySpec, members: Iterable[tuple[int, int]] | None = None, planner: str = ""
) -> BarrierPlan:
    """Plan one group of some nodes, or all, by a planner, or the network's own."""
    chosen = tuple(network.topology.nodes if members is None else members)
    groups = (GroupSpec(id=1, members=chosen, planner=planner),)
    return make_plan(NetworkSpec(name="figure", network=network, groups=groups))


def measure(plan: BarrierPlan, scenarios: Iterable[Scenario]) -> list[Outcome]:
    """Run scenarios of one plan; see ``measure_runs``."""
    return measure_runs([(plan, scenario) for scenario in scenarios])


def measure_runs(runs: Sequence[tuple[BarrierPlan, Scenario]]) -> list[Outcome]:
    """Run plans of one network under Verilator, compared with the golden model in every cycle.

    Raises
    ------
    RuntimeError
        Hardware and model differ, or a scenario does not come to an end.
    ToolError
        Verilator or the C++ compiler is missing.
    """
    from syncfabric.sim.fabric.program import build_fabric

    built = build_fabric(runs[0][0].spec.network)
    outcomes = simulate_tiles(Job(tuple(runs)), built).outcomes
    for (plan, scenario), outcome in zip(runs, outcomes, strict=True):
        if outcome.mismatches or outcome.hang:
            words = f"{scenario.scheme or plan.groups[0].planner}, {scenario.policy}"
            raise RuntimeError(f"{words}: {outcome.mismatches[:1]} {outcome.hang}")
    return outcomes
