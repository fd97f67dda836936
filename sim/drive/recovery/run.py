"""A recovery as users ask for it: checked as a whole, planned, built and run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from syncfabric.models.errors import SpecError, about
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.spec import NetworkSpec, StaticSpec
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.recovery.conduct import Recovered, recover
from syncfabric.sim.drive.recovery.plans import check_story, plan_after
from syncfabric.sim.drive.recovery.story import Move, Story
from syncfabric.sim.fabric import build_fabric
from syncfabric.sim.progress import Progress, silent, stage
from syncfabric.sim.rows import Rows, spread_row
from syncfabric.sim.spread import Spread

__all__ = ["RecoveryResult", "other_rows", "recovery_rows", "run_recovery"]

MOVE = re.compile(r"([0-9]{1,9}):([0-9]{1,9}),([0-9]{1,9})-([0-9]{1,9}),([0-9]{1,9})")
MOST_CYCLES = 100_000
MOST_EPISODES = 10_000
SIMULATORS = ("verilator", "model")


@dataclass(frozen=True)
class RecoveryResult:
    """A recovery's run, with what was asked for.

    Parameters
    ----------
    network, simulator : str
    found : Recovered
    left_out : dict of int to tuple of (int, int)
        Members on dead nodes, by group.
    """

    network: str
    simulator: str
    found: Recovered
    left_out: dict[int, tuple[tuple[int, int], ...]]

    @property
    def verdict(self) -> str:
        """``match`` (``checked``, if there was no hardware), ``mismatch`` or ``hang``."""
        if self.found.mismatches:
            return "mismatch"
        if self.found.hang:
            return "hang"
        return "checked" if self.simulator == "model" else "match"

    def to_json(self) -> dict[str, Any]:
        """Return what ``recover --json`` prints."""
        found = self.found
        return {
            "network": self.network,
            "simulator": self.simulator,
            "cycles": found.cycles,
            "verdict": self.verdict,
            "reason": found.hang,
            "mismatches": [asdict(mismatch) for mismatch in found.mismatches],
            "releases": found.releases,
            "broken_releases": found.broken,
            "false_releases": found.early,
            "groups": [{**asdict(cost), "total": cost.total} for cost in found.costs],
            "others": [
                {
                    "group": gid,
                    "before": _spread(spans.before),
                    "during": _spread(spans.during),
                    "barriers_during": len(spans.during),
                    "after": _spread(spans.after),
                }
                for gid, spans in found.spans.items()
            ],
            "lost": found.lost,
            "left_out": [
                {"group": gid, "members": [list(member) for member in members]}
                for gid, members in self.left_out.items()
            ],
        }


def _spread(cycles: Sequence[int]) -> dict[str, Any] | None:
    spread = Spread.of(cycles)
    return None if spread is None else asdict(spread)


def recovery_rows(result: RecoveryResult) -> Rows:
    """Return a recovery's table, a row a group that came back."""
    heads = ["group", "detect", "wait", "tear\ndown", "set-up", "GO", "first\nbarrier", "total"]
    heads += ["packets", "commands", "writes"]
    rows = []
    for cost in result.found.costs:
        parts = (cost.detect, cost.wait, cost.end, cost.set_up, cost.go, cost.first, cost.total)
        counts = (cost.packets, cost.commands, cost.writes)
        rows.append([str(cost.group), *(f"{part:,}" for part in (*parts, *counts))])
    return heads, rows


def other_rows(result: RecoveryResult) -> Rows:
    """Return the latencies of the groups that were not hit."""
    heads = ["group", "before", "until all\nare back", "barriers\nmeanwhile", "after"]
    rows = []
    for gid, spans in result.found.spans.items():
        told = [spread_row(Spread.of(span)) for span in (spans.before, spans.during, spans.after)]
        rows.append([str(gid), told[0], told[1], f"{len(spans.during):,}", told[2]])
    return heads, rows


def run_recovery(
    spec: NetworkSpec,
    *,
    without: Sequence[str] = (),
    moves: Sequence[str] = (),
    sim: str = "verilator",
    at: int = Story.at,
    patience: int = Story.patience,
    episodes: int = Story.episodes,
    seed: int = Story.seed,
    progress: Progress = silent,
) -> RecoveryResult:
    """Run groups, let links or nodes die or members move, and bring the groups back.

    Parameters
    ----------
    spec : NetworkSpec
    without : sequence of str
        What dies, as ``plan --without`` names it.
    moves : sequence of str
        Members that move, as ``GID:a,b-c,d``.
    sim : {"verilator", "model"}
    at, patience, episodes, seed : int
        As of ``Story``.
    progress : Progress

    Raises
    ------
    SpecError
        An argument makes no sense, or the network cannot recover.
    PlanError
        Groups that are hit cannot be planned anew, or nobody can set them up.
    ToolError
        Verilator is missing, or the simulation broke off.
    """
    _check("at", at, MOST_CYCLES)
    _check("timeout", patience, MOST_CYCLES)
    _check("episodes", episodes, MOST_EPISODES)
    if sim not in SIMULATORS:
        raise SpecError(f'--sim: a recovery runs under verilator or model, not "{sim}"')
    if bool(without) == bool(moves):
        raise SpecError(
            "recover: give either --without, what dies, or --move, who goes elsewhere; each may "
            "be given several times"
        )
    with about(spec.source):
        if not spec.groups:
            raise SpecError(f"{spec.name} has no group that could recover; add a [[group]]")
    dead = Dead.of(spec.network.topology, without)
    limit = Story.limit + (at + patience + episodes * 1000) * (1 + len(spec.groups))
    story = Story(dead, tuple(map(_move, moves)), at, patience, episodes, seed=seed, limit=limit)
    with stage(progress, "plan"):
        plan = make_plan(spec)
        check_story(plan, story)
        after = plan_after(plan, story)
        if not isinstance(spec.network, StaticSpec):
            deadlock.check(after)
    built = None
    if sim == "verilator":
        with stage(progress, "build"):
            built = build_fabric(spec.network)
    found = recover(plan, after, story, built, told=lambda a, b: progress("simulate", a, b))
    return RecoveryResult(spec.name, sim, found, dict(after.left_out))


def _check(name: str, value: int, most: int) -> None:
    if not 1 <= value <= most:
        raise SpecError(f"--{name} must be 1 to {most:,}, not {value}")


def _move(text: str) -> Move:
    match = MOVE.fullmatch(text.replace(" ", ""))
    if match is None:
        raise SpecError(
            f'--move: "{text}" is no move; give GID:a,b-c,d, the group, the member and its new node'
        )
    gid, a, b, c, d = map(int, match.groups())
    return Move(gid, (a, b), (c, d))
