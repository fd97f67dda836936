"""A job under Verilator, the network as a fabric of tiles: hardware and model at the same time."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TextIO, TypeVar

from syncfabric.models.networks.spec import AnySpec, GroupSpec, NetworkSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.assemble.player import script_text
from syncfabric.sim.drive.conduct import conductor_of
from syncfabric.sim.drive.conducting import Conducting
from syncfabric.sim.drive.recording import COLUMNS
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario
from syncfabric.sim.drive.simulate import Simulation
from syncfabric.sim.drive.stepping import Chunk
from syncfabric.sim.fabric import Fabric, build_fabric
from syncfabric.sim.simulators import Built

__all__ = ["measure", "measure_runs", "plan_of", "play", "simulate_tiles"]

T = TypeVar("T")


def simulate_tiles(
    job: Job,
    built: Built,
    *,
    waves: Path | None = None,
    told: Callable[[int, int], None] | None = None,
) -> Simulation:
    """Run a job on a fabric; while the hardware plays a chunk, the model makes the next.

    Parameters
    ----------
    job : Job
    built : Built
        Of ``build_fabric``, for the network of the job.
    waves : Path, optional
        Waveform to write, of the first run.
    told : callable, optional
        Is told how many episodes and lives are done, of how many.

    Raises
    ------
    ToolError
        The simulation broke off.
    """
    begin = time.perf_counter()
    outcomes = []
    with ExitStack() as stack:
        log = stack.enter_context(open(job.log, "w", newline="")) if job.log else None
        if log:
            log.write(",".join(COLUMNS) + "\n")
        for plan, scenario in job.runs:
            outcomes.append(_play(job, built, plan, scenario, log, waves, told))
            waves = None
    return Simulation(outcomes, built.seconds, time.perf_counter() - begin)


def _play(
    job: Job,
    built: Built,
    plan: BarrierPlan,
    scenario: Scenario,
    log: TextIO | None,
    waves: Path | None,
    told: Callable[[int, int], None] | None,
) -> Outcome:
    with Fabric(built) as fabric:
        if waves:
            fabric.waves(waves.resolve())
        return play(fabric, conductor_of(plan, scenario, job, log), told)


def play(
    fabric: Fabric,
    conductor: Conducting[T],
    told: Callable[[int, int], None] | None = None,
) -> T:
    """Play a scenario on a fabric that has just been reset; afterwards its probe is off.

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
        while not conductor.finished:
            chunk = conductor.advance()
            if played:
                fabric.end()
                conductor.take(played, lines.read().splitlines())
            script.write_text(script_text(chunk.stimuli))
            fabric.script(script)
            if chunk.faults:
                fabric.faults(chunk.faults, folder)
            fabric.begin(chunk.end - chunk.first)
            played = chunk
            if told:
                told(conductor.done, conductor.total)
        if played:
            fabric.end()
            if not conductor.judge.mismatches:
                conductor.take(played, lines.read().splitlines())
        fabric.probe(None)
        return conductor.outcome([list(counts.values()) for counts in fabric.report()])


def plan_of(
    network: AnySpec, members: Iterable[tuple[int, int]] | None = None, planner: str = ""
) -> BarrierPlan:
    """Plan one group of some nodes of a network, by default of all.

    Parameters
    ----------
    network : MeshSpec, IrregularSpec or StaticSpec
    members : iterable of nodes, optional
    planner : str
        Empty: the network's own.
    """
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
    built = build_fabric(runs[0][0].spec.network)
    outcomes = simulate_tiles(Job(tuple(runs)), built).outcomes
    for (plan, scenario), outcome in zip(runs, outcomes, strict=True):
        if outcome.mismatches or outcome.hang:
            words = f"{scenario.scheme or plan.groups[0].planner}, {scenario.policy}"
            raise RuntimeError(f"{words}: {outcome.mismatches[:1]} {outcome.hang}")
    return outcomes
