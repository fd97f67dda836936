"""Whole networks: what is left out of a step changes nothing."""

import random
from collections import Counter

import pytest

from tests.models.golden.planes.nets import draw_irregular, draw_mesh
from tests.models.golden.planes.network_race import NetworkRace


def play(seed: int, kind: str, cycles: int) -> Counter[str]:
    rng = random.Random(f"{kind} {seed}")
    race = NetworkRace(draw_mesh(rng) if kind == "mesh" else draw_irregular(rng), rng)
    for _ in range(cycles):
        race.step()
    return race.seen


@pytest.mark.parametrize("kind", ["mesh", "irregular"])
def test_it_is_as_if_all_nodes_were_stepped(kind: str) -> None:
    seen = sum((play(seed, kind, 600) for seed in range(16)), Counter[str]())
    assert min(seen[what] for what in ("wires", "releases", "guards", "skipped", "put")) > 100


@pytest.mark.long
@pytest.mark.parametrize("kind", ["mesh", "irregular"])
@pytest.mark.parametrize("first", range(100, 300, 10))
def test_it_is_as_if_all_nodes_were_stepped_at_length(kind: str, first: int) -> None:
    for seed in range(first, first + 10):
        play(seed, kind, 3000)
