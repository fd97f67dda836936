"""The main job: a plan, run under a simulator beside the golden model, and what it found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from syncfabric.models.patterns import UNIFORM, pattern_of
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import Links, links_of
from syncfabric.sim.drive.backends import Simulation, run_job
from syncfabric.sim.drive.scenario import GroupOutcome, Job, Outcome, Scenario, timeout_of
from syncfabric.sim.progress import Progress, silent
from syncfabric.sim.request import Netlist
from syncfabric.sim.results import (
    ChannelLoad,
    ChurnCost,
    ChurnResult,
    Counters,
    Events,
    GroupResult,
    RunResult,
    Seconds,
    Spread,
    StreamResult,
    TrafficResult,
    Verdict,
)

if TYPE_CHECKING:
    from syncfabric.sim.vectors import StreamRequest

__all__ = ["run", "scenario_of", "verdict_of"]

FULLEST = 8
"""Channels that a saturated network's result names."""
LIFE_CYCLES = 20_000
"""Cycles that a life may add, before the run is given up as a hang."""


def run(
    plan: BarrierPlan,
    *,
    sim: str = "verilator",
    episodes: int = 100,
    seed: int = 1,
    background: float = 0.0,
    pattern: str = UNIFORM,
    churn: int = 0,
    jitter: int | None = None,
    waves: bool = False,
    log: Path | None = None,
    heat: bool = False,
    output: Path | None = None,
    netlist: Netlist | None = None,
    stream: StreamRequest | None = None,
    progress: Progress = silent,
) -> RunResult:
    """Run barriers in every group, hardware and golden model compared in every cycle.

    Parameters
    ----------
    plan : BarrierPlan
        The network and its groups' trees.
    sim : {"verilator", "icarus", "model"}
        See `sim.drive.backends`.
    episodes : int
        Barriers of each group; in episode e, member e mod n arrives last.
    seed : int
        Of arrivals, data and traffic.
    background : float
        Ordinary traffic, in flits a node a cycle, from 500 cycles before the first arrival.
    pattern : str
        Where its packets go; see `models.patterns`.
    churn : int
        Groups that are set up and torn down after the first ``episodes`` barriers, while more are
        made; only with set-up by managers.
    jitter : int, optional
        Cycles by which the last member is late, all others arriving together (paper Reflex,
        Figs. 7 and 8); by default all arrive at random within a few cycles.
    waves : bool
        Write a waveform into ``output``, or the current folder.
    log : Path, optional
        CSV file of packets and messages.
    heat : bool
        Hand back the load of every channel.
    output : Path, optional
        Folder for the waveform.
    netlist : Netlist, optional
        What runs under Icarus in place of the network's RTL.
    stream : StreamRequest, optional
        What groups with streams perform beside their barriers.
    progress : Progress

    Raises
    ------
    ToolError
        A simulator is missing, or broke off.
    """
    scenario = scenario_of(
        plan, episodes=episodes, seed=seed, background=background, churn=churn, jitter=jitter
    )
    if background:
        aim = pattern_of(plan.spec.network.topology, pattern)
        scenario = replace(scenario, pattern=aim)
    if stream:
        scenario = replace(scenario, streams=tuple(stream.streams(plan, seed)))
    job = Job(((plan, scenario),), log=str(log.resolve()) if log else None)
    files = [str(log)] if log else []

    def told(done: int, total: int) -> None:
        progress("simulate", done, total)

    wave = None
    if sim == "model":
        told(0, max(1, episodes * len(plan.groups) + churn))
    elif waves:
        wave = (output or Path()) / f"{plan.spec.name}.vcd"
        wave.parent.mkdir(parents=True, exist_ok=True)
        files.append(str(wave))
    simulation = run_job(job, sim, waves=wave, netlist=netlist, told=told, progress=progress)
    result = _result(plan, sim, scenario, simulation, heat=heat, files=tuple(files))
    if stream is None:
        return result
    streams = _streams(plan, stream, scenario, simulation.outcomes[0])
    return replace(result, streams=tuple(streams))


def scenario_of(
    plan: BarrierPlan,
    *,
    episodes: int,
    seed: int,
    background: float = 0.0,
    churn: int = 0,
    jitter: int | None = None,
) -> Scenario:
    """Return the scenario of a run with these arguments; see `run`."""
    limit = Scenario.limit + churn * LIFE_CYCLES
    scenario = Scenario(
        episodes=episodes, seed=seed, background=background, churn=churn, limit=limit
    )
    if (apart := timeout_of(plan)) is not None:  # members may be twice the jitter apart
        scenario = replace(scenario, jitter=min(scenario.jitter, apart // 2))
    if jitter is not None:
        limit += jitter * episodes * len(plan.groups)
        scenario = replace(scenario, policy="late", jitter=jitter, limit=limit)
    return scenario


def _result(
    plan: BarrierPlan,
    sim: str,
    scenario: Scenario,
    simulation: Simulation,
    *,
    heat: bool,
    files: tuple[str, ...],
) -> RunResult:
    links, outcome = links_of(plan.spec.network), simulation.outcomes[0]
    verdict, reason = verdict_of(outcome)
    loads = _loads(links, outcome.loads)
    traffic = outcome.traffic
    return RunResult(
        network=plan.spec.name,
        simulator=sim,
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
        loads=tuple(loads.values()) if heat else None,
        churn=_churn(plan, scenario.episodes, outcome) if outcome.churn else None,
        files=files,
    )


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


def _churn(plan: BarrierPlan, episodes: int, outcome: Outcome) -> ChurnResult:
    """Sum lives up; the groups' first episodes were without any."""
    churn = outcome.churn
    assert churn is not None
    return ChurnResult(
        lives=churn.lives,
        killed=churn.killed,
        given_up=churn.given_up,
        refused=churn.refused,
        set_up_cycles=Spread.of(churn.set_up_cycles),
        set_up_packets=Spread.of(churn.set_up_packets),
        tear_down_cycles=Spread.of(churn.tear_down_cycles),
        tear_down_packets=Spread.of(churn.tear_down_packets),
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


def _loads(links: Links, loads: Mapping[int, float]) -> dict[int, ChannelLoad]:
    """Name the links, all that there are, by their numbers."""
    return {
        link: ChannelLoad(*name, loads.get(link, 0.0))
        for link, name in enumerate(links.names)
        if name is not None
    }


def _fullest(links: Links, loads: Mapping[int, ChannelLoad]) -> tuple[ChannelLoad, ...]:
    """Return the fullest channels between routers: those that hold the others back."""
    own = {*links.eject, *links.inject}
    between = [load for link, load in loads.items() if link not in own]
    return tuple(sorted(between, key=lambda load: -load.load)[:FULLEST])
