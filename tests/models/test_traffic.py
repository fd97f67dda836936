"""The traffic generator against the same arithmetic on plain integers, node by node."""

import random
from collections import Counter

import numpy as np
import pytest
from numpy.typing import NDArray

from syncfabric.models.patterns import Pattern
from syncfabric.models.traffic import (
    WARM_CYCLES,
    TrafficGenerator,
    rate_word,
    seeds,
    xorshift32,
)

WORD = 2**32 - 1


def shifted(state: int) -> int:
    state ^= state << 13 & WORD
    state ^= state >> 17
    return state ^ (state << 5 & WORD)


class PlainNode:
    """One node's generator, a cycle at a time."""

    def __init__(self, index: int, nodes: int, goal: int = -1, share: int = 0) -> None:
        self.index, self.nodes = index, nodes
        self.goal, self.share = goal, share
        self.a = self.b = self.warm = 0

    def step(self, load: int | None, enable: bool, rate: int) -> int | None:
        """Advance a cycle; return the destination of the packet created in it."""
        destination = None
        if self.warm:
            self.a, self.b, self.warm = shifted(self.a), shifted(self.b), self.warm - 1
        elif enable and self.nodes > 1:
            self.a = shifted(self.a)
            if self.a >> 8 < rate and self.goal != self.index:
                self.b = shifted(self.b)
                draw = (self.b >> 16) * (self.nodes - 1) >> 16
                destination = draw + (draw >= self.index)
                if self.goal >= 0 and self.b % 65536 < self.share:
                    destination = self.goal
        if load is not None:
            key = self.index * 0x9E3779B9 & WORD
            self.a, self.b = (load ^ key) or 1, (~load & WORD ^ key) or 1
            self.warm = 64
        return destination


def test_xorshift_is_marsaglias() -> None:
    """His first number from his own seed."""
    assert xorshift32(np.array([2463534242], np.uint32)).tolist() == [723471715]


def test_a_zero_seed_becomes_one() -> None:
    a, b = seeds(2, 0)
    assert a.tolist() == [1, 0x9E3779B9]
    assert b.tolist() == [WORD, 0x9E3779B9 ^ WORD]
    assert seeds(1, WORD)[1].tolist() == [1]


@pytest.mark.parametrize(
    ("rate", "word"), [(0.0, 0), (0.1, 335544), (1.0, 3355443), (5.0, 2**24 - 1)]
)
def test_rate_word(rate: float, word: int) -> None:
    assert rate_word(rate) == word


@pytest.mark.parametrize("share", [0, 1, 30_000, 65_535, 65_536])
@pytest.mark.parametrize("nodes", [1, 2, 15, 64])
def test_every_cycle_is_as_on_plain_integers(nodes: int, share: int) -> None:
    """Rates that change, pauses, loads in the middle of it all; goals, themselves, and none."""
    rng = random.Random(f"{nodes}/{share}")
    generator = TrafficGenerator(nodes, block=16)
    goals = [rng.choice([-1, index, rng.randrange(nodes)]) for index in range(nodes - 1)] + [0]
    if share:
        generator.aim(Pattern("drawn", tuple(goals), share))
    aimed = goals if share else [-1] * nodes
    plain = [PlainNode(index, nodes, goal, share) for index, goal in enumerate(aimed)]
    rate, enable, total = 0, False, 0
    for cycle in range(1500):
        load = rng.getrandbits(32) if cycle == 3 or rng.random() < 0.003 else None
        if rng.random() < 0.1:
            rate, enable = rate_word(rng.choice([0.0, 0.1, 1.0, 4.0])), rng.random() < 0.7
        expected = [
            (node.index, destination)
            for node in plain
            if (destination := node.step(load, enable, rate)) is not None
        ]
        assert generator.step(load=load, enable=enable, rate=rate) == expected
        total += len(expected)
    assert total > 100 or nodes == 1


def events(nodes: int, *, seed: int, rate: int, cycles: int) -> NDArray[np.int64]:
    """Return cycle, source and destination of every packet created after warming up."""
    generator = TrafficGenerator(nodes)
    generator.step(load=seed)
    for _ in range(WARM_CYCLES):
        generator.step()
    created = (generator.step(enable=True, rate=rate) for _ in range(cycles))
    rows = [(cycle, *packet) for cycle, packets in enumerate(created) for packet in packets]
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def test_events_are_uniform_and_as_many_as_asked() -> None:
    found = events(16, seed=9, rate=rate_word(1.0), cycles=4000)
    assert found.shape[1] == 3
    assert len(found) == pytest.approx(16 * 4000 / 5, rel=0.03)
    assert (found[:, 1] != found[:, 2]).all()
    pairs = Counter(map(tuple, found[:, 1:].tolist()))
    assert len(pairs) == 16 * 15
    assert 25 < min(pairs.values()) < max(pairs.values()) < 95
    assert (np.diff(found[:, 0]) >= 0).all()


def test_a_longer_run_begins_as_a_shorter_one() -> None:
    short = events(9, seed=1, rate=rate_word(0.3), cycles=300)
    long = events(9, seed=1, rate=rate_word(0.3), cycles=900)
    assert (long[: len(short)] == short).all()


def test_idle_never_misses_a_packet() -> None:
    generator = TrafficGenerator(4, block=32)
    rate = rate_word(0.05)
    assert generator.idle() is None
    generator.step(load=1)
    assert generator.idle(enable=True, rate=rate) == WARM_CYCLES
    generator.skip(WARM_CYCLES, enable=True)
    for _ in range(300):
        ahead = generator.idle(enable=True, rate=rate)
        assert ahead is not None
        for _ in range(ahead):
            assert generator.step(enable=True, rate=rate) == []
        generator.step(enable=True, rate=rate)
