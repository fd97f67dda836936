"""Long runs: traffic, arrivals and checks without Python, for many cycles a second."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from syncfabric.models.errors import PlanError, ToolError
from syncfabric.models.planning.images import config_writes
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan, IrregularGroupPlan
from syncfabric.models.traffic import WARM_CYCLES, rate_word
from syncfabric.sim.assemble.player import SCRIPT_WORDS, Stimulus, StimulusKind, script_text
from syncfabric.sim.fabric.program import Fabric, GroupCount, build_fabric
from syncfabric.sim.progress import Progress, silent
from syncfabric.sim.results import GroupResult, RunResult, Seconds, Spread, TrafficResult

__all__ = ["long_run"]

CHUNK = 2_000
"""Cycles between two looks at how far the groups are."""
JITTER = 31
"""Greatest wait of a member after its release, in cycles; one less than a power of two."""
LEAD_IN = 500
HANG = 10_000
"""Cycles without a barrier completed by anyone after which a run is given up."""


def long_run(
    plan: BarrierPlan,
    *,
    sim: str = "verilator",
    episodes: int = 100,
    seed: int = 1,
    background: float = 0.0,
    waves: bool = False,
    log: Path | None = None,
    heat: bool = False,
    output: Path | None = None,
    progress: Progress = silent,
) -> RunResult:
    """Run until every group has had its episodes; the golden model takes no part.

    Packets are made and checked by the tiles' sources and sinks; members arrive a random wait of up
    to 31 cycles after each release; a referee beside the tiles sees that nobody is released
    before the last arrival and everybody once. The parameters are those of `sim.drive.run.run`;
    a waveform, a log or channel loads are not to be had here.

    Raises
    ------
    ToolError
        Verilator is missing, or something is asked for that a long run does not do.
    PlanError
        The groups are set up through the network, or one is spilled: the tiles' members know
        registers only.
    """
    if sim != "verilator" or waves or log or heat:
        raise ToolError(
            "a long run is for Verilator alone, and writes no waveform, log or channel loads; "
            "leave out --long"
        )
    if plan.spec.network.setup != "local":
        raise PlanError(
            'a long run writes the registers itself; set setup = "local" or leave out --long'
        )
    for group in plan.groups:
        if group.bound is None:
            raise PlanError(
                f"group {group.id}: a long run drives groups in registers only, and this one is "
                "spilled somewhere; raise barrier_registers or leave out --long"
            )
    progress("build", 0, 1)
    built = build_fabric(plan.spec.network)
    progress("build", 1, 1)
    begin, total = time.perf_counter(), max(1, episodes * len(plan.groups))
    hang = None
    with tempfile.TemporaryDirectory() as folder, Fabric(built) as fabric:
        cycle = _set_up(fabric, plan, Path(folder), seed, background)
        settled = _traffic(fabric) if background else None
        start = cycle
        for group in plan.groups:
            fabric.group(group.id, _seats(plan, group))
        fabric.members(seed=seed & 0xFFFF_FFFF, jitter=JITTER)
        cycle += 1
        counts, done, moved = fabric.watch(), 0, cycle
        while any(count.episodes < episodes for count in counts) and hang is None:
            fabric.run(CHUNK)
            cycle += CHUNK
            counts = fabric.watch()
            now = sum(count.episodes for count in counts)
            done, moved = now, cycle if now != done else moved
            progress("simulate", sum(min(c.episodes, episodes) for c in counts), total)
            if cycle - moved >= HANG:
                hang = f"no group completed a barrier in the last {HANG} cycles"
        if not plan.groups:
            fabric.run(CHUNK)
            cycle += CHUNK
        ended = _traffic(fabric)
    errors = ended["errors"] + sum(count.errors for count in counts)
    nodes = len(plan.spec.network.topology.nodes)
    flits = ended["flits"] - settled["flits"] if settled else 0
    return RunResult(
        network=plan.spec.name,
        simulator=sim,
        cycles=cycle,
        seconds=Seconds(built.seconds, time.perf_counter() - begin),
        verdict="hang" if hang else "mismatch" if errors else "match",
        mismatches=(),
        groups=tuple(map(_group, plan.groups, counts)),
        traffic=TrafficResult(
            offered=background,
            accepted=flits / nodes / max(1, cycle - start),
            latency=None,
            packets=ended["packets"],
        ),
        seed=seed,
        episodes=episodes,
        reason=hang or (f"the checkers in the design counted {errors} errors" if errors else None),
    )


def _set_up(fabric: Fabric, plan: BarrierPlan, folder: Path, seed: int, background: float) -> int:
    """Write the registers, start, and let traffic settle; return the cycle reached."""
    stimuli = [
        Stimulus(cycle, StimulusKind.CONFIG, node << 12 | address, word, 1)
        for cycle, (node, address, word) in enumerate(config_writes(plan), 1)
    ]
    end = len(stimuli) + 2
    stimuli.append(Stimulus(end, StimulusKind.START))
    if background:
        stimuli.append(Stimulus(end, StimulusKind.LOAD, data=seed & 0xFFFF_FFFF))
        end += WARM_CYCLES + 1
        rate = rate_word(background)
        stimuli.append(Stimulus(end, StimulusKind.RATE, data=rate, extra=1))
        end += LEAD_IN
    script, done = folder / "script.txt", 0
    for first in range(0, len(stimuli), SCRIPT_WORDS - 1):
        part = stimuli[first : first + SCRIPT_WORDS - 1]
        script.write_text(script_text(part))
        fabric.script(script)
        last = part[-1].cycle + 1 if first + SCRIPT_WORDS - 1 < len(stimuli) else end + 1
        fabric.run(last - done)
        done = last
    return done


def _traffic(fabric: Fabric) -> dict[str, int]:
    """Return the traffic's counters, summed over the nodes."""
    rows = fabric.report()
    return {name: sum(row[name] for row in rows) for name in rows[0]}


def _seats(plan: BarrierPlan, group: GroupPlan | IrregularGroupPlan) -> list[tuple[int, int]]:
    index = plan.spec.network.topology.index
    return [(index(node), place) for node, place in group.places.items() if place is not None]


def _group(group: GroupPlan | IrregularGroupPlan, count: GroupCount) -> GroupResult:
    return GroupResult.of(
        group, episodes=count.episodes, latency=_spread(count.latencies), model_latency=None
    )


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
