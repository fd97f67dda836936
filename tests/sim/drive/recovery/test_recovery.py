"""Links and nodes die, members move: the groups come back, and the others never stop."""

import pytest

from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.reader import load
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.recovery.run import recover, run_recovery
from syncfabric.sim.drive.recovery.scenario import RecoveryScenario, fences, plan_after
from syncfabric.sim.fabric import Fabric, build_fabric
from syncfabric.sim.lifecycle import ByChain
from syncfabric.sim.lifecycle.effects import Ask, Steps
from tests.sim.drive.networks import mesh
from tests.sim.drive.recovery.scenarios import DRAWS, check, draw_scenario

SHORT = {"at": 100, "timeout": 150, "episodes": 3}
CASES = {
    "link of a mesh": ("campaign-mesh", ["2,2-3,2"], []),
    "router": ("campaign-mesh", ["2,2"], []),
    "switch": ("campaign-cluster", ["2"], []),
    "ring": ("reflex-4x4", ["1,1-1,2"], []),
    "move on a mesh": ("churn-mesh", [], ["2:3,3-1,2"]),
    "move on a cluster": ("churn-cluster", [], ["2:4,3-6,1"]),
    "move on a ring": ("reflex-groups", [], ["2:5,1-6,1"]),
}


@pytest.mark.parametrize("kind", DRAWS)
def test_random_networks_on_the_model(kind: str) -> None:
    done = 0
    for seed in range(3):
        if (drawn := draw_scenario(kind, seed)) is not None:
            plan, after, scenario = drawn
            check(plan, scenario, recover(plan, after, scenario))
            done += 1
    assert done


@pytest.mark.long
@pytest.mark.parametrize("kind", DRAWS)
def test_hundreds_of_random_networks_on_the_model(kind: str) -> None:
    hit = 0
    for seed in range(100, 300):
        if (drawn := draw_scenario(kind, seed)) is not None:
            plan, after, scenario = drawn
            found = recover(plan, after, scenario)
            check(plan, scenario, found)
            hit += bool(found.costs)
    assert hit > 50


@pytest.mark.long
@pytest.mark.parametrize("kind", DRAWS)
def test_random_networks_in_hardware(kind: str) -> None:
    for seed in range(1000, 1006):
        if (drawn := draw_scenario(kind, seed)) is not None:
            plan, after, scenario = drawn
            check(plan, scenario, recover(plan, after, scenario, build_fabric(plan.spec.network)))


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_ready_made_networks_in_hardware(case: str) -> None:
    network, without, moves = CASES[case]
    result = run_recovery(
        load(network), without=without, moves=moves, at=100, timeout=150, episodes=3
    )
    assert result.ok
    assert result.costs
    assert not result.early


def small(**keys: object) -> tuple:  # type: ignore[type-arg]
    spec = load("campaign-mesh")
    dead = Dead.of(spec.network.topology, ["2,2-3,2"])
    scenario = RecoveryScenario(dead=dead, **{**SHORT, **keys})  # type: ignore[arg-type]
    plan = make_plan(spec)
    return plan, plan_after(plan, scenario), scenario


@pytest.mark.parametrize(
    ("name", "closed"),
    [
        ("1,1-2,1", {5: {Port.EAST}, 6: {Port.WEST}}),
        ("0,1", {5: {Port.WEST}, 8: {Port.SOUTH}, 0: {Port.NORTH}}),
    ],
)
def test_dead_links_are_closed_where_something_lives(
    name: str, closed: dict[int, set[Port]]
) -> None:
    network = mesh(4, 3, check_bits=8)
    writes = fences(network, Dead.of(network.topology, [name]))
    masks = {target: sum(1 << port for port in ports) for target, ports in closed.items()}
    assert {target: word for target, _, word in writes} == masks


def test_without_kill_nothing_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def not_at_all(*_: object) -> Steps[None]:
        yield Ask([])

    monkeypatch.setattr(ByChain, "kill", not_at_all)
    plan, after, scenario = small(limit=8000)
    found = recover(plan, after, scenario)
    assert not found.ok
    assert not found.costs


@pytest.mark.long
def test_a_link_that_lives_on_in_hardware_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, after, scenario = small()
    monkeypatch.setattr(Fabric, "faults", lambda *_: None)
    assert recover(plan, after, scenario, build_fabric(plan.spec.network)).mismatches
