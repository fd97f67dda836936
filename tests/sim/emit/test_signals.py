"""Bits of signals, joined and cut, against lists of single bits."""

import random
from itertools import pairwise

import pytest

from syncfabric.sim.emit.netlist import Assign, Bits, Signal, Switch, Wire
from syncfabric.sim.emit.signals import borders, cut, given, gives, merged, runs, single

WIRES = [Wire("a", 8), Wire("b", 5)]
ZERO = Bits(None, 0, 1)


def drawn(rng: random.Random) -> Signal:
    """Return a signal of some constants and some bits of wires."""
    parts = list[Bits]()
    for _ in range(rng.randint(1, 6)):
        width = rng.randint(1, 4)
        wire = rng.choice([None, *WIRES])
        low = rng.randrange(wire.width - width + 1) if wire else rng.getrandbits(width)
        parts.append(Bits(wire, low, width))
    return tuple(parts)


def flat(signal: Signal) -> list[Bits]:
    return [bit for bits in signal for bit in single(bits)]


@pytest.mark.parametrize("seed", range(30))
def test_bits_are_those_of_a_list(seed: int) -> None:
    rng = random.Random(seed)
    signal = drawn(rng)
    bits = flat(signal)
    joined = merged(signal)
    assert flat(joined) == bits
    for one, other in pairwise(joined):
        assert one.wire is not other.wire or (one.wire and one.low + one.width != other.low)
    low, width = rng.randrange(len(bits)), rng.randint(1, 12)
    missing = max(0, low + width - len(bits))
    here = bits[low : low + width]
    assert flat(cut(signal, low, width)) == here + [ZERO] * missing
    assert flat(cut(signal, low, width, signed=True)) == here + [bits[-1]] * missing


@pytest.mark.parametrize("mask", [0, 1, 0b1101, 0b0110_0000, 2**70 - 1])
def test_runs_make_up_a_mask(mask: int) -> None:
    found = list(runs(mask))
    assert sum((1 << width) - 1 << low for low, width in found) == mask
    assert all(b > a + width for (a, width), (b, _) in pairwise(found))


def test_statements_give_what_they_assign_in_any_case() -> None:
    first, second = (Assign((Bits(WIRES[0], low, 2),), (Bits(None, 0, 2),)) for low in (1, 5))
    switch = Switch((Bits(WIRES[1], 0, 1),), [(["1"], [first]), ([], [second])])
    assert [bit for bit in range(8) if gives(switch, bit)] == [1, 2, 5, 6]
    assert [bit for bit in range(8) if gives(first, bit)] == [1, 2]
    assert (given([switch]), given([first]), given([])) == (0b0110_0110, 0b0110, 0)
    assert sorted(borders([switch])) == [1, 3, 5, 7]
