"""Lives in hardware, compared with the golden model in every cycle."""

from typing import Any

import pytest

from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.sim.drive.scenario import Job, Scenario
from syncfabric.sim.drive.simulate import build_bench, simulate
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from tests.sim.drive.churn.networks import cluster, grid, plan_with, well

NODE: dict[str, Any] = {"turnaround": "node", "cycles_per_hop": 1, "operations": "all"}


@pytest.mark.parametrize(
    "network",
    [
        pytest.param(grid(), marks=pytest.mark.long),
        pytest.param(cluster(managers=((0, 1), (2, 1))), marks=pytest.mark.long),
        pytest.param(cluster(**NODE), marks=pytest.mark.long),
        pytest.param(grid(barrier_pipeline=0, operations="all"), marks=pytest.mark.long),
        pytest.param(grid(sync_links="own"), marks=pytest.mark.long),
    ],
)
def test_hardware_lives_as_the_model_does(network: RegisterSpec) -> None:
    scenarios = (
        Scenario(episodes=3, churn=40),
        Scenario(episodes=3, seed=2, churn=40, background=0.1, lead_in=50, policy="mixed"),
    )
    plan = plan_with(network)
    job = Job(tuple((plan, scenario) for scenario in scenarios))
    for outcome, scenario in zip(
        simulate_tiles(job, build_fabric(network)).outcomes, scenarios, strict=True
    ):
        well(outcome, scenario)
        assert outcome.counters is not None
        assert outcome.counters[1] > 0  # strays, of groups that were killed


@pytest.mark.long
@pytest.mark.icarus
def test_hardware_lives_under_icarus() -> None:
    network = cluster(barrier_registers=2)
    scenario = Scenario(episodes=2, churn=12)
    job = Job(((plan_with(network, 1), scenario),))
    (outcome,) = simulate(job, build_bench(network, "icarus")).outcomes
    well(outcome, scenario)
