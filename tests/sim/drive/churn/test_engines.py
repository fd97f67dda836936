"""Lives on networks of engines: by managers and over the chain, on meshes and trees."""

import random

import pytest

from syncfabric.models.networks.spec import EngineSpec
from syncfabric.models.planning.links.images import Epochs
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.churn import churner as engines
from syncfabric.sim.drive.scenario import Job, Outcome, Scenario
from syncfabric.sim.drive.simulate import build_bench, simulate
from syncfabric.sim.lifecycle.effects import Ask, Steps
from syncfabric.sim.lifecycle.lifecycle import Lifecycle
from tests.models.planning.irregular import draw_network
from tests.sim.drive.churn.networks import played_by_model
from tests.sim.drive.engines import engine_irregular, engine_mesh
from tests.sim.drive.networks import members, plan_of

TREE = draw_network(random.Random(5), 4, 2, 7, 5)
NETWORKS: dict[str, EngineSpec] = {
    "mesh managed": engine_mesh(
        3, 2, setup="manager", managers=((0, 0), (2, 1)), groups=8, data_bits=4
    ),
    "mesh local": engine_mesh(3, 2, groups=8),
    "irregular managed": engine_irregular(
        TREE, setup="manager", message_links="shared", groups=8, data_bits=4
    ),
    "routed local": engine_mesh(3, 2, transport="routed", operations="all", groups=8),
}
SCENARIO = Scenario(episodes=2, seed=3, churn=24)


def _plan(name: str) -> BarrierPlan:
    """Return a plan of everybody's group, and of one of two nodes."""
    network = NETWORKS[name]
    nodes = network.topology.nodes
    planner = {"link": "shortest", "routed": "btm"}[network.transport]
    both = members(7, *nodes), members(9, nodes[0], nodes[-1], op="xor")
    return plan_of(network, *(g.model_copy(update={"planner": planner}) for g in both))


def _well(outcome: Outcome) -> None:
    """See that nothing went wrong, and that every life was lived."""
    assert outcome.mismatches == []
    assert outcome.hang is None
    churn = outcome.churn
    assert churn is not None
    assert (churn.lives, churn.given_up) == (SCENARIO.churn, 0)
    assert churn.killed > 0
    assert len(churn.set_up_cycles) == len(churn.tear_down_cycles) == churn.lives
    for group in outcome.groups:
        assert group.latency == group.model_latency
        assert len(group.latency) > 2 * SCENARIO.episodes


@pytest.mark.parametrize("name", NETWORKS)
def test_lives_come_and_go(name: str) -> None:
    outcome = played_by_model(_plan(name), SCENARIO)
    _well(outcome)
    assert outcome.churn is not None
    managed = name.endswith("managed")
    assert all((packets > 0) == managed for packets in outcome.churn.set_up_packets)


@pytest.mark.long
def test_hardware_does_what_the_model_does() -> None:
    plan = _plan("mesh managed")
    (outcome,) = simulate(
        Job(((plan, SCENARIO),)), build_bench(plan.spec.network, "verilator")
    ).outcomes
    _well(outcome)


def _not(*_: object) -> Steps[None]:
    """Do nothing, and say that it is done."""
    yield Ask([])


def test_an_entry_that_is_left_alive_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lifecycle, "kill", _not)
    monkeypatch.setattr(engines, "PATIENCE", 3000)
    outcome = played_by_model(_plan("mesh local"), SCENARIO)
    assert any("alive when it is over" in str(each.signal) for each in outcome.mismatches)


def test_a_set_up_by_an_old_epoch_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Epochs, "set_up", lambda *_: None)
    monkeypatch.setattr(engines, "PATIENCE", 3000)
    outcome = played_by_model(_plan("mesh managed"), SCENARIO)
    assert outcome.mismatches or outcome.hang
