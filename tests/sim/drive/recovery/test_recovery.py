"""Links and nodes die, members move: the groups come back, and the others never stop."""

import dataclasses

import pytest

from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.reader import load
from syncfabric.models.planning.plan import make_plan
from syncfabric.sim.drive.recovery import driver as recovery_driver
from syncfabric.sim.drive.recovery import registrar
from syncfabric.sim.drive.recovery.conduct import RecoveryConductor, recover
from syncfabric.sim.drive.recovery.plans import plan_after
from syncfabric.sim.drive.recovery.run import run_recovery
from syncfabric.sim.drive.recovery.story import Story
from syncfabric.sim.fabric import Fabric, build_fabric
from tests.sim.drive.recovery.stories import DRAWS, check, draw_story

SHORT = {"at": 100, "patience": 150, "episodes": 3}
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
        if (drawn := draw_story(kind, seed)) is not None:
            plan, after, story = drawn
            check(plan, story, recover(plan, after, story))
            done += 1
    assert done


@pytest.mark.long
@pytest.mark.parametrize("kind", DRAWS)
def test_hundreds_of_random_networks_on_the_model(kind: str) -> None:
    hit = 0
    for seed in range(100, 300):
        if (drawn := draw_story(kind, seed)) is not None:
            plan, after, story = drawn
            found = recover(plan, after, story)
            check(plan, story, found)
            hit += bool(found.costs)
    assert hit > 50


@pytest.mark.long
@pytest.mark.parametrize("kind", DRAWS)
def test_random_networks_in_hardware(kind: str) -> None:
    for seed in range(1000, 1006):
        if (drawn := draw_story(kind, seed)) is not None:
            plan, after, story = drawn
            check(plan, story, recover(plan, after, story, build_fabric(plan.spec.network)))


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_ready_made_networks_in_hardware(case: str) -> None:
    network, without, moves = CASES[case]
    result = run_recovery(
        load(network), without=without, moves=moves, at=100, patience=150, episodes=3
    )
    assert result.found.ok
    assert result.found.costs
    assert not result.found.early


def small(**keys: object) -> tuple:  # type: ignore[type-arg]
    spec = load("campaign-mesh")
    dead = Dead.of(spec.network.topology, ["2,2-3,2"])
    story = Story(dead=dead, **{**SHORT, **keys})  # type: ignore[arg-type]
    plan = make_plan(spec)
    return plan, plan_after(plan, story), story


def test_a_plan_that_still_takes_the_dead_link_hangs() -> None:
    plan, _, story = small(limit=6000)
    found = recover(plan, dataclasses.replace(plan, without=story.dead), story)
    assert found.hang is not None
    assert not found.early


def test_without_a_fence_the_old_group_does_not_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery_driver, "fence_words", lambda *_: {})
    hung = 0
    for seed in range(3):
        plan, after, story = small(limit=8000, seed=seed)
        hung += recover(plan, after, story).hang is not None
    assert hung


def test_without_kill_the_group_cannot_be_set_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registrar, "kill_errands", lambda *_: [])
    monkeypatch.setattr(registrar, "left_alone", lambda *_: [])
    monkeypatch.setattr(registrar, "GONE", 10)
    plan, after, story = small(limit=8000)
    assert recover(plan, after, story).hang is not None


@pytest.mark.long
def test_a_link_that_lives_on_in_hardware_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, after, story = small()
    monkeypatch.setattr(Fabric, "faults", lambda *_: None)
    assert recover(plan, after, story, build_fabric(plan.spec.network)).mismatches


def test_a_group_comes_back_with_the_next_epoch() -> None:
    conductor = RecoveryConductor(*small())
    while not conductor.finished:
        conductor.take(conductor.advance(), None)
    history = conductor.session.driver.history
    epochs = {gid: [life.epoch for life in history if life.group.id == gid] for gid in (1, 2)}
    assert epochs == {gid: [0, 1] for gid in (1, 2)}
