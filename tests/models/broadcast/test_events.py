"""Random events: the tree against a plain reference, and what must always hold."""

import random

import pytest

from syncfabric.models.broadcast.policy import Goal
from syncfabric.models.broadcast.strategies import STRATEGIES
from syncfabric.models.broadcast.tree import Policy, Tree
from tests.models.broadcast.events import Events, broken, drawn_costs, pair


def _policy(draw: random.Random) -> Policy:
    choices = (*STRATEGIES, None)
    goals: tuple[Goal, ...] = ("initial", "before")
    return Policy(
        rise=draw.choice(STRATEGIES),
        fall=draw.choice(choices),
        join=draw.choice(choices),
        leave=draw.choice(choices),
        goal=draw.choice(goals),
        new_root=draw.random() < 0.5,
    )


def _run(seed: int, events: int) -> None:
    draw = random.Random(seed)
    both = pair(draw, _policy(draw), nodes=draw.randint(1, 20), highest=draw.choice([3, 12, 100]))
    golden, tree = both.golden, both.tree
    assert golden is not None
    for _ in range(events):
        change = both.step()
        assert list(tree.nodes) == golden.nodes
        assert (change.steps, change.raised, change.cost) == (
            golden.steps,
            golden.raised,
            golden.cost,
        )
        assert tree.cost == golden.cost
        assert list(tree.paths().items()) == list(golden.paths().items())


@pytest.mark.parametrize("seed", range(20))
def test_a_tree_does_as_a_plain_reference(seed: int) -> None:
    _run(seed, events=25)


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_a_tree_does_as_a_plain_reference_for_long(seed: int) -> None:
    _run(seed, events=100)


def _unbroken(events: int, most: int, seed: int) -> None:
    draw = random.Random(seed)
    policy = Policy(fall="path", leave="position", new_root=True)
    tree = Tree(drawn_costs(draw, most // 2, 50), policy=policy)
    source = Events(tree, draw, most=most, highest=50)
    for number in range(events):
        source.step()
        assert broken(tree) is None, f"event {number}"


def test_a_thousand_events_break_nothing() -> None:
    _unbroken(1_000, most=24, seed=5)


@pytest.mark.nightly
def test_a_hundred_thousand_events_break_nothing() -> None:
    _unbroken(100_000, most=40, seed=6)
