"""Networks of engines on each back end, against the golden model in every cycle.

Fabrics of tiles under Verilator and whole tops under Icarus: barriers and traffic; illegal stimuli,
which are refused or dropped and change no barrier; and packets of nodes' software.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from syncfabric.models.errors import SpecError, ToolError
from syncfabric.models.networks.spec import IrregularSpec, MessageSpec
from syncfabric.sim.drive.backends import build_bench, run_job
from syncfabric.sim.drive.packet_check import PacketCheck
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Job, Scenario, Sending
from tests.nightly import nightly_but
from tests.sim.drive.clusters import SMALL, drawn, random_cluster, ring, star
from tests.sim.drive.networks import (
    SCENARIOS,
    SEED,
    check,
    irregular,
    make_job,
    mesh,
    plan_of,
    random_groups,
    random_network,
)
from tests.sim.drive.sends import by_table, draw_sendings, route_of

NETWORKS: dict[str, MessageSpec] = {
    "default": mesh(5, 5),
    "shared links, two channels": mesh(
        3, 5, message_links="shared", channels=2, buffer_flits=4, output_register=True
    ),
    "routed, wide": mesh(
        5, 4, transport="routed", channels=3, buffer_flits=3, data_bits=32, flit_bits=64
    ),
    "messages alone": mesh(4, 3, channels=0, data_bits=2),
    "serial": mesh(3, 3, operations="all", data_bits=9, groups=2, buffer_flits=2, wires=1),
    "column, no data, wide flits": mesh(1, 7, buffer_flits=1, data_bits=0, flit_bits=128),
    "8x8": mesh(8, 8, wires=2),
}

CLUSTERS: dict[str, MessageSpec] = {
    "irregular, default": drawn(1, switches=12, extra=6, nodes=24, ports=6),
    "irregular, two channels": drawn(*(2, 8, 5, 16, 6), groups=2, buffer_flits=2, channels=2),
    "irregular, shared links, serial": drawn(
        *(3, 8, 5, 16, 6), message_links="shared", operations="all", data_bits=9, buffer_flits=3
    ),
    "ring, datelines": ring(6, 2, buffer_flits=4, flit_bits=64, data_bits=32),
}
LONG: dict[str, MessageSpec] = {
    "messages alone, serial": mesh(5, 4, channels=0, groups=2, operations="all"),
    "serial, registers": mesh(5, 4, operations="all", link_registers=1, engine_stages=3),
    "tree, no data": drawn(*(4, 24, 0, 30, 4), data_bits=0, channels=2, buffer_flits=8, wires=2),
    "star, serial": star(5, 2, groups=2, operations="all", check_bits=4),
}


ALL: dict[str, MessageSpec] = {**NETWORKS, **CLUSTERS}
SHORT = {"default"}
"""The others are built for few other tests, and run with ``-m nightly``."""


def compare(network: MessageSpec, name: str, sim: str, scenarios: Sequence[Scenario]) -> None:
    """Run scenarios of random groups on a back end, compared in every cycle."""
    job = make_job(network, random.Random(f"{name}/{SEED}"), scenarios)
    check(job, run_job(job, sim))


@pytest.mark.parametrize("name", nightly_but(SHORT, ALL))
def test_hardware_is_as_the_model(name: str) -> None:
    compare(ALL[name], name, "verilator", SCENARIOS)


@pytest.mark.nightly
@pytest.mark.parametrize("name", LONG)
def test_more_hardware_is_as_the_model(name: str) -> None:
    compare(LONG[name], name, "verilator", SCENARIOS)


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(2))
def test_random_networks(number: int) -> None:
    compare(
        random_network(random.Random(f"{number}/{SEED}"), 8),
        f"random {number}",
        "verilator",
        SCENARIOS,
    )


@pytest.mark.nightly
@pytest.mark.parametrize("ports", [5, 16])
def test_random_clusters(ports: int) -> None:
    network = random_cluster(random.Random(f"{ports}/{SEED}"), 24, ports)
    compare(network, f"random cluster {ports}", "verilator", SCENARIOS)


BRIEF = tuple(replace(each, episodes=each.episodes // 2, lead_in=80) for each in SCENARIOS)
RANDOM = [f"small {number}" for number in (0, 1)]
ICARUS: dict[str, MessageSpec] = {
    "one node": mesh(1, 1),
    "messages alone": mesh(3, 1, channels=0, groups=2),
    "irregular, shared links": irregular(SMALL, groups=2, channels=2, message_links="shared"),
    "ring, datelines, serial, no data": ring(4, 1, data_bits=0, buffer_flits=3),
    "3x2, routed": mesh(3, 2, transport="routed", channels=3),
    "1x4, no data": mesh(1, 4, data_bits=0, buffer_flits=1),
    "3x2, wires, two channels": mesh(3, 2, wires=1, channels=2, buffer_flits=3),
    "2x3, serial": mesh(2, 3, operations="all", data_bits=9, buffer_flits=2),
    **{name: random_network(random.Random(f"{name}/{SEED}"), 3) for name in RANDOM},
    "small cluster": random_cluster(random.Random(f"small cluster/{SEED}"), 4, ports=5),
}


@pytest.mark.icarus
def test_a_top_is_as_the_model() -> None:
    compare(mesh(2, 1), "2x1", "icarus", BRIEF)


@pytest.mark.nightly
@pytest.mark.icarus
@pytest.mark.parametrize("name", ICARUS)
def test_options_under_icarus(name: str) -> None:
    compare(ICARUS[name], name, "icarus", BRIEF)


@pytest.mark.nightly
@pytest.mark.icarus
def test_another_network_than_the_model_is_found_out() -> None:
    job = make_job(mesh(2, 2, engine_stages=1), random.Random(SEED))
    outcomes = run_job(job, "icarus", built=build_bench(mesh(2, 2, engine_stages=3))).outcomes
    assert all(outcome.mismatches for outcome in outcomes)
    first, second = outcomes[0].mismatches[:2]  # the engine answers COMMIT a cycle later
    assert first.signal == second.signal == "config_error, config_rdata"
    assert (first.hardware, second.model, second.cycle) == ("None", "None", first.cycle + 1)


@pytest.mark.icarus
def test_a_bench_that_breaks_off_is_reported(tmp_path: Path) -> None:
    network, broken = mesh(2, 1), tmp_path / "bench.vvp"
    broken.write_text("no program")
    built = replace(build_bench(network), program=broken)
    with pytest.raises(ToolError, match=r"^vvp failed with exit code"):
        run_job(Job(((plan_of(network), Scenario()),)), "icarus", built=built)


def test_the_model_alone_is_checked_by_the_same_rules() -> None:
    job = make_job(mesh(4, 3), random.Random(SEED))
    reported: list[tuple[int, int]] = []
    simulation = run_job(job, "model", report=lambda done, of: reported.append((done, of)))
    check(job, simulation)
    total = job.runs[-1][1].episodes * len(job.runs[-1][0].groups)
    assert reported[-1] == (total, total)


NOISY = Scenario(episodes=60, noise=True, seed=3, policy="mixed", background=0.1)
NOISY_NETWORKS: Mapping[str, MessageSpec] = {
    "mesh": mesh(3, 3),
    "mesh, routed": mesh(3, 3, transport="routed", check_bits=4),
    "mesh, managers": mesh(3, 3, setup="manager", managers=((0, 0), (2, 1)), groups=6),
    "irregular": irregular(SMALL, check_bits=8, link_registers=1, read_back=False),
    "irregular, managers": irregular(SMALL, setup="manager", groups=3),
    "irregular, managers, guarded": irregular(SMALL, setup="manager", check_bits=8),
}


def noisy(network: MessageSpec) -> Job:
    """Return two runs of groups that leave entries free."""
    plan = plan_of(network, *random_groups(network, random.Random(SEED)))
    fewer = plan.spec.groups[:-1]
    quiet = replace(NOISY, seed=4, background=0.0)
    return Job(((plan_of(network, *fewer), NOISY), (plan, quiet)))


@pytest.mark.parametrize("name", NOISY_NETWORKS)
def test_what_is_wrong_is_counted_and_barriers_end(name: str) -> None:
    work = noisy(NOISY_NETWORKS[name])
    simulation = run_job(work, "model")
    check(work, simulation)
    for outcome in simulation.outcomes:
        assert outcome.counters is not None
        overflow, unexpected, refused_arrives, refused_commands = outcome.counters
        assert overflow == 0
        assert min(refused_arrives, refused_commands) > 0
        assert (unexpected > 0) == (name.startswith("irregular, managers"))


@pytest.mark.nightly
@pytest.mark.parametrize("name", NOISY_NETWORKS)
def test_hardware_refuses_and_drops_the_same(name: str) -> None:
    work = noisy(NOISY_NETWORKS[name])
    check(work, run_job(work, "verilator"))


SENDING: dict[str, MessageSpec] = {
    "irregular": drawn(*(1, 8, 4, 16, 6), channels=2, flit_bits=24, data_bits=4),
    "mesh": mesh(4, 3, channels=2, buffer_flits=2, flit_bits=40),
    "irregular, by routes": drawn(
        *(5, 6, 6, 14, 6), routing="source", message_links="shared", buffer_flits=3
    ),
    "ring, datelines": ring(5, 2, buffer_flits=2, channels=4),
    "mesh, managed": mesh(3, 3, setup="manager"),
    "irregular, managed": drawn(*(2, 8, 5, 16, 6), setup="manager", groups=2, buffer_flits=2),
}
BESIDE = (
    Scenario(episodes=12, policy="mixed", seed=2, cycles=700),
    Scenario(episodes=15, policy="mixed", seed=3, background=0.15, lead_in=60, cycles=900),
    Scenario(episodes=15, policy="mixed", seed=4, background=0.1, lead_in=60, noise=True),
)


def sending(
    network: MessageSpec,
    name: str,
    packets: int = 150,
    scenarios: Sequence[Scenario] = BESIDE,
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


@pytest.mark.parametrize("name", SENDING)
def test_packets_in_the_model_keep_the_rules(name: str) -> None:
    work = sending(SENDING[name], name)
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
    network = SENDING[name]
    assert isinstance(network, IrregularSpec)
    switch, port = network.topology.node(1)
    by_route = network.routing == "source"
    header = route_of(network, [port]) if by_route else by_table(network, 1)
    scenario = Scenario(episodes=1, packets=(Sending(3, 1, 0, [header, 5]),))
    with pytest.raises(SpecError, match=f"^packet of node {switch},{port}: it is for its sender"):
        run_job(Job(((plan_of(network), scenario),)), "model")


def test_on_a_mesh_they_come_back() -> None:
    """X-Y routing leads from LOCAL to LOCAL (docs/microarchitecture-engine.md, R3.2)."""
    network = SENDING["mesh"]
    one = Sending(3, 5, 1, [by_table(network, 5), 7])
    scenario = Scenario(episodes=3, packets=(one,), cycles=200)
    work = Job(((plan_of(network, *random_groups(network, random.Random(SEED))), scenario),))
    check(work, run_job(work, "model"))


@pytest.mark.nightly
@pytest.mark.parametrize("name", SENDING)
def test_packets_in_hardware_are_as_the_model(name: str) -> None:
    work = sending(SENDING[name], name)
    check(work, run_job(work, "verilator"))


@pytest.mark.nightly
@pytest.mark.icarus
@pytest.mark.parametrize("keys", [{"channels": 2, "flit_bits": 16, "data_bits": 2}])
def test_packets_in_a_top_are_as_the_model(keys: dict[str, Any]) -> None:
    network = irregular(SMALL, **keys)
    work = sending(network, "icarus", 50, BESIDE[2:])
    check(work, run_job(work, "icarus"))
