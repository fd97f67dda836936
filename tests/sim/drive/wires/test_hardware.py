"""Whole networks with barrier wires: hardware against model in every cycle."""

from functools import cache

import pytest

from syncfabric.sim.drive.scenario import Job, Scenario
from syncfabric.sim.drive.simulate import build_bench, simulate
from syncfabric.sim.drive.tiles import simulate_tiles
from syncfabric.sim.fabric import build_fabric
from tests.sim.drive.wires.nets import COMBINATIONS, judge, network_of, scenarios_of, wired

BUILD = cache(build_fabric)
QUICK = ("mesh, wires alone",)
LONG = [name for name in COMBINATIONS if name not in QUICK]


def job_of(name: str) -> Job:
    kind, keys = COMBINATIONS[name]
    plan = wired(network_of(kind, **keys))
    return Job(tuple((plan, each) for each in scenarios_of(plan.spec.register_network)))


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(n, marks=pytest.mark.long) for n in LONG)])
def test_tiles_do_as_the_model_does(name: str) -> None:
    job = job_of(name)
    network = job.runs[0][0].spec.register_network
    for run, outcome in zip(job.runs, simulate_tiles(job, BUILD(network)).outcomes, strict=True):
        judge(*run, outcome)


@pytest.mark.icarus
@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        "irregular, wires alone",
        "mesh, wires, shared",
        "mesh, both",
        "mesh, both, managers",
        "irregular, both, shared",
        "irregular, wires, managers",
    ],
)
def test_the_networks_own_top_does_too(name: str) -> None:
    job = job_of(name)
    built = build_bench(job.runs[0][0].spec.network, "icarus")
    for run, outcome in zip(job.runs, simulate(job, built).outcomes, strict=True):
        judge(*run, outcome)


def test_other_hardware_is_found_at_its_first_wire() -> None:
    """The hardware has a register more on every link."""
    kind, keys = COMBINATIONS[QUICK[0]]
    built = BUILD(network_of(kind, **keys))
    plan = wired(network_of(kind, **{**keys, "link_registers": keys["link_registers"] - 1}))
    (outcome,) = simulate_tiles(Job(((plan, Scenario(episodes=3)),)), built).outcomes
    first = outcome.mismatches[0]
    assert first.signal.startswith("link_")
    assert "_wires: up[" in first.signal
    assert (first.hardware, first.model) == (0, 1)
    assert first.node in plan.spec.network.topology.nodes
