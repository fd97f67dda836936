"""Groups come and go by strobe and flush; a group that stays does not lose a cycle."""

import random

import pytest

from tests.models.golden.static_bench import Bench, Group, cycle, random_tree, ring, static
from tests.models.golden.static_play import Play

INSTANCES, EPISODES, END = 4, 3, 5000


def group_in(rng: random.Random, bench: Bench, x: int, width: int) -> Group:
    """Return a random ring or tree in some columns."""
    if rng.random() < 0.5:
        path = cycle(width, bench.mesh.height, x)
        others = rng.sample(path[1:], rng.randint(1, len(path) - 1))
        return ring(path, [path[0], *others])
    region = [(x + i, y) for i in range(width) for y in range(bench.mesh.height)]
    return random_tree(rng, bench.mesh, region)


def own_skew(episode: int, member: int, now: int) -> int:
    """Come late by numbers that do not depend on what other groups do."""
    return random.Random(f"{episode}/{member}").choice((0, 0, 1, 7, 30))


def courses(seed: int, *, changes: bool) -> tuple[list[list[int]], list[list[int]]]:
    """Return arrivals and releases of a group, beside others that come and go if ``changes``."""
    rng = random.Random(seed)
    buffers = rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 4)
    bench = Bench(static(rng.choice((4, 5)), rng.randint(2, 4), buffers))
    staying = group_in(rng, bench, 0, 2)
    bench.groups = [staying]
    bench.load()
    bench.begin(staying)
    play = Play(bench, own_skew)
    stays = play.join(staying)
    bench.clock = play.step
    gone: list[Group] = []
    for _ in range(INSTANCES if changes else 0):
        group = group_in(rng, bench, 2, bench.mesh.width - 2)
        bench.groups = [staying, group]
        bench.load(gone)
        bench.begin(group)
        course = play.join(group, EPISODES)
        while course.episodes < EPISODES:
            bench.step()
        play.leave(course)
        gone = [group]
    while bench.model.cycle < END:
        bench.step()
    return stays.arrived, stays.released


@pytest.mark.parametrize("seed", range(12))
def test_a_group_that_stays_does_not_lose_a_cycle(seed: int) -> None:
    assert courses(seed, changes=True) == courses(seed, changes=False)
