"""Random numbers for compiled code: a state of one word, and no state elsewhere."""

from __future__ import annotations

from math import cos, log, pi, sqrt

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Random", "below", "chance", "noise", "seeded"]

Random = NDArray[np.uint64]
"""The state, of shape (1)."""


def seeded(seed: int) -> Random:
    """Return a state; each seed has its own."""
    return np.random.SeedSequence(seed % (1 << 64)).generate_state(1, np.uint64) | np.uint64(1)


@njit(cache=True, forceinline=True)
def _word(state: Random) -> np.uint64:
    """Marsaglia's xorshift with a multiplication at its end (xorshift64*)."""
    word = state[0]
    word ^= word >> np.uint64(12)
    word ^= word << np.uint64(25)
    word ^= word >> np.uint64(27)
    state[0] = word
    return np.uint64(word * np.uint64(0x2545F4914F6CDD1D))


@njit(cache=True, forceinline=True)
def chance(state: Random) -> float:
    """Return a number from 0 up to, but not including, 1."""
    return float(_word(state) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(cache=True, forceinline=True)
def below(state: Random, most: int) -> int:
    """Return a number from 0 to ``most`` - 1, each as likely as the others."""
    return int(chance(state) * most)


@njit(cache=True)
def noise(state: Random) -> float:
    """Return a number of the normal distribution of variance 1 (Box and Muller)."""
    return sqrt(-2.0 * log(1.0 - chance(state))) * cos(2.0 * pi * chance(state))
