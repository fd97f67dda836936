"""Long runs: traffic, arrivals and checks without Python, for many cycles a second."""

import time

from syncfabric.models.patterns import pattern_of
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.script import Stimulus, traffic
from syncfabric.sim.drive.backends import play
from syncfabric.sim.drive.run import verdict_of
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Outcome, Scenario, timeout_of
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric, GroupCount, idle_cores
from syncfabric.sim.progress import Progress, silent, stage
from syncfabric.sim.request import RunRequest
from syncfabric.sim.results import GroupResult, RunResult, Seconds, TrafficResult
from syncfabric.sim.spread import Spread

CHUNK = 2_000
"""Cycles between two looks at how far the groups are."""
JITTER = 31
"""Greatest wait of a member after its release, in cycles; one less than a power of two."""
LEAD_IN = 500
HANG = 10_000
"""Cycles without a barrier of a group that has some to go, after which a run is given up."""


def long_run(plan: BarrierPlan, request: RunRequest, progress: Progress = silent) -> RunResult:
    """Run under Verilator until every group has had its episodes.

    The groups are set up as in any run: without traffic, every cycle compared with the golden
    model. From there on packets are made and checked by the tiles' sources and sinks; members
    arrive a random wait of up to 31 cycles after each release; a checker beside the tiles sees that
    no member is released before the last arrival, and each once. Of the request it is about
    episodes, seed, background, pattern and threads.

    Raises
    ------
    ToolError
        Verilator is missing.
    """
    episodes, seed, background = request.episodes, request.seed, request.background
    with stage(progress, "build"):
        built = build_fabric(plan.spec.message_network)
    begin = time.perf_counter()
    with Fabric(built, threads=request.threads or idle_cores()) as fabric:
        set_up = _set_up(fabric, plan, seed)
        verdict, reason = verdict_of(set_up)
        counts = [GroupCount(group.id, 0, {}) for group in plan.groups]
        channels, senders = plan.spec.message_network.channels, 1
        quiet = begun = ended = _traffic(fabric, channels)
        cycle = start = set_up.cycles
        if verdict == "match":
            if background:
                aim = pattern_of(plan.spec.network.topology, request.pattern)
                senders = aim.senders
                cycle = start = _begin_traffic(fabric, traffic(cycle, seed, background, aim))
                begun = _traffic(fabric, channels)
            for group in plan.groups:
                fabric.group(group.id, plan.endpoints(group), op=group.op)
            fabric.members(seed=seed & 0xFFFF_FFFF, jitter=_jitter(plan))
            cycle, counts, reason = _barriers(fabric, plan, cycle + 1, episodes, progress)
            ended = _traffic(fabric, channels)
            # The sinks take packets of set-up for wrong ones of the generator's.
            errors = ended["errors"] - quiet["errors"] + sum(count.errors for count in counts)
            verdict = "hang" if reason else "mismatch" if errors else "match"
            if errors and reason is None:
                reason = f"the checkers in the design counted {errors} errors"
    flits = ended["flits"] - begun["flits"]
    return RunResult(
        network=plan.spec.name,
        simulator="verilator",
        cycles=cycle,
        seconds=Seconds(built.seconds, time.perf_counter() - begin),
        verdict=verdict,
        mismatches=tuple(set_up.mismatches),
        groups=tuple(
            GroupResult.of(
                group,
                episodes=count.episodes,
                latency=_spread(count.latencies),
                model_latency=None,
                setup=outcome.setup,
            )
            for group, count, outcome in zip(plan.groups, counts, set_up.groups, strict=True)
        ),
        traffic=TrafficResult(
            offered=background,
            accepted=flits / senders / max(1, cycle - start),
            latency=None,
            pattern=request.pattern,
            packets=ended["packets"] - quiet["packets"],
        ),
        seed=seed,
        episodes=episodes,
        reason=reason,
    )


def _set_up(fabric: Fabric, plan: BarrierPlan, seed: int) -> Outcome:
    """Play a run without a barrier: the groups are set up, and the counters read."""
    scenario = Scenario(episodes=0, seed=seed)
    return play(fabric, ScenarioRunner(plan, scenario))


def _begin_traffic(fabric: Fabric, stimuli: list[Stimulus]) -> int:
    """Switch the traffic on, let it settle, and return the cycle reached."""
    fabric.give(stimuli)
    end = stimuli[-1].cycle + LEAD_IN
    fabric.run(end - stimuli[0].cycle)
    return end


def _barriers(
    fabric: Fabric, plan: BarrierPlan, cycle: int, episodes: int, progress: Progress
) -> tuple[int, list[GroupCount], str | None]:
    """Go on until all groups have had their episodes; return cycle, counts and what hangs."""
    total = max(1, episodes * len(plan.groups))
    counts, hang = fabric.watch(), None
    moved = dict.fromkeys((group.id for group in plan.groups), (0, cycle))
    if not plan.groups:
        fabric.run(CHUNK)
        cycle += CHUNK
    while hang is None and any(count.episodes < episodes for count in counts):
        fabric.run(CHUNK)
        cycle += CHUNK
        counts, late = fabric.watch(), []
        for count in counts:
            done, since = moved[count.gid]
            if count.episodes != done:
                moved[count.gid] = (count.episodes, cycle)
            elif count.episodes < episodes and cycle - since >= HANG:
                late.append(str(count.gid))
        if late:
            hang = f"no barrier in the last {HANG} cycles; unfinished groups: {', '.join(late)}"
        progress("simulate", sum(min(count.episodes, episodes) for count in counts), total)
    return cycle, counts, hang


def _traffic(fabric: Fabric, channels: int) -> dict[str, int]:
    """Return the traffic's counters, summed over the nodes."""
    rows = fabric.report() if channels else []
    return {name: sum(row[name] for row in rows) for name in ("packets", "flits", "errors")}


def _jitter(plan: BarrierPlan) -> int:
    """Return the greatest wait of a member after its release: such that no watchdog expires."""
    jitter, apart = JITTER, timeout_of(plan)
    while apart is not None and jitter > apart:
        jitter //= 2
    return jitter


def _spread(latencies: dict[int, int]) -> Spread | None:
    """Return least, median and greatest of a histogram."""
    if not latencies:
        return None
    seen, half = 0, (sum(latencies.values()) + 1) // 2
    for latency in sorted(latencies):
        seen += latencies[latency]
        if seen >= half:
            break
    return Spread(min(latencies), latency, max(latencies))
