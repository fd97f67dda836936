"""Tournament selection."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.mboa.chance import Random, below
from syncfabric.models.compiled import inlined

__all__ = ["tournament"]


@inlined
def tournament(cost: NDArray[np.int64], rivals: int, random: Random) -> int:
    """Return the one with the fewest conflicts of some at random."""
    best = below(random, len(cost))
    for _ in range(rivals - 1):
        other = below(random, len(cost))
        if cost[other] < cost[best]:
            best = other
    return best
