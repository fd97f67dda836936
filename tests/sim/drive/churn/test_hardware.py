"""Lives in hardware, compared with the golden model in every cycle."""

import pytest

from syncfabric.sim.drive.backends import build_bench, simulate, simulate_tiles
from syncfabric.sim.drive.scenario import Job, Scenario
from syncfabric.sim.fabric import build_fabric
from tests.sim.drive.churn.networks import NETWORKS, grid, plan_with, well


@pytest.mark.long
@pytest.mark.parametrize("name", NETWORKS)
def test_hardware_lives_as_the_model_does(name: str) -> None:
    scenarios = (
        Scenario(episodes=3, churn=40),
        Scenario(episodes=3, seed=2, churn=40, background=0.1, lead_in=50, policy="mixed"),
    )
    plan = plan_with(NETWORKS[name])
    job = Job(tuple((plan, scenario) for scenario in scenarios))
    outcomes = simulate_tiles(job, build_fabric(plan.spec.network)).outcomes
    for outcome, scenario in zip(outcomes, scenarios, strict=True):
        well(outcome, scenario)
        assert outcome.churn is not None
        assert outcome.churn.killed > 0


@pytest.mark.long
@pytest.mark.icarus
def test_hardware_lives_under_icarus() -> None:
    network, scenario = grid(groups=4), Scenario(episodes=2, churn=12)
    job = Job(((plan_with(network, 1), scenario),))
    (outcome,) = simulate(job, build_bench(network, "icarus")).outcomes
    well(outcome, scenario)
