"""Groups set up through the network by managers, hardware against model in every cycle."""

import pytest

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.drive.backends import simulate_tiles
from syncfabric.sim.drive.runner import ScenarioRunner
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario
from syncfabric.sim.fabric.program import build_fabric
from tests.sim.drive.clusters import SMALL
from tests.sim.drive.networks import irregular, members, mesh, plan_of

SCENARIOS = (
    Scenario(episodes=8, seed=3, policy="mixed"),
    Scenario(episodes=8, seed=4, policy="back_to_back", background=0.1, lead_in=50),
)
NETWORKS: dict[str, MessageSpec] = {
    "mesh": mesh(3, 2, setup="manager", managers=((0, 0), (2, 1))),
    "irregular": irregular(SMALL, setup="manager"),
}


def job(name: str) -> Job:
    """Return two groups of several nodes, and one of a single node."""
    network = NETWORKS[name]
    nodes = network.topology.nodes
    groups = (
        members(7, nodes[0], nodes[-1], op="xor"),
        members(9, *nodes),
        members(11, nodes[1]),
    )
    plan = plan_of(network, *groups)
    return Job(tuple((plan, scenario) for scenario in SCENARIOS))


def judge(work: Job, outcome: Outcome) -> None:
    assert outcome.mismatches == []
    assert outcome.hang is None
    assert [len(group.latency) for group in outcome.groups] == [8, 8, 8]
    for planned, group in zip(work.runs[0][0].engine_groups, outcome.groups, strict=True):
        assert group.setup is not None
        cycles, packets = group.setup
        assert packets == 2 * len(planned.placement)  # a router's request, and its reply
        assert cycles < 150
    assert outcome.counters == (0, 0, 0, 0)


@pytest.mark.parametrize("name", NETWORKS)
def test_the_model_keeps_the_rules(name: str) -> None:
    work = job(name)
    for plan, scenario in work.runs:
        judge(work, ScenarioRunner(plan, scenario, work).run_model())


@pytest.mark.parametrize("name", [pytest.param("mesh", marks=pytest.mark.nightly), "irregular"])
def test_hardware_agrees_with_the_model(name: str) -> None:
    work = job(name)
    for outcome in simulate_tiles(work, build_fabric(NETWORKS[name])).outcomes:
        judge(work, outcome)
