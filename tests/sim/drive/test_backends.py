"""Whole tops under Icarus, against the golden model in every cycle."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from syncfabric.models.errors import ToolError
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.drive.backends import build_bench, run_job
from syncfabric.sim.drive.scenario import Job, Scenario
from tests.sim.drive.clusters import SMALL, random_cluster, ring
from tests.sim.drive.networks import (
    SCENARIOS,
    SEED,
    check,
    irregular,
    make_job,
    mesh,
    plan_of,
    random_network,
)

SHORT = tuple(replace(each, episodes=each.episodes // 2, lead_in=80) for each in SCENARIOS)
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
def test_hardware_is_as_the_model() -> None:
    run(mesh(2, 1), "2x1")


@pytest.mark.nightly
@pytest.mark.icarus
@pytest.mark.parametrize("name", ICARUS)
def test_options_under_icarus(name: str) -> None:
    run(ICARUS[name], name)


def run(network: MessageSpec, name: str) -> None:
    job = make_job(network, random.Random(f"{name}/{SEED}"), SHORT)
    check(job, run_job(job, "icarus"))


@pytest.mark.nightly
@pytest.mark.icarus
def test_another_network_than_the_model_is_found_out() -> None:
    job = make_job(mesh(2, 2, engine_stages=1), random.Random(SEED))
    outcomes = run_job(job, "icarus", built=build_bench(mesh(2, 2, engine_stages=3))).outcomes
    assert all(outcome.mismatches for outcome in outcomes)
    first = outcomes[0].mismatches[0]
    assert first.signal.endswith("_sync_valid")
    assert (first.hardware, first.model) == (0, 1)


@pytest.mark.icarus
def test_a_bench_that_breaks_off_is_told(tmp_path: Path) -> None:
    network, broken = mesh(2, 1), tmp_path / "bench.vvp"
    broken.write_text("no program")
    built = replace(build_bench(network), program=broken)
    with pytest.raises(ToolError, match=r"^vvp failed with exit code"):
        run_job(Job(((plan_of(network), Scenario()),)), "icarus", built=built)


def test_the_model_alone_is_judged_by_the_same_rules() -> None:
    job = make_job(mesh(4, 3), random.Random(SEED))
    told: list[tuple[int, int]] = []
    simulation = run_job(job, "model", told=lambda done, of: told.append((done, of)))
    check(job, simulation)
    total = job.runs[-1][1].episodes * len(job.runs[-1][0].groups)
    assert told[-1] == (total, total)
