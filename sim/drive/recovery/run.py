"""A recovery, from what users ask for to its result: on a fabric beside the model, or the model."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from syncfabric.models.errors import SpecError, about, check_range
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.spec import NetworkSpec
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.drive.backends import play
from syncfabric.sim.drive.barrier_check import BarrierCheck
from syncfabric.sim.drive.recovery.driver import (
    Cost,
    recovery_driver,
)
from syncfabric.sim.drive.recovery.scenario import (
    Move,
    RecoveryScenario,
    check_scenario,
    plan_after,
)
from syncfabric.sim.drive.runner import Runner
from syncfabric.sim.drive.trace import Report
from syncfabric.sim.fabric.build import build_fabric
from syncfabric.sim.fabric.program import Fabric
from syncfabric.sim.progress import Progress, silent, stage
from syncfabric.sim.results import Mismatch
from syncfabric.sim.simulators.base import Built
from syncfabric.sim.spread import Spread
from syncfabric.sim.tables import Rows, table

MOVE = re.compile(r"([0-9]{1,9}):([0-9]{1,9}),([0-9]{1,9})-([0-9]{1,9}),([0-9]{1,9})")
MOST_CYCLES = 100_000
MOST_EPISODES = 10_000
SIMULATORS = ("verilator", "model")


@dataclass
class Spans:
    """Latencies of a group's barriers: before it happened, until all was well, and after."""

    before: list[int] = field(default_factory=list)
    during: list[int] = field(default_factory=list)
    after: list[int] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """Return the spreads, and the count of those in between."""
        spreads = {name: Spread.of(cycles) for name, cycles in vars(self).items()}
        values = {name: spread and asdict(spread) for name, spread in spreads.items()}
        during = {"during": values["during"], "barriers_during": len(self.during)}
        return {"before": values["before"], **during, "after": values["after"]}


@dataclass(frozen=True)
class RecoveryResult:
    """What a recovery's run found.

    Parameters
    ----------
    cycles : int
        Simulated.
    releases, broken, early : int
        Members released; those as broken; those before all had arrived.
    costs : list of Cost
        Of the groups that came back, in that order.
    spans : dict of int to Spans
        Of the groups that were not hit, by GID.
    lost : list of int
        Groups of which no member is left.
    left_out : dict of int to tuple of (int, int)
        Members on dead nodes, by group.
    """

    network: str
    simulator: str
    cycles: int
    hang: str | None
    mismatches: list[Mismatch]
    releases: int
    broken: int
    early: int
    costs: list[Cost]
    spans: dict[int, Spans]
    lost: list[int]
    left_out: dict[int, tuple[tuple[int, int], ...]]

    @property
    def ok(self) -> bool:
        """Whether all is as it must be."""
        return not self.mismatches and self.hang is None

    @property
    def verdict(self) -> str:
        """``match`` (``checked``, if there was no hardware), ``mismatch`` or ``hang``."""
        if self.ok:
            return "checked" if self.simulator == "model" else "match"
        return "mismatch" if self.mismatches else "hang"

    def to_json(self) -> dict[str, Any]:
        """Return what ``recover --json`` prints."""
        return {
            "network": self.network,
            "simulator": self.simulator,
            "cycles": self.cycles,
            "verdict": self.verdict,
            "reason": self.hang,
            "mismatches": [asdict(mismatch) for mismatch in self.mismatches],
            "releases": self.releases,
            "broken_releases": self.broken,
            "false_releases": self.early,
            "groups": [{**asdict(cost), "total": cost.total} for cost in self.costs],
            "others": [{"group": gid, **spans.to_json()} for gid, spans in self.spans.items()],
            "lost": self.lost,
            "left_out": [
                {"group": gid, "members": [list(member) for member in members]}
                for gid, members in self.left_out.items()
            ],
        }


class RecoveryRunner(Runner[RecoveryResult]):
    """Runs a recovery; only the barriers are checked.

    Parameters
    ----------
    plan, after : BarrierPlan
        As of `Recovery`.
    """

    def __init__(self, plan: BarrierPlan, after: BarrierPlan, scenario: RecoveryScenario) -> None:
        driver, self._recovery = recovery_driver(plan, after, scenario)
        super().__init__(plan.spec.network, driver, [BarrierCheck(plan)], scenario.limit)
        self._plan = plan

    def outcome(self, report: Report = None) -> RecoveryResult:
        """Return what was found."""
        recovery, barriers = self._recovery, self.checker.rule(BarrierCheck)
        return RecoveryResult(
            network=self._plan.spec.name,
            simulator="model" if report is None else "verilator",
            cycles=self.session.cycle,
            mismatches=self.checker.mismatches,
            hang=self.session.hang,
            costs=recovery.costs,
            spans=dict(self._spans()),
            releases=barriers.releases,
            broken=barriers.broken,
            early=barriers.early,
            lost=[g.id for g in self._plan.groups if g.id not in recovery.alive],
            left_out=dict(recovery.after.left_out),
        )

    def _spans(self) -> Iterator[tuple[int, Spans]]:
        recovery = self._recovery
        if recovery.event is None or recovery.well is None:
            return
        back = {cost.group for cost in recovery.costs}
        for gid, instance in recovery.alive.items():
            if gid not in back:
                spans, arrivals = Spans(), instance.arrivals
                for cycle, latency in zip(arrivals.ends, arrivals.latency, strict=True):
                    late = spans.during if cycle < recovery.well else spans.after
                    (spans.before if cycle < recovery.event else late).append(latency)
                yield gid, spans


def recover(
    plan: BarrierPlan,
    after: BarrierPlan,
    scenario: RecoveryScenario,
    built: Built | None = None,
    report: Callable[[int, int], None] | None = None,
) -> RecoveryResult:
    """Run a recovery.

    Parameters
    ----------
    plan, after : BarrierPlan
        Before it happens, and afterwards.
    built : Built, optional
        Of ``build_fabric`` for the network: hardware is compared with the model in every cycle.
        Without it the golden model runs by itself.
    report : callable, optional
        Takes how much is done, and of how much.

    Raises
    ------
    ToolError
        The simulation broke off.
    """
    runner = RecoveryRunner(plan, after, scenario)
    if built is None:
        return runner.run_model(report)
    with Fabric(built) as fabric:
        return play(fabric, runner, report)


def recovery_rows(result: RecoveryResult) -> Rows:
    """Return a recovery's table, a row a group that came back."""
    columns = {"group": "group", "detect": "detect", "wait": "wait", "tear\ndown": "end"}
    columns |= {"set-up": "set_up", "GO": "go", "first\nbarrier": "first", "total": "total"}
    columns |= {name: name for name in ("packets", "commands", "writes")}
    return table(result.costs, columns)


def other_rows(result: RecoveryResult) -> Rows:
    """Return the latencies of the groups that were not hit."""
    return table(
        result.spans.items(),
        {
            "group": lambda item: item[0],
            "before": lambda item: Spread.of(item[1].before),
            "until all\nare back": lambda item: Spread.of(item[1].during),
            "barriers\nmeanwhile": lambda item: len(item[1].during),
            "after": lambda item: Spread.of(item[1].after),
        },
    )


def run_recovery(
    spec: NetworkSpec,
    *,
    without: Sequence[str] = (),
    moves: Sequence[str] = (),
    sim: str = "verilator",
    at: int = RecoveryScenario.at,
    timeout: int = RecoveryScenario.timeout,
    episodes: int = RecoveryScenario.episodes,
    seed: int = RecoveryScenario.seed,
    progress: Progress = silent,
) -> RecoveryResult:
    """Run groups, let links or nodes die or members move, and bring the groups back.

    Parameters
    ----------
    without : sequence of str
        What dies, as ``plan --without`` names it.
    moves : sequence of str
        Members that move, as ``GID:a,b-c,d``.
    at, timeout, episodes, seed : int
        As of `RecoveryScenario`.

    Raises
    ------
    SpecError
        An argument makes no sense, or the network cannot recover.
    PlanError
        Groups that are hit cannot be planned anew, or nothing can set them up.
    ToolError
        Verilator is missing, or the simulation broke off.
    """
    ranges = {"at": (at, MOST_CYCLES), "timeout": (timeout, MOST_CYCLES)}
    for name, (value, most) in (ranges | {"episodes": (episodes, MOST_EPISODES)}).items():
        check_range(f"--{name}", value, 1, most)
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
    limit = (at + timeout + episodes * 1000) * (1 + len(spec.groups)) + RecoveryScenario.limit
    going = tuple(map(_move, moves))
    scenario = RecoveryScenario(dead, going, at, timeout, episodes, seed=seed, limit=limit)
    with stage(progress, "plan"):
        plan = make_plan(spec)
        check_scenario(plan, scenario)
        after = plan_after(plan, scenario)
        deadlock.check(after)
    built = None
    if sim == "verilator":
        with stage(progress, "build"):
            built = build_fabric(spec.network)
    return recover(plan, after, scenario, built, report=lambda a, b: progress("simulate", a, b))


def _move(text: str) -> Move:
    match = MOVE.fullmatch(text.replace(" ", ""))
    if match is None:
        raise SpecError(
            f'--move: "{text}" is no move; give GID:a,b-c,d, the group, the member and its new node'
        )
    gid, a, b, c, d = map(int, match.groups())
    return Move(gid, (a, b), (c, d))
