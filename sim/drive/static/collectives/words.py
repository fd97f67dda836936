"""The words that members bring along: drawn from the scenario's seed, and nothing else."""

from __future__ import annotations

import random

__all__ = ["words_of"]


def words_of(seed: int, place: int, operation: int, members: int, bits: int) -> list[int]:
    """Return a word for each member: what it gives to a reduction, or gets by a scatter.

    A broadcast is of the root's.

    Parameters
    ----------
    seed : int
        The scenario's.
    place : int
        Of the collective in the scenario.
    operation : int
        From 0.
    members : int
    bits : int
        Of a word.
    """
    rng = random.Random(f"{seed}/collective/{place}/{operation}")
    return [rng.getrandbits(bits) for _ in range(members)]
