"""Whole networks: what is left out of a step changes nothing."""

import random
from collections import Counter

import pytest

from tests.models.golden.planes.nets import draw_irregular, draw_mesh
from tests.models.golden.planes.network_race import NetworkRace


def play(seed: int, kind: str, managers: int, cycles: int) -> Counter[str]:
    rng = random.Random(f"{kind} {managers} {seed}")
    race = NetworkRace((draw_mesh if kind == "mesh" else draw_irregular)(rng, managers), rng)
    for _ in range(cycles):
        race.step()
    return race.seen


@pytest.mark.parametrize("managers", [0, 1, 3])
@pytest.mark.parametrize("kind", ["mesh", "irregular"])
def test_it_is_as_if_all_nodes_were_stepped(kind: str, managers: int) -> None:
    seen = sum((play(seed, kind, managers, 500) for seed in range(8)), Counter[str]())
    assert min(seen[what] for what in ("wires", "releases", "guards", "skipped", "put")) > 5


@pytest.mark.long
@pytest.mark.parametrize("kind", ["mesh", "irregular"])
@pytest.mark.parametrize("first", range(100, 300, 10))
def test_it_is_as_if_all_nodes_were_stepped_at_length(kind: str, first: int) -> None:
    for seed in range(first, first + 10):
        play(seed, kind, seed % 5, 3000)
