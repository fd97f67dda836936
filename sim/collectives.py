"""Broadcast, scatter and reductions by software on a static network: run, checked and timed."""

from collections.abc import Sequence
from dataclasses import dataclass

from syncfabric.models.errors import SpecError, check_range
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.backends import run_job
from syncfabric.sim.drive.run import verdict_of
from syncfabric.sim.drive.scenario import Job, Scenario
from syncfabric.sim.drive.static.operations import (
    Collective,
    bound_of,
    check_collectives,
    network_of,
)
from syncfabric.sim.request import check_simulator
from syncfabric.sim.results import Verdict

__all__ = ["Collective", "CollectiveResult", "CollectivesResult", "run_collectives"]


@dataclass(frozen=True)
class CollectiveResult:
    """One collective's operations.

    Parameters
    ----------
    asked : Collective
    cycles : tuple of int
        From the last member's begin to the last member's end, operation by operation.
    bound : int
        What the formula says at most, of a group that was quiet before.
    """

    asked: Collective
    cycles: tuple[int, ...]
    bound: int


@dataclass(frozen=True)
class CollectivesResult:
    """What a run found; ``verdict`` and ``reason`` are those of every run."""

    verdict: Verdict
    reason: str | None
    cycles: int
    collectives: tuple[CollectiveResult, ...]


def run_collectives(
    plan: BarrierPlan,
    asked: Sequence[Collective],
    *,
    sim: str = "verilator",
    episodes: int = 10,
    seed: int = 1,
) -> CollectivesResult:
    """Run collectives, hardware and golden model compared in every cycle.

    In operation e of a collective member e mod n begins last. Words are drawn from ``seed``; what
    every member has in the end is checked with Python's integers.

    Parameters
    ----------
    plan : BarrierPlan
        Of a static network.
    asked : sequence of Collective
        Those of one group follow each other; groups without have barriers meanwhile.
    sim : {"verilator", "icarus", "model"}
        ``"model"`` runs the golden model by itself.
    episodes : int
        Operations of each collective.
    seed : int

    Raises
    ------
    SpecError
        Something asked for cannot be done.
    ToolError
        The simulator is missing, or broke off.
    """
    check_simulator(sim)
    check_range("episodes", episodes, 1)
    if not asked:
        raise SpecError("no collective is asked for; give one or more")
    check_collectives(plan, asked)
    network = network_of(plan)
    groups = {group.id: group for group in plan.groups}
    bounds = [bound_of(network, groups[each.group], each) for each in asked]
    scenario = Scenario(
        episodes=episodes,
        seed=seed,
        limit=Scenario.limit + episodes * sum(bounds),
        collectives=tuple(asked),
    )
    (outcome,) = run_job(Job(((plan, scenario),)), sim).outcomes
    verdict, reason = verdict_of(outcome)
    return CollectivesResult(
        "checked" if (verdict, sim) == ("match", "model") else verdict,
        reason,
        outcome.cycles,
        tuple(
            CollectiveResult(done.asked, tuple(done.cycles), bound)
            for done, bound in zip(outcome.collectives, bounds, strict=True)
        ),
    )
