"""How long ranks took, and where they ran."""

from __future__ import annotations

import os
from dataclasses import dataclass
from statistics import median
from typing import Any

__all__ = ["Times", "library_words", "now", "processors", "slowest"]


@dataclass(frozen=True)
class Times:
    """How long one way took: after a barrier, the longest that a rank was at it, each time."""

    name: str
    seconds: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """Return name, median, least and all, in seconds."""
        return {
            "name": self.name,
            "median": round(median(self.seconds), 7),
            "min": round(min(self.seconds), 7),
            "seconds": [round(value, 7) for value in self.seconds],
        }


def slowest(name: str, ranks: list[list[float]]) -> Times:
    """Return the times of all ranks as one: each time the longest."""
    return Times(name, tuple(map(max, zip(*ranks, strict=True))))


def now() -> float:
    """Return MPI's clock, in seconds."""
    from mpi4py import MPI

    return float(MPI.Wtime())


def processors() -> int:
    """Return how many processors this rank may run on."""
    return len(os.sched_getaffinity(0))


def library_words() -> str:
    """Return the MPI library's name and version."""
    from mpi4py import MPI

    first = MPI.Get_library_version().splitlines()[0]
    return " ".join(first.replace("Version:", " ").split())
