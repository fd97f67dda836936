"""Functional coverage of a regression: on the model, and on tiles."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.drive.backends import Simulation, run_model, simulate_tiles
from syncfabric.sim.fabric.program import build_fabric
from tests.sim.drive.clusters import drawn
from tests.sim.drive.coverage import covered, universe
from tests.sim.drive.networks import SCENARIOS, SEED, check, make_job, mesh

ROUNDS = 2
"""Times that the scenarios are run, with other groups and seeds each time."""
NETWORKS: dict[str, MessageSpec] = {
    "mesh": mesh(4, 4),
    "mesh, wires, shared links": mesh(4, 4, wires=2, message_links="shared"),
    "mesh, routed": mesh(4, 4, transport="routed"),
    "irregular": drawn(2, switches=8, extra=5, nodes=16, ports=6, channels=2, buffer_flits=2),
}


@pytest.mark.parametrize("tiles", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", NETWORKS)
def test_a_regression_covers(
    name: str, tiles: bool, record_property: Callable[[str, object], None]
) -> None:
    network = NETWORKS[name]
    scenarios = [
        replace(each, seed=each.seed + 10 * turn) for turn in range(ROUNDS) for each in SCENARIOS
    ]
    job = make_job(network, random.Random(f"coverage {name}/{SEED}"), scenarios, coverage=True)
    simulation: Simulation
    simulation = simulate_tiles(job, build_fabric(network)) if tiles else run_model(job)
    check(job, simulation)
    record_property(
        "coverage", covered(f"{name} ({network.topology})", simulation, set(universe(network)))
    )
