"""Noise is refused, counted, and changes no barrier."""

import random
from dataclasses import replace

import pytest

from syncfabric.sim.drive.noise import STRAY_GID
from syncfabric.sim.drive.scenario import Job, Scenario
from syncfabric.sim.drive.simulate import run_model
from tests.sim.drive.networks import check, make_job, members, mesh, plan_of

NOISY = Scenario(episodes=60, noise=True, seed=3)


@pytest.mark.parametrize("spill", [False, True])
def test_what_is_wrong_is_counted_but_nothing_overflows(spill: bool) -> None:
    network = mesh(3, 3, spill=spill)
    plan = plan_of(network, members(1, *network.mesh.nodes), members(2, (0, 0), (2, 2)))
    job = Job(((plan, NOISY),))
    simulation = run_model(job)
    check(job, simulation)
    counters = simulation.outcomes[0].counters
    assert counters is not None
    assert counters[0] == 0
    assert min(counters[1:]) > 0


def test_a_network_without_groups_or_neighbours_bears_it() -> None:
    for network in (mesh(1, 1), mesh(1, 1, spill=True), mesh(2, 1, data_bits=0)):
        quiet = Scenario(episodes=4, noise=True, background=0.1)
        for job in (
            Job(((plan_of(network), quiet),)),
            make_job(network, random.Random(1), [quiet]),
        ):
            check(job, run_model(job))


def test_barriers_end_as_without_it() -> None:
    (run,) = make_job(mesh(3, 3), random.Random(2), [NOISY]).runs
    outcomes = [
        run_model(Job(((run[0], replace(NOISY, noise=noise)),))).outcomes[0]
        for noise in (False, True)
    ]
    assert [len(group.latency) for group in outcomes[0].groups] == [60] * 4
    assert [len(group.latency) for group in outcomes[1].groups] == [60] * 4
    assert outcomes[0].releases == outcomes[1].releases
    assert all(group.id != STRAY_GID for group in outcomes[1].groups)
