"""What waits for set-up packets, against lists: words, and a process's flits."""

import random
from collections import deque

import pytest

from syncfabric.models.layout.flit import dimension_header, flit_layout
from syncfabric.models.networks.grid import Grid
from syncfabric.rtl.lifecycle.queue import Hold, WordQueue
from syncfabric.rtl.lifecycle.shape import SetUpShape
from syncfabric.rtl.messages import struct
from tests.rtl.support import clocked

FLIT = flit_layout(32, cut=True)
Rows = list[dict[str, int]]


@pytest.mark.parametrize("places", [1, 2, 5, 64])
def test_a_queue_at_random(places: int) -> None:
    rng, words = random.Random(places), deque[int]()
    cases, expected = Rows(), Rows()
    for _ in range(400):
        comes, word, full = rng.random() < 0.7, rng.getrandbits(9), len(words) == places
        pops = bool(words) and rng.random() < 0.5
        cases.append({"push": comes, "word": word, "pop": pops})
        first = {"first": words[0]} if words else {}
        expected.append({"some": bool(words), "full": full, **first})
        if pops:
            words.popleft()
        if comes and not full:
            words.append(word)
    compare(clocked(WordQueue(9, places), cases), expected)


@pytest.mark.parametrize(("channels", "places"), [(1, 1), (2, 6), (3, 4)])
def test_a_hold_at_random(channels: int, places: int) -> None:
    rng, held = random.Random(places), deque[tuple[int, int]]()
    cases, expected, dropped = Rows(), Rows(), 0
    for _ in range(400):
        valid, word = rng.choice((0, 1 << rng.randrange(channels))), rng.getrandbits(FLIT.width)
        blocked, drops = rng.random() < 0.6, bool(valid) and len(held) == places
        cases.append({"valid": valid, "flit": word, "blocked": blocked})
        if valid and not drops:
            held.append((valid, word))
        sent = held.popleft() if held and not blocked else (0, 0)
        expected.append({"overflow": drops, "out_valid": sent[0], "out_flit": sent[1]})
        dropped += drops
    compare(clocked(Hold(channels, struct(FLIT), places), cases), expected)
    assert dropped > 20


def compare(seen: Rows, expected: Rows) -> None:
    """Compare what is expected in each cycle."""
    for cycle, (row, wanted) in enumerate(zip(seen, expected, strict=True)):
        assert {name: row[name] for name in wanted} == wanted, cycle


@pytest.mark.parametrize(("routers", "words", "most"), [(8, 2, 8), (9, 1, 10), (1024, 1, 512)])
def test_greatest_commands(routers: int, words: int, most: int) -> None:
    """As many requests as fit, but no more than a sequence number can count."""
    header = dimension_header(Grid((4, 2)))
    shape = SetUpShape(FLIT, 2, 3, header.offsets["reply"], 8, words, routers, (1, 2))
    assert shape.requests == most
