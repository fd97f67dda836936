"""Random numbers for compiled code: a state of one word, and no state elsewhere."""

from __future__ import annotations

from math import cos, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.annealing.dice import below as pick
from syncfabric.models.collectives.annealing.dice import draw, unit
from syncfabric.models.compiled import inlined

__all__ = ["Random", "below", "chance", "noise", "seeded", "two"]

Random = NDArray[np.uint64]
"""The state, of shape (1)."""


def seeded(seed: int) -> Random:
    """Return a state; each seed has its own."""
    words = np.random.SeedSequence(seed % (1 << 64)).generate_state(1, np.uint64)
    return words.astype(np.uint64)


@inlined
def chance(state: Random) -> float:
    """Return a number from 0 up to, but not including, 1."""
    return float(unit(state, 0))


@inlined
def below(state: Random, most: int) -> int:
    """Return a number from 0 to ``most`` - 1, each as likely as the others."""
    return int(chance(state) * most)


@inlined
def two(state: Random, most: int, other: int) -> tuple[int, int]:
    """Return two numbers, each from 0 to one less than its bound, from one draw."""
    bits = draw(state, 0)
    return pick(bits >> np.uint64(32), most), pick(bits & np.uint64(0xFFFFFFFF), other)


@inlined
def noise(state: Random) -> float:
    """Return a number of the normal distribution of variance 1 (Box and Muller)."""
    return sqrt(-2.0 * log(1.0 - chance(state))) * cos(2.0 * pi * chance(state))
