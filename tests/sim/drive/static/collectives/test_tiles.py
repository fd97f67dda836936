"""Collectives on whole static networks under Verilator, every line compared with the model's."""

import random

import pytest

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.sim.drive.backends import simulate_tiles
from syncfabric.sim.drive.scenario import Job
from syncfabric.sim.fabric import build_fabric
from tests.models.golden.static_bench import static
from tests.sim.drive.networks import SEED
from tests.sim.drive.static.collectives.runs import check, random_run
from tests.sim.drive.static.networks import SMALL


def run(spec: StaticSpec, count: int, name: str) -> None:
    rng = random.Random(f"{name}/{SEED}")
    job = Job(tuple(random_run(rng, spec) for _ in range(count)), chunk=100)
    outcomes = simulate_tiles(job, build_fabric(spec)).outcomes
    for (plan, scenario), outcome in zip(job.runs, outcomes, strict=True):
        check(plan, scenario, outcome)


@pytest.mark.long
def test_groups_beside_each_other() -> None:
    run(SMALL, 16, "collectives")


@pytest.mark.long
@pytest.mark.parametrize("buffers", [(1, 1, 1), (2, 2, 2), (1, 4, 2), (4, 1, 3)])
def test_more_groups(buffers: tuple[int, int, int]) -> None:
    run(static(5, 4, buffers), 60, f"collectives {buffers}")
