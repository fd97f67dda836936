"""Packets of nodes' software beside barriers and traffic: hardware, model and rules agree."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.spec import IrregularSpec, MessageSpec
from syncfabric.sim.drive.backends import run_job
from syncfabric.sim.drive.packet_check import PacketCheck
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Job, Scenario, Sending
from tests.sim.drive.clusters import SMALL, drawn, ring
from tests.sim.drive.networks import SEED, check, irregular, mesh, plan_of, random_groups
from tests.sim.drive.sendings import by_table, draw_sendings, route_of

NETWORKS: dict[str, MessageSpec] = {
    "irregular": drawn(*(1, 8, 4, 16, 6), channels=2, flit_bits=24, data_bits=4),
    "mesh": mesh(4, 3, channels=2, buffer_flits=2, flit_bits=40),
    "irregular, by routes": drawn(
        *(5, 6, 6, 14, 6), routing="source", message_links="shared", buffer_flits=3
    ),
    "ring, datelines": ring(5, 2, buffer_flits=2, channels=4),
    "mesh, managed": mesh(3, 3, setup="manager"),
    "irregular, managed": drawn(*(2, 8, 5, 16, 6), setup="manager", groups=2, buffer_flits=2),
}
SCENARIOS = (
    Scenario(episodes=12, policy="mixed", seed=2, cycles=700),
    Scenario(episodes=15, policy="mixed", seed=3, background=0.15, lead_in=60, cycles=900),
    Scenario(episodes=15, policy="mixed", seed=4, background=0.1, lead_in=60, noise=True),
)


def job(
    network: MessageSpec,
    name: str,
    packets: int = 150,
    scenarios: Sequence[Scenario] = SCENARIOS,
) -> Job:
    """Return the scenarios, each with groups and packets of its own."""
    rng, runs = random.Random(f"{name}/{SEED}"), []
    for scenario in scenarios:
        if getattr(network, "routing", "") == "source":  # the generator's packets bring none
            scenario = replace(scenario, background=0.0)
        plan = plan_of(network, *random_groups(network, rng))
        sendings = draw_sendings(network, rng, packets, 500)
        runs.append((plan, replace(scenario, packets=sendings)))
    return Job(tuple(runs))


@pytest.mark.parametrize("name", NETWORKS)
def test_the_model_keeps_the_rules(name: str) -> None:
    work = job(NETWORKS[name], name)
    for plan, scenario in work.runs:
        runner = ScenarioRunner(plan, scenario, work)
        outcome = runner.run_model()
        assert outcome.mismatches == []
        assert outcome.hang is None
        assert scenario.noise or outcome.counters == (0, 0, 0, 0)
        more = runner.checker.rule(PacketCheck).put - len(scenario.packets)
        assert more >= 0 if scenario.noise else more == 0  # noise sends to set-up sinks, too


@pytest.mark.parametrize("name", ["irregular", "irregular, by routes"])
def test_packets_to_the_senders_own_node_are_refused(name: str) -> None:
    network = NETWORKS[name]
    assert isinstance(network, IrregularSpec)
    switch, port = network.topology.node(1)
    by_route = network.routing == "source"
    header = route_of(network, [port]) if by_route else by_table(network, 1)
    scenario = Scenario(episodes=1, packets=(Sending(3, 1, 0, [header, 5]),))
    with pytest.raises(SpecError, match=f"^packet of node {switch},{port}: it is for its sender"):
        run_job(Job(((plan_of(network), scenario),)), "model")


def test_on_a_mesh_they_come_back() -> None:
    """X-Y routing leads from LOCAL to LOCAL (docs/microarchitecture-engine.md, R3.2)."""
    network = NETWORKS["mesh"]
    sending = Sending(3, 5, 1, [by_table(network, 5), 7])
    scenario = Scenario(episodes=3, packets=(sending,), cycles=200)
    work = Job(((plan_of(network, *random_groups(network, random.Random(SEED))), scenario),))
    check(work, run_job(work, "model"))


@pytest.mark.nightly
@pytest.mark.parametrize("name", NETWORKS)
def test_hardware_is_as_the_model(name: str) -> None:
    work = job(NETWORKS[name], name)
    check(work, run_job(work, "verilator"))


@pytest.mark.nightly
@pytest.mark.icarus
@pytest.mark.parametrize("keys", [{"channels": 2, "flit_bits": 16, "data_bits": 2}])
def test_hardware_is_as_the_model_under_icarus(keys: dict[str, Any]) -> None:
    network = irregular(SMALL, **keys)
    work = job(network, "icarus", 50, SCENARIOS[2:])
    check(work, run_job(work, "icarus"))
