"""Hundreds of lives on the golden model, judged by the rules; thousands with ``-m long``."""

import random
from itertools import pairwise
from typing import Any

import pytest

from syncfabric.models.messages import Request
from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.sim.drive.churn.churner import Churner
from syncfabric.sim.drive.churn.notes import Born, Ordered
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.session import Session
from tests.sim.drive.churn.networks import cluster, drawn, grid, plan_with, played_by_model, well
from tests.sim.drive.networks import SEED, played

NODE: dict[str, Any] = {"turnaround": "node", "cycles_per_hop": 1, "operations": "all"}


@pytest.mark.parametrize(
    ("network", "scenario"),
    [
        (grid(), Scenario(episodes=3, churn=40)),
        (grid(barrier_registers=3), Scenario(episodes=3, churn=30, background=0.1, lead_in=50)),
        (cluster(), Scenario(episodes=3, churn=40, policy="mixed")),
        (cluster(**NODE), Scenario(episodes=3, churn=40)),
    ],
)
def test_lives_come_and_go(network: RegisterSpec, scenario: Scenario) -> None:
    outcome = played_by_model(plan_with(network), scenario)
    well(outcome, scenario)
    assert outcome.counters is not None
    assert outcome.counters[2] == 0
    assert outcome.churn is not None
    assert outcome.churn.killed > 0
    assert outcome.churn.refused > 0
    assert min(len(group.latency) for group in outcome.groups) > 10 * scenario.episodes


@pytest.mark.parametrize("number", range(4))
def test_lives_on_any_network(number: int) -> None:
    scenario = Scenario(episodes=1, seed=SEED, churn=15)
    well(played_by_model(drawn(random.Random(f"{SEED}/{number}")), scenario), scenario)


@pytest.mark.long
@pytest.mark.parametrize("number", range(60))
def test_many_lives_on_any_network(number: int) -> None:
    rng = random.Random(f"{SEED}/many/{number}")
    scenario = Scenario(
        episodes=2,
        seed=SEED + number,
        churn=100,
        background=rng.choice((0.0, 0.1, 0.3)),
        lead_in=50,
        policy=rng.choice(("last", "mixed")),
    )
    well(played_by_model(drawn(rng), scenario), scenario)


def test_a_network_without_groups_of_its_own() -> None:
    scenario = Scenario(churn=12)
    well(played_by_model(plan_with(cluster(), 0), scenario), scenario)


def test_who_finds_no_room_is_given_up() -> None:
    scenario = Scenario(episodes=1, churn=25)
    outcome = played_by_model(plan_with(grid(barrier_registers=1), 0), scenario)
    well(outcome, scenario)
    assert outcome.churn is not None
    assert outcome.churn.given_up > 0
    assert outcome.churn.refused >= 8 * outcome.churn.given_up


@pytest.mark.parametrize("network", [grid(barrier_registers=2), cluster(turnaround="node")])
def test_chunks_of_any_size_say_the_same_and_sleeping_changes_nothing(
    network: RegisterSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, scenario = plan_with(network, 1), Scenario(episodes=2, churn=8)
    wanted = played(plan, scenario)
    for cycles in (1, 17, 100_000):
        seen = played(plan, scenario, cycles)
        for name in ("text", "stimuli", "arrivals", "notes"):
            left, right = (
                [entry for chunk in chunks for entry in getattr(chunk, name)]
                for chunks in (wanted, seen)
            )
            assert left == right, name
        answered = [{**a.answered} for a in seen]
        assert sum(map(len, answered)) == sum(len(chunk.answered) for chunk in wanted)
    monkeypatch.setattr(Session, "_sleep", lambda self, end: None)
    awake = played(plan, scenario)
    assert [line for chunk in awake for line in chunk.text] == [
        line for chunk in wanted for line in chunk.text
    ]


def test_numbers_come_again_with_the_next_epoch_and_all_managers_work() -> None:
    session = Session(plan_with(grid()), Scenario(episodes=1, churn=40))
    born: dict[int, list[int]] = {}
    managers: dict[int, list[Ordered]] = {}
    churn = session.driver.churn
    assert isinstance(churn, Churner)
    while not session.finished:
        chunk = session.advance(50)
        for note in chunk.notes:
            if isinstance(note, Born):
                assert note.gid not in (7, 9)
                born.setdefault(note.gid, []).append(churn.alive[note.gid].epoch)
            if isinstance(note, Ordered):
                managers.setdefault(note.manager, []).append(note)
    assert max(map(len, born.values())) > 4
    for epochs in born.values():
        assert all((before + 1) % 4 == after for before, after in pairwise(epochs))
    assert sorted(managers) == [0, 5]
    kinds = {order.operation for orders in managers.values() for order in orders}
    assert kinds == {Request.SETUP, Request.CLEAR, Request.KILL}


def test_one_life_is_set_up_while_another_synchronizes() -> None:
    session = Session(plan_with(cluster()), Scenario(episodes=1, churn=20))
    most = 0
    churn = session.driver.churn
    assert isinstance(churn, Churner)
    while not session.finished:
        session.advance(20)
        most = max(most, len(churn.alive))
    assert most == 3


def test_churn_is_the_seeds() -> None:
    plan = plan_with(cluster())
    texts = [
        [
            line
            for chunk in played(plan, Scenario(episodes=1, seed=seed, churn=5))
            for line in chunk.text
        ]
        for seed in (1, 1, 2)
    ]
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]
