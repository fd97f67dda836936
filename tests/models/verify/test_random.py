"""Larger networks with everything that may go wrong, in random orders."""

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.models.verify.explorer import Violation, run
from tests.models.verify.scenario import Group, Rules, Scenario
from tests.models.verify.setup import SetUp

RUNS = 150


def draw(rng: random.Random, rules: Rules = Rules()) -> Scenario:  # noqa: B008 - it is frozen
    """Draw up to seven routers, two managers, and their groups over any trees."""
    routers, shares = rng.randint(2, 7), rng.randint(1, 2)
    groups: list[Group] = []
    managers: list[tuple[int, ...]] = []
    for manager in range(2):
        first = len(groups)
        for _ in range(rng.randint(1, 5)):
            order = rng.sample(range(routers), rng.randint(1, routers))
            tree = {order[0]: order[0]}
            for router in order[1:]:
                tree[router] = rng.choice(list(tree))
            # A router without children has a member.
            leaves = [r for r in tree if all(up != r or r == child for child, up in tree.items())]
            members = {*leaves, *rng.sample(order, rng.randint(1, len(order)))}
            groups.append(
                Group(
                    tree,
                    tuple(sorted(members)),
                    {router: manager * shares + rng.randrange(shares) for router in tree},
                    rng.randint(1, 3),
                    rng.random() < 0.3,
                )
            )
        managers.append(tuple(range(first, len(groups))))
    return Scenario(
        routers,
        tuple(groups),
        tuple(managers),
        2 * shares,
        losses=rng.choice([0, 0, 2, 5]),
        aborts=rng.choice([0, 0, 2, 5]),
        breaks=rng.choice([0, 0, 2]),
        linked=rng.random() < 0.5,
        drops=True,
        rules=rules,
    )


def test_random_runs(record_property: Callable[[str, object], None]) -> None:
    rng, events = random.Random(1), 0
    for _ in range(RUNS):
        events += run(SetUp(draw(rng)), rng, 100_000)
    record_property("coverage", f"set-up, larger networks: {RUNS} random runs, {events:,} events")


@pytest.mark.parametrize(
    "weakened",
    [
        Rules(epochs=1),
        Rules(anded=False),
        Rules(busy=False),
        Rules(ended=False),
        Rules(kill_epoch=False),
        Rules(kill_sets=False),
        Rules(root_last=False),
        Rules(tags=1),
    ],
    ids=lambda rules: next(k for k, v in vars(rules).items() if v != getattr(Rules(), k)),
)
def test_random_runs_find_what_is_missing(weakened: Rules) -> None:
    rng = random.Random(2)

    def many() -> None:
        for _ in range(400):
            run(SetUp(draw(rng, weakened)), rng, 20_000)

    with pytest.raises((Violation, MemoryError)):
        many()


def test_a_run_can_be_repeated() -> None:
    scenario = replace(draw(random.Random(3)), losses=1)
    lengths = {run(SetUp(scenario), random.Random(4), 100_000) for _ in range(2)}
    assert len(lengths) == 1
