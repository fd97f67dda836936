"""Whatever is illegal on a network of engines is refused or dropped, and changes no barrier."""

import random
from collections.abc import Mapping
from dataclasses import replace

import pytest

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.drive.backends import run_job
from syncfabric.sim.drive.scenario import Job, Scenario
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import SEED, check, irregular, mesh, plan_of, random_groups

NOISY = Scenario(episodes=60, noise=True, seed=3, policy="mixed", background=0.1)
NETWORKS: Mapping[str, MessageSpec] = {
    "mesh": mesh(3, 3),
    "mesh, routed": mesh(3, 3, transport="routed", check_bits=4),
    "mesh, managers": mesh(3, 3, setup="manager", managers=((0, 0), (2, 1)), groups=6),
    "irregular": irregular(SMALL, check_bits=8, link_registers=1, read_back=False),
    "irregular, managers": irregular(SMALL, setup="manager", groups=3),
    "irregular, managers, guarded": irregular(SMALL, setup="manager", check_bits=8),
}


def job(network: MessageSpec) -> Job:
    """Return two runs of groups that leave entries free."""
    plan = plan_of(network, *random_groups(network, random.Random(SEED)))
    fewer = plan.spec.groups[:-1]
    quiet = replace(NOISY, seed=4, background=0.0)
    return Job(((plan_of(network, *fewer), NOISY), (plan, quiet)))


@pytest.mark.parametrize("name", NETWORKS)
def test_what_is_wrong_is_counted_and_barriers_end(name: str) -> None:
    work = job(NETWORKS[name])
    simulation = run_job(work, "model")
    check(work, simulation)
    for outcome in simulation.outcomes:
        assert outcome.counters is not None
        overflow, unexpected, refused_arrives, refused_commands = outcome.counters
        assert overflow == 0
        assert min(refused_arrives, refused_commands) > 0
        assert (unexpected > 0) == (name.startswith("irregular, managers"))


@pytest.mark.nightly
@pytest.mark.parametrize("name", NETWORKS)
def test_hardware_does_the_same(name: str) -> None:
    work = job(NETWORKS[name])
    check(work, run_job(work, "verilator"))
