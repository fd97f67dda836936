"""The main job: a plan, run under a simulator beside the golden model, and what it found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from syncfabric.models.patterns import UNIFORM, pattern_of
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import Links, links_of
from syncfabric.sim.drive.backends import Simulation, run_job
from syncfabric.sim.drive.scenario import (
    ChurnOutcome,
    GroupOutcome,
    Job,
    Outcome,
    Scenario,
    timeout_of,
)
from syncfabric.sim.progress import Progress, silent
from syncfabric.sim.request import RunRequest
from syncfabric.sim.results import (
    ChannelLoad,
    ChurnCost,
    ChurnResult,
    Counters,
    Events,
    GroupResult,
    RunResult,
    Seconds,
    TrafficResult,
    Verdict,
)
from syncfabric.sim.spread import Spread
from syncfabric.sim.stream_result import StreamResult

if TYPE_CHECKING:
    from syncfabric.sim.vectors import StreamRequest

FULLEST = 8
"""Channels that a saturated network's result names."""
INSTANCE_CYCLES = 20_000
"""Cycles that an instance may add, before the run is given up as a hang."""


def run(plan: BarrierPlan, request: RunRequest, progress: Progress = silent) -> RunResult:
    """Run barriers in every group, hardware and golden model compared in every cycle.

    Parameters
    ----------
    plan : BarrierPlan
        The network and its groups' trees.
    request : RunRequest
        Which see; `Network.run` says what its fields are. A waveform goes into its folder.
    progress : Progress

    Raises
    ------
    ToolError
        A simulator is missing, or broke off.
    """
    sim, log, scenario = request.sim, request.log, scenario_of(plan, request)
    job = Job(((plan, scenario),), log=str(log.resolve()) if log else None)
    files = [str(log)] if log else []

    def report(done: int, total: int) -> None:
        progress("simulate", done, total)

    wave = None
    if sim == "model":
        report(0, max(1, request.episodes * len(plan.groups) + request.churn))
    elif request.waves:
        wave = (request.output or Path()) / f"{plan.spec.name}.vcd"
        wave.parent.mkdir(parents=True, exist_ok=True)
        files.append(str(wave))
    simulation = run_job(
        job,
        sim,
        waves=wave,
        netlist=request.netlist,
        threads=request.threads,
        report=report,
        progress=progress,
    )
    return _result(plan, request, scenario, simulation, tuple(files))


def _set_up_cycles(plan: BarrierPlan) -> int:
    """Return more cycles than the set-up takes: a word passes all routers, an entry has up to 8."""
    routers = [router for group in plan.groups for router in group.placement]
    return 8 * len(routers) * max(len(plan.spec.network.topology.nodes), *routers, 0)


def scenario_of(plan: BarrierPlan, request: RunRequest) -> Scenario:
    """Return the scenario of a run."""
    episodes, seed, jitter = request.episodes, request.seed, request.jitter
    limit = Scenario.limit + request.churn * INSTANCE_CYCLES + _set_up_cycles(plan)
    scenario = Scenario(episodes, seed, request.background, churn=request.churn, limit=limit)
    if (apart := timeout_of(plan)) is not None:  # members may be twice the jitter apart
        scenario = replace(scenario, jitter=min(scenario.jitter, apart // 2))
    if jitter is not None:
        limit += jitter * episodes * len(plan.groups)
        scenario = replace(scenario, policy="late", jitter=jitter, limit=limit)
    if request.background:
        aim = pattern_of(plan.spec.network.topology, request.pattern)
        scenario = replace(scenario, pattern=aim)
    if request.stream:
        scenario = replace(scenario, streams=tuple(request.stream.streams(plan, seed)))
    return scenario


def _result(
    plan: BarrierPlan,
    request: RunRequest,
    scenario: Scenario,
    simulation: Simulation,
    files: tuple[str, ...],
) -> RunResult:
    links, outcome = links_of(plan.spec.network), simulation.outcomes[0]
    verdict, reason = verdict_of(outcome)
    loads = {
        link: ChannelLoad(*name, outcome.loads.get(link, 0.0))
        for link, name in enumerate(links.names)
        if name is not None
    }
    traffic, churn, stream = outcome.traffic, outcome.churn, request.stream
    return RunResult(
        network=plan.spec.name,
        simulator=request.sim,
        cycles=outcome.cycles,
        seconds=Seconds(simulation.build_seconds, simulation.run_seconds),
        verdict=verdict,
        mismatches=tuple(outcome.mismatches),
        groups=tuple(map(_group, plan.groups, outcome.groups)),
        traffic=TrafficResult(
            offered=scenario.background,
            accepted=traffic.accepted,
            latency=Spread.of(traffic.latency),
            network_latency=Spread.of(traffic.network_latency),
            packets=traffic.packets,
            saturated=traffic.saturated,
            full_channels=_fullest(links, loads) if traffic.saturated else (),
            pattern=scenario.pattern.name if scenario.pattern else UNIFORM,
        ),
        seed=scenario.seed,
        episodes=scenario.episodes,
        reason=reason,
        events=Events(traffic.packets, outcome.messages, outcome.releases),
        counters=Counters(*outcome.counters) if outcome.counters else None,
        gated=_gated(outcome),
        loads=tuple(loads.values()) if request.heat else None,
        churn=_churn(plan, scenario.episodes, churn, outcome) if churn else None,
        streams=tuple(_streams(plan, stream, scenario, outcome)) if stream else None,
        files=files,
    )


def _gated(outcome: Outcome) -> tuple[float, ...] | None:
    """Return the share of cycles in which each router's clock stood; reset is none of them."""
    if not outcome.clocked:
        return None
    return tuple(round(1 - edges / outcome.cycles, 4) for edges in outcome.clocked)


def verdict_of(outcome: Outcome) -> tuple[Verdict, str | None]:
    """Return the verdict on a scenario, and why it is no match."""
    if outcome.mismatches:
        first = outcome.mismatches[0]
        node = "" if first.node is None else f" at node {first.node}"
        return "mismatch", f"first difference in cycle {first.cycle}{node}: {first.signal}"
    if outcome.hang:
        return "hang", outcome.hang
    return "match", None


def _group(group: GroupPlan, outcome: GroupOutcome) -> GroupResult:
    return GroupResult.of(
        group,
        episodes=len(outcome.latency),
        latency=Spread.of(outcome.latency),
        model_latency=Spread.of(outcome.model_latency),
        setup=outcome.setup,
    )


def _streams(
    plan: BarrierPlan, request: StreamRequest, scenario: Scenario, outcome: Outcome
) -> Iterator[StreamResult]:
    """Yield what each group's stream took."""
    groups = {group.id: group for group in plan.groups}
    for stream, seen in zip(scenario.streams, outcome.streams, strict=True):
        assert seen.flow
        yield StreamResult.of(
            groups[stream.gid],
            seen.flow,
            (seen.first - seen.begun, seen.last - seen.begun) if seen.last >= 0 else None,
            kind=request.kind,
            op=request.op,
            words=stream.words,
            right=not (outcome.mismatches or outcome.hang),
        )


def _churn(plan: BarrierPlan, episodes: int, churn: ChurnOutcome, outcome: Outcome) -> ChurnResult:
    """Sum instances up; the groups' first episodes were without any."""
    values: dict[str, Any] = {
        name: Spread.of(found) if isinstance(found, list) else found
        for name, found in vars(churn).items()
    }
    return ChurnResult(
        **values,
        costs=tuple(
            ChurnCost(
                id=group.id,
                quiet=Spread.of(seen.latency[:episodes]),
                churning=Spread.of(seen.latency[episodes:]),
                bound=group.bound,
            )
            for group, seen in zip(plan.groups, outcome.groups, strict=True)
        ),
    )


def _fullest(links: Links, loads: Mapping[int, ChannelLoad]) -> tuple[ChannelLoad, ...]:
    """Return the fullest channels between routers: those that hold the others back."""
    own = {*links.eject, *links.inject}
    between = [load for link, load in loads.items() if link not in own]
    return tuple(sorted(between, key=lambda load: -load.load)[:FULLEST])
