"""In every cycle the model of the engine agrees with a literal reading of the contract."""

import random
from collections import Counter

import pytest

from tests.models.golden.engine_race import EngineRace, draw_build

PLAY = 500


def chaos(seed: int, play: int = PLAY) -> Counter[str]:
    rng = random.Random(seed)
    race = EngineRace(
        draw_build(rng), rng, rng.choice((0.02, 0.1, 0.3, 1.0)), rng.choice((0.5, 0.9, 1.0))
    )
    for _ in range(race.layout.entries * 3):
        race.busy, busy = 0.0 if rng.random() < 0.99 else 0.5, race.busy
        race.step()
        race.busy = busy
    for _ in range(play):
        race.step()
    for counter, cycle in race.literal.events:
        race.seen["OVERFLOW UNEXPECTED REFUSED_COMMAND".split()[counter]] += 1
        assert cycle < race.literal.t
    return race.seen


@pytest.mark.parametrize("seed", range(40))
def test_model_is_the_literal_contract(seed: int) -> None:
    chaos(seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(40, 600))
def test_model_is_the_literal_contract_at_length(seed: int) -> None:
    chaos(seed, 2000)
