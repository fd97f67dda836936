"""Hundreds of lives on the golden model, judged by the rules; thousands with ``-m long``."""

import random

import pytest

from syncfabric.models.layout.setup import Operation
from syncfabric.sim.drive.group_events import Commanded, Created, Removed
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.session import Session
from tests.sim.drive.churn.networks import (
    NETWORKS,
    drawn,
    grid,
    plan_with,
    played_by_model,
    well,
)
from tests.sim.drive.networks import SEED, mesh, played


@pytest.mark.parametrize(
    ("name", "scenario"),
    [
        ("mesh managed", Scenario(episodes=2, seed=3, churn=24)),
        ("mesh local", Scenario(episodes=3, churn=30, background=0.1, lead_in=50)),
        ("irregular managed", Scenario(episodes=3, churn=30, policy="mixed")),
        ("routed local", Scenario(episodes=2, seed=3, churn=24)),
    ],
)
def test_lives_come_and_go(name: str, scenario: Scenario) -> None:
    outcome = played_by_model(plan_with(NETWORKS[name]), scenario)
    well(outcome, scenario)
    churn = outcome.churn
    assert churn is not None
    assert churn.given_up == 0
    assert churn.killed > 0
    managed = name.endswith("managed")
    assert all((packets > 0) == managed for packets in churn.set_up_packets)
    assert min(len(group.latency) for group in outcome.groups) > 2 * scenario.episodes


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
    well(played_by_model(plan_with(NETWORKS["irregular managed"], 0), scenario), scenario)


def test_who_finds_no_entries_is_given_up() -> None:
    scenario = Scenario(episodes=1, churn=12)
    plan = plan_with(grid(groups=2), 2)
    outcome = played_by_model(plan, scenario)
    well(outcome, scenario)
    assert outcome.churn is not None
    assert outcome.churn.given_up > 0


def test_chunks_of_any_size_say_the_same_and_sleeping_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan, scenario = plan_with(grid(), 1), Scenario(episodes=2, churn=8)
    wanted = played(plan, scenario)
    for cycles in (1, 17, 100_000):
        seen = played(plan, scenario, cycles)
        for name in ("text", "stimuli", "acts"):
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


def test_lives_are_as_they_should() -> None:
    plan, scenario = plan_with(grid(operations="all", data_bits=4)), Scenario(episodes=1, churn=250)
    notes = [note for chunk in played(plan, scenario) for note in chunk.acts]
    born = [note for note in notes if isinstance(note, Created)]
    assert len(born) == 250
    sizes = [len(life.nodes) for life in born]
    assert {min(sizes), max(sizes)} == {2, 6}
    assert {life.op for life in born} == {"or", "and", "xor", "max", "min", "sum"}
    assert not {7, 9} & {life.gid for life in born}
    orders = [note for note in notes if isinstance(note, Commanded)]
    assert {order.manager for order in orders} == {0, 1}
    killed = {order.number for order in orders if order.operation is Operation.KILL}
    assert 250 / 16 < len(killed) < 250 / 5
    episodes = [life.episodes for life in born if life.number not in killed]
    assert {min(episodes), max(episodes)} == {1, 8}
    assert any(life.episodes > 8 for life in born if life.number in killed)
    alive = most = 0
    for note in notes:
        alive += isinstance(note, Created) - isinstance(note, Removed)
        most = max(most, alive)
    assert most == 4


def test_on_a_large_network_most_are_few() -> None:
    plan = plan_with(mesh(6, 6, groups=8), 0)
    notes = [note for chunk in played(plan, Scenario(episodes=1, churn=40)) for note in chunk.acts]
    sizes = sorted(len(note.nodes) for note in notes if isinstance(note, Created))
    assert sizes[len(sizes) // 2] <= 6
    assert sizes[-1] > 12


def test_churn_is_the_seeds() -> None:
    plan = plan_with(NETWORKS["mesh local"])
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
