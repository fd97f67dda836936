"""Schemes of synchronization measured on the hardware, one group alone."""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric

__all__ = ["measure"]


def measure(plan: BarrierPlan, scenarios: Sequence[Scenario]) -> list[Outcome]:
    """Run scenarios under Verilator, compared with the golden model in every cycle.

    Raises
    ------
    RuntimeError
        Hardware and model differ, or a scenario does not come to an end.
    ToolError
        Verilator or the C++ compiler is missing.
    """
    job = Job(tuple((plan, scenario) for scenario in scenarios))
    outcomes = simulate_tiles(job, build_fabric(plan.spec.network)).outcomes
    for scenario, outcome in zip(scenarios, outcomes, strict=True):
        if outcome.mismatches or outcome.hang:
            words = f"{scenario.scheme or plan.groups[0].planner}, {scenario.policy}"
            raise RuntimeError(f"{words}: {outcome.mismatches[:1]} {outcome.hang}")
    return outcomes
