"""Islands of a search: they decide what comes out, and are as many as there are processors."""

from __future__ import annotations

import os

__all__ = ["islands"]


def islands() -> int:
    """Return how many islands a search has by default on this machine."""
    from syncfabric.models.collectives.annealing.solve import ISLANDS

    return min(len(os.sched_getaffinity(0)), ISLANDS)
