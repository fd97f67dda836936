"""Barriers of groups that come and go, judged by what members give and are told."""

import random

import pytest

from syncfabric.models.networks.wires import WirePlane
from tests.models.golden.wire_race import Place, WireRace
from tests.models.golden.wire_story import WireStory

CYCLES = 700


def story(seed: int) -> WireStory:
    rng = random.Random(seed)
    registers = rng.randrange(4)
    plane = WirePlane(
        slots=rng.choice((1, 2, 3)),
        data_bits=rng.choice((0, 3)),
        link_registers=registers,
        shared=rng.random() < 0.5,
        parity=rng.random() < 0.5,
    )
    mesh = rng.random() < 0.6
    place = Place.mesh(*rng.choice([(2, 2), (3, 2), (3, 3)])) if mesh else Place.irregular(rng)
    # Written P + 1 cycles after the last clear.
    run = WireStory(WireRace(place, plane), rng, rng.choice((0.05, 0.3, 1.0)), registers + 1)
    for _ in range(CYCLES):
        run.step()
    return run


@pytest.mark.parametrize("seed", range(24))
def test_groups_that_come_and_go(seed: int) -> None:
    story(seed)


def test_the_stories_reach_what_they_are_for() -> None:
    runs = [story(seed) for seed in range(100, 106)]
    assert sum(run.ended for run in runs) > 50
    assert sum(run.releases for run in runs) > 500
    assert sum(run.breaks for run in runs) > 10


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1000, 1500))
def test_many_stories(seed: int) -> None:
    story(seed)
