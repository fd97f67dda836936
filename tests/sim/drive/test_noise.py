"""Noise is refused, counted, and changes no barrier."""

import random
from dataclasses import replace

import pytest

from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.sim.drive.scenario import Job, Scenario
from syncfabric.sim.drive.session import Session
from syncfabric.sim.drive.simulate import run_model
from syncfabric.sim.drive.strays import STRAY_GID
from syncfabric.sim.drive.targets import targets_of
from tests.sim.drive.clusters import SMALL, drawn
from tests.sim.drive.networks import check, irregular, make_job, members, mesh, plan_of

NOISY = Scenario(episodes=60, noise=True, seed=3)


@pytest.mark.parametrize(
    "network",
    [
        mesh(3, 3),
        irregular(SMALL, cycles_per_hop=1),
        irregular(SMALL, turnaround="node"),
    ],
)
def test_what_is_wrong_is_counted_but_nothing_overflows(network: RegisterSpec) -> None:
    nodes = network.topology.nodes
    plan = plan_of(network, members(1, *nodes), members(2, nodes[0], nodes[2]))
    job = Job(((plan, NOISY),))
    simulation = run_model(job)
    check(job, simulation)
    counters = simulation.outcomes[0].counters
    assert counters is not None
    assert counters[0] == 0
    assert min(counters[1:]) > 0


def test_a_network_without_groups_or_neighbours_bears_it() -> None:
    for network in (mesh(1, 1), mesh(2, 1, data_bits=0)):
        quiet = Scenario(episodes=4, noise=True, background=0.1)
        for job in (
            Job(((plan_of(network), quiet),)),
            make_job(network, random.Random(1), [quiet]),
        ):
            check(job, run_model(job))


@pytest.mark.parametrize("network", [mesh(3, 3), drawn(1, switches=6, extra=3, nodes=9, ports=5)])
def test_barriers_end_as_without_it(network: RegisterSpec) -> None:
    (run,) = make_job(network, random.Random(2), [NOISY]).runs
    outcomes = [
        run_model(Job(((run[0], replace(NOISY, noise=noise)),))).outcomes[0]
        for noise in (False, True)
    ]
    assert [len(group.latency) for group in outcomes[0].groups] == [60] * 4
    assert [len(group.latency) for group in outcomes[1].groups] == [60] * 4
    assert outcomes[0].releases == outcomes[1].releases
    assert all(group.id != STRAY_GID for group in outcomes[1].groups)


def test_a_busy_switch_refuses_a_write_and_a_stray_reaches_the_next_switch() -> None:
    network = irregular(SMALL)
    plan = plan_of(network, members(1, (0, 1), (2, 0)))
    session = Session(plan, replace(NOISY, episodes=200))
    while not session.finished:
        session.advance(1000)
    counters = [
        targets_of(network).split(target, session.model.observe(target))[1] for target in range(7)
    ]
    stray, refused_write = ([n >> 8 * c & 255 for n in counters] for c in (1, 3))
    assert min(refused_write) > 0
    assert stray == [0, 0, 0, 0, 0, 1, 1]  # switch 1 has no nodes
