"""Back ends: what plays a job's scenarios, and hands their outcomes back.

``model`` is the golden model alone; ``verilator`` the network as a fabric of tiles (`sim.fabric`);
``icarus`` the network's own top. All are open loop: the golden model makes the stimuli.
"""

from __future__ import annotations

import os
import re
import tempfile
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import zip_longest
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from syncfabric.models.networks.spec import AnySpec, GroupSpec, NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.assemble.script import script_text
from syncfabric.sim.drive.log import log_file
from syncfabric.sim.drive.memories import Stored
from syncfabric.sim.drive.runner import Progress, Runner, ScenarioRunner
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario
from syncfabric.sim.drive.trace import Chunk
from syncfabric.sim.progress import Progress as Stages
from syncfabric.sim.progress import silent, stage
from syncfabric.sim.request import Netlist

CYCLE = re.compile(r"cycle (\d+)")

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
    spec: AnySpec, *, waves: bool = False, queue: int = 16384, netlist: Netlist | None = None
) -> Built:
    """Build the bench of a network for Icarus, or take it from the cache.

    Raises
    ------
    ToolError
        The simulator, or what makes the netlist, is missing, or refused the design.
    """
    from syncfabric.sim.assemble.bench import BENCH, bench_verilog
    from syncfabric.sim.assemble.verilog import NETWORK
    from syncfabric.sim.simulators.base import Design
    from syncfabric.sim.simulators.icarus import Icarus

    mapped = netlist.make(spec, NETWORK) if netlist else ""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "bench.v"
        source.write_text(bench_verilog(spec, queue=queue, netlist=mapped))
        return Icarus.find().build(Design(top=BENCH, sources=[source], trace=waves))


def play_bench(
    built: Built,
    runner: ScenarioRunner,
    *,
    waves: Path | None = None,
    report: Progress | None = None,
) -> Outcome:
    """Let the model make all stimuli, play them on a build of ``build_bench``, and compare."""
    chunks, reached = [], [(0, runner.progress)]
    while not runner.finished:
        chunks.append(runner.advance())
        reached.append((chunks[-1].end, runner.progress))

    def on_line(line: str) -> None:
        if report and (match := CYCLE.match(line)):
            place = bisect_right(reached, int(match[1]), key=itemgetter(0)) - 1
            report(*reached[place][1])

    script = script_text(stimulus for chunk in chunks for stimulus in chunk.stimuli)
    cycles = reached[-1][0]
    lines, traffic, entries = run_bench(built, script, cycles, waves=waves, on_line=on_line)
    if report:
        report(*runner.progress)
    for chunk in chunks:
        if not runner.checker.mismatches:
            count = next((i for i, line in enumerate(lines) if _cycle(line) >= chunk.end), None)
            runner.take(chunk, lines[:count])
            lines = lines[len(lines) if count is None else count :]
    runner.take_entries(entries)
    return runner.outcome(traffic)


def _cycle(line: str) -> int:
    """Return the cycle of a line of the probe; -1: that of the line before."""
    return -1 if line[0] == "o" else int(line.partition(" ")[0], 16)


def run_bench(
    built: Built,
    script: str,
    cycles: int,
    *,
    waves: Path | None = None,
    on_line: Callable[[str], None] | None = None,
) -> tuple[list[str], list[list[int]], list[list[Stored]]]:
    """Play a script; return the probe's lines, the traffic's report, and the engines' entries.

    A number of the report is -1 if it has unknown bits.

    Raises
    ------
    ToolError
        The simulation broke off.
    """
    from syncfabric.sim.simulators.icarus import Icarus
    from syncfabric.sim.simulators.process import run_tool

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = {file: folder / f"{file}.txt" for file in ("script", "probe", "report")}
        files["script"].write_text(script)
        plusargs = [f"+cycles={cycles}", *(f"+{file}={path}" for file, path in files.items())]
        command = Icarus.find().command(built, waves=waves, plusargs=plusargs)
        log = folder / "bench.log"
        run_tool("vvp", command, log, folder=folder, environment=os.environ, on_line=on_line)
        lines = files["probe"].read_text().splitlines()
        end = next((i for i, line in enumerate(lines) if _cycle(line) >= cycles), len(lines))
        rows = [row.split() for row in files["report"].read_text().splitlines()]
        counts = [[_known(word) for word in row] for row in rows if row[:1] != ["entries"]]
        entries = [[_stored(word) for word in row[1:]] for row in rows if row[:1] == ["entries"]]
        return lines[:end], counts, entries


def _stored(word: str) -> Stored:
    """Return a binary word, and its unknown bits."""
    known = re.sub("[^01]", "0", word)
    return int(known, 2), int(re.sub("[^01]", "1", word.replace("1", "0")), 2)


def _known(word: str) -> int:
    return int(word, 16) if re.fullmatch("[0-9a-f]+", word) else -1


def run_job(
    job: Job,
    sim: str,
    *,
    built: Built | None = None,
    waves: Path | None = None,
    netlist: Netlist | None = None,
    threads: int | None = None,
    report: Progress | None = None,
    progress: Stages = silent,
) -> Simulation:
    """Run a job on a back end, hardware and golden model compared in every cycle.

    Parameters
    ----------
    job : Job
    sim : {"model", "verilator", "icarus"}
        The golden model alone; the network as a fabric of tiles; its own top.
    built : Built, optional
        Of `build_fabric` or `build_bench`; by default that of the first plan's network.
    waves : Path, optional
        Waveform to write, of the first run; not with the model.
    netlist : Netlist, optional
        What runs under Icarus in place of the network's RTL.
    threads : int, optional
        Threads of a fabric, by default as many as there are idle cores, one left to the model.
    report : callable, optional
        Progress of the runs.
    progress : Progress
        Of the build, and of the runs as a whole where there is no ``report``.

    Raises
    ------
    ToolError
        The simulator is missing, or broke off.
    """
    if built is None and sim != "model":
        spec, traced = job.runs[0][0].spec.network, waves is not None
        with stage(progress, "build"):
            if sim == "verilator":
                from syncfabric.sim.fabric.build import build_fabric

                built = build_fabric(spec, waves=traced)
            else:
                built = build_bench(spec, waves=traced, netlist=netlist)
    begin, outcomes = time.perf_counter(), list[Outcome]()
    with ExitStack() as stack:
        log = stack.enter_context(log_file(job.log))
        if built and report is None:
            stack.enter_context(stage(progress, "simulate"))
        for run in job.runs:
            dump = waves.resolve() if waves and not outcomes else None
            outcomes.append(
                _play_one(ScenarioRunner(*run, job, log), sim, built, dump, threads, report)
            )
    seconds = time.perf_counter() - begin
    return Simulation(outcomes, built.seconds if built else 0.0, seconds)


def _play_one(
    runner: ScenarioRunner,
    sim: str,
    built: Built | None,
    waves: Path | None,
    threads: int | None,
    report: Progress | None,
) -> Outcome:
    if built is None:
        return runner.run_model(report)
    if sim == "icarus":
        return play_bench(built, runner, waves=waves, report=report)
    from syncfabric.sim.fabric.program import Fabric, idle_cores

    with Fabric(built, threads=threads or max(1, idle_cores() - 1)) as fabric:
        if waves:
            fabric.waves(waves)
        return play(fabric, runner, report)


def play(fabric: Fabric, runner: Runner[T], report: Progress | None = None) -> T:
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
            if report:
                report(*runner.progress)
        if played:
            fabric.end()
            if not runner.checker.mismatches:
                runner.take(played, lines.read().splitlines())
            runner.take_entries(fabric.entries())
        fabric.probe(None)
        runner.clocked = fabric.clocked()
        packets = (counts.values() for counts in fabric.report())
        rows = zip_longest(packets, fabric.streams(), fillvalue=())
        return runner.outcome([[*counts, *streams] for counts, streams in rows])


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
    outcomes = run_job(Job(tuple(runs)), "verilator").outcomes
    for (plan, scenario), outcome in zip(runs, outcomes, strict=True):
        if outcome.mismatches or outcome.hang:
            words = f"{scenario.scheme or plan.groups[0].planner}, {scenario.policy}"
            raise RuntimeError(f"{words}: {outcome.mismatches[:1]} {outcome.hang}")
    return outcomes
