"""Random numbers and division in hardware against numpy's and Python's."""

import random

import numpy as np
import pytest
from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models import traffic
from syncfabric.rtl.traffic.headers import divide, xorshift32
from tests.rtl.support import SEED, evaluate


class Arithmetic(wiring.Component):
    """Next state of a generator, and a quotient."""

    def __init__(self, divisor: int, below: int) -> None:
        self._divisor, self._below = divisor, below
        super().__init__({"state": In(32), "value": In(21), "following": Out(32), "ratio": Out(21)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.d.comb += [
            self.following.eq(xorshift32(self.state)),
            self.ratio.eq(divide(self.value, self._divisor, self._below)),
        ]
        return m


def test_xorshift_steps_as_the_model_does() -> None:
    rng = random.Random(SEED)
    states = [1, 0xFFFFFFFF, 0x80000000, *(rng.getrandbits(32) for _ in range(50))]
    expected = traffic.xorshift32(np.array(states, np.uint32)).tolist()
    seen = evaluate(Arithmetic(1, 2), [{"state": state} for state in states])
    assert [case["following"] for case in seen] == expected


@pytest.mark.parametrize(
    ("divisor", "below"), [(1, 1), (3, 21), (7, 49), (8, 64), (10, 1000), (1000, 1000000)]
)
def test_quotient_is_right_for_every_value(divisor: int, below: int) -> None:
    rng = random.Random(SEED)
    values = list(range(below)) if below <= 1000 else [rng.randrange(below) for _ in range(500)]
    edges = [quotient * divisor - below_it for quotient in range(1, 20) for below_it in (0, 1)]
    values += [value for value in (*edges, below - 1) if 0 <= value < below]
    seen = evaluate(Arithmetic(divisor, below), [{"value": value} for value in values])
    assert [case["ratio"] for case in seen] == [value // divisor for value in values]
