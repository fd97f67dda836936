"""In every cycle the model of the engine agrees with a reference model of the contract."""

import random
from collections import Counter

import pytest

from tests.models.golden.engine_race import EngineRace
from tests.models.golden.engine_stimuli import draw_build

PLAY = 500
COUNTERS = ("OVERFLOW", "UNEXPECTED", "REFUSED_COMMAND")
WANTED = {
    *("PLAIN", "GO", "LAST", "BROKEN", "freed", "arrive", "expired"),
    *("release PLAIN", "release GO", "release LAST", "release BROKEN"),
    *("READ", "SETUP", "KILL", "SETUP refused", "GO refused", "KILL refused", "KILL of no group"),
    *("access", "access refused", *COUNTERS),
}
"""What must happen in a few plays."""


def play(seed: int, cycles: int = PLAY) -> Counter[str]:
    rng = random.Random(seed)
    race = EngineRace(
        draw_build(rng), rng, rng.choice((0.1, 0.2, 0.4, 1.0)), rng.choice((0.6, 1.0, 1.0))
    )
    busy = race.busy
    for cycle in range(race.layout.entries * 3):  # the sweep; messages are not expected
        race.busy = 0.5 if cycle < 3 or rng.random() < 0.01 else 0.0
        race.step()
    for cycle in range(cycles):
        if cycle % 60 == 0:
            race.busy = rng.choice((busy, 0.0))
        race.step()
    race.seen["expired"] = race.reference.expired
    return race.seen + Counter(COUNTERS[counter] for counter, _ in race.reference.events)


@pytest.mark.parametrize("first", [0, 48])
def test_model_agrees_with_the_reference(first: int) -> None:
    seen = sum((play(first + seed) for seed in range(48)), Counter[str]())
    assert seen.keys() >= WANTED


@pytest.mark.campaign
@pytest.mark.parametrize("seed", range(100, 600))
def test_model_agrees_with_the_reference_at_length(seed: int) -> None:
    play(seed, 2000)
