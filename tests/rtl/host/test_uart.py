"""The UART's receiver, its line being sampled by a clock that is not the sender's."""

import random
from collections.abc import Iterator

import pytest

from syncfabric.rtl.host.uart import Receiver
from tests.rtl.support import SEED, clocked

TEXT = bytes(range(0x20, 0x7F, 9)) + b"\r\n"


def levels(data: bytes) -> list[int]:
    """Return the bits on a line: start, data, stop, without a gap."""
    return [bit for byte in data for bit in (0, *(byte >> i & 1 for i in range(8)), 1)]


def sampled(bits: list[int], cycles: int, late: list[int]) -> list[int]:
    """Return the line in each cycle; the edge before bit i is seen late by so many cycles."""
    line: list[int] = []
    for i, bit in enumerate(bits):
        line += [line[-1] if line else 1] * (i * cycles + late[i] - len(line))
        line += [bit] * ((i + 1) * cycles - len(line))
    return line


def heard(cycles: int, line: list[int]) -> Iterator[tuple[int, int]]:
    """Yield bytes, and whether their stop bits were wrong; the line is high at its end."""
    for seen in clocked(Receiver(cycles), ({"rx": level} for level in [*line, *[1] * 10 * cycles])):
        if seen["valid"]:
            yield seen["byte"], seen["bad"]


@pytest.mark.parametrize("cycles", [4, 9])
@pytest.mark.parametrize("pattern", ["first late", "each late or not"])
def test_edges_that_are_seen_a_cycle_late(cycles: int, pattern: str) -> None:
    """Where an edge falls together with the clock's, it is seen now or a cycle later."""
    bits, rng = levels(TEXT), random.Random(f"{SEED} {cycles}")
    late = [1, *[0] * (len(bits) - 1)]
    if pattern == "each late or not":
        late = [rng.randrange(2) for _ in bits]
    line = [1, *sampled(bits, cycles, late)]  # the line begins in the cycle after reset
    assert list(heard(cycles, line)) == [(byte, 0) for byte in TEXT]


def test_a_line_that_is_low_after_reset_says_nothing() -> None:
    low = [0] * 200
    assert list(heard(4, low)) == []
    assert list(heard(4, [*low, *[1] * 4, *sampled(levels(b"r 1"), 4, [0] * 30)])) == [
        (byte, 0) for byte in b"r 1"
    ]


def test_after_a_wrong_stop_bit_the_line_must_be_high() -> None:
    line = [1, *sampled(levels(b"r")[:-1], 4, [0] * 9), *[0] * 100, *[1] * 4]
    line += sampled(levels(b"1"), 4, [0] * 10)
    assert list(heard(4, line)) == [(ord("r"), 1), (ord("1"), 0)]
