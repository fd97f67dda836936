"""Random numbers for compiled code, of many states beside each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from syncfabric.models.compiled import inlined

__all__ = ["below", "draw", "unit"]


@inlined
def draw(seeds: Any, chain: Any) -> Any:
    """Return 64 random bits (SplitMix64), and move the state on."""
    seeds[chain] += np.uint64(0x9E3779B97F4A7C15)
    z = seeds[chain]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@inlined
def below(bits: Any, bound: Any) -> Any:
    """Return a number from 0 to ``bound`` - 1 from 32 random bits."""
    return np.int64((bits * np.uint64(bound)) >> np.uint64(32))


@inlined
def unit(seeds: Any, chain: Any) -> Any:
    """Return a number from 0 up to, but not including, 1."""
    return np.float64(draw(seeds, chain) >> np.uint64(11)) * 2.0**-53
