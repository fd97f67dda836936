"""Random numbers for compiled code: SplitMix64, many states beside each other or one alone."""

from math import cos, log, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.compiled import inlined

Random = NDArray[np.uint64]
"""The state of a search that has one, of shape (1)."""


def seeded(seed: int) -> Random:
    """Return a state; each seed has its own."""
    words = np.random.SeedSequence(seed % (1 << 64)).generate_state(1, np.uint64)
    return words.astype(np.uint64)


@inlined
def draw(seeds: Any, chain: Any) -> Any:
    """Return 64 random bits of one of many states, and move the state on."""
    seeds[chain] += np.uint64(0x9E3779B97F4A7C15)
    z = seeds[chain]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@inlined
def scaled(bits: Any, bound: Any) -> Any:
    """Return a number from 0 to ``bound`` - 1 from 32 random bits."""
    return np.int64((bits * np.uint64(bound)) >> np.uint64(32))


@inlined
def unit(seeds: Any, chain: Any) -> Any:
    """Return a number from 0 up to, but not including, 1."""
    return np.float64(draw(seeds, chain) >> np.uint64(11)) * 2.0**-53


@inlined
def uniform(state: Random) -> float:
    """Return a number from 0 up to, but not including, 1, of a state that is alone."""
    return float(unit(state, 0))


@inlined
def below(state: Random, most: int) -> int:
    """Return a number from 0 to ``most`` - 1, each as likely as the others."""
    return int(uniform(state) * most)


@inlined
def normal(state: Random) -> float:
    """Return a number of the normal distribution of variance 1 (Box and Muller)."""
    return sqrt(-2.0 * log(1.0 - uniform(state))) * cos(2.0 * pi * uniform(state))
