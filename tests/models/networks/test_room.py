"""A store of free ports, against a plain list of them."""

import random
from collections import Counter

from syncfabric.models.networks.random_network import Room


def test_what_is_open_has_a_free_port() -> None:
    """Ports used and freed 3,000 times; a swap that goes wrong loses a switch or doubles one."""
    rng = random.Random(3)
    left = [rng.randrange(4) for _ in range(12)]
    room, plain = Room(list(left)), list(left)
    for _ in range(3_000):
        if any(plain) and rng.random() < 0.55:
            switch = room.take(rng)
            assert plain[switch] > 0
            plain[switch] -= 1
        else:
            switch = rng.randrange(12)
            room.give(switch)
            plain[switch] += 1
        assert room.left == plain
        assert sorted(room.open) == [s for s, free in enumerate(plain) if free]


def test_using_a_switch_of_ones_choice_leaves_the_others() -> None:
    room = Room([1, 2, 1])
    room.use(0)
    room.use(1)
    assert (sorted(room.open), room.left) == ([1, 2], [0, 1, 1])
    room.use(2)
    assert room.open == [1]
    room.give(0)
    assert sorted(room.open) == [0, 1]


def test_switches_are_drawn_evenly_whatever_their_ports() -> None:
    rng, room = random.Random(5), Room([1, 9, 0, 3])
    drawn = Counter(room.any(rng) for _ in range(3_000))
    assert set(drawn) == {0, 1, 3}
    assert all(abs(count - 1_000) < 120 for count in drawn.values())
    assert room.left == [1, 9, 0, 3]
