"""The UART: bytes received with a clock that is not the sender's, and bytes sent bit by bit."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from syncfabric.rtl.host.console import Receiver, Transmitter
from tests.rtl.support import SEED, clocked, simulate

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


@pytest.mark.parametrize("low", [1, 2, 3])
def test_a_glitch_is_no_start_bit(low: int) -> None:
    """A line that is high again in the middle of a start bit of 8 cycles has sent nothing."""
    glitches = [*[1] * 9, *[0] * low, *[1] * 100] * 3
    line = [*glitches, *sampled(levels(b"r"), 8, [0] * 10)]
    assert list(heard(8, line)) == [(ord("r"), 0)]


@pytest.mark.parametrize("cycles", [4, 9])
def test_each_bit_is_sent_for_its_time(cycles: int) -> None:
    """Bytes without a pause, then a pause: start, data and a whole stop bit of each."""
    data, left, seen = b"\x00\xa5\xff", list(b"\x00\xa5\xff"), []
    part = Transmitter(cycles)

    async def drive(context: Any) -> None:
        for cycle in range(31 * (cycles + 1)):
            context.set(part.valid, bool(left) and cycle > 0)
            context.set(part.byte, left[0] if left else 0)
            seen.append(context.get(part.tx))
            taken = left and cycle > 0 and context.get(part.ready)
            await context.tick()
            if taken:
                left.pop(0)

    simulate(part, drive)
    for byte in data:
        first = seen.index(0)
        assert first in (0, 1, 2), "the line is not high between bytes, or for too long"
        bits, seen = seen[first : first + 10 * cycles], seen[first + 10 * cycles :]
        assert bits == [bit for bit in levels(bytes([byte])) for _ in range(cycles)]
    assert set(seen) == {1}
