"""What messages carry, how long ranks took, and where they ran."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

WORD = 8
"""Bytes of the numbers that reductions add up."""

Bytes: TypeAlias = NDArray[np.uint8]

Name: TypeAlias = tuple[int, int]
"""Origin and destination of a message; twice the origin if it is the same to all."""

_GOLDEN = 0x9E3779B97F4A7C15
_ONES = (1 << 64) - 1


def payload(name: Name, size: int, seed: int, turn: int) -> Bytes:
    """Return what a message carries.

    Random numbers by splitmix64 (Steele, Lea and Flood, 2014). Its steps are invertible, so in one
    turn no two messages of 8 bytes or more are alike.

    Parameters
    ----------
    name : Name
    size : int
        Bytes.
    seed, turn : int
        Of the run, and the number of times that it has been done before.

    Returns
    -------
    array of uint8, shape (size,)
    """
    start = _mix_one(_mix_one(seed << 32 ^ turn) ^ (name[0] << 32 | name[1]))
    words = np.arange(1, -(-size // WORD) + 1, dtype=np.uint64)
    words *= np.uint64(_GOLDEN)
    words += np.uint64(start)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        words ^= words >> np.uint64(shift)
        words *= np.uint64(factor)
    words ^= words >> np.uint64(31)
    # The same bytes on ranks of either byte order.
    return words.astype("<u8", copy=False).view(np.uint8)[:size]


def payload_sum(names: Iterable[Name], size: int, seed: int, turn: int) -> Bytes:
    """Return the sum of payloads as numbers of 8 bytes, modulo 2 to the 64: exact in any order.

    Parameters
    ----------
    names : iterable of Name
    size : int
        Bytes, a multiple of 8.
    seed, turn : int
        As for ``payload``.

    Returns
    -------
    array of uint8, shape (size,)
    """
    total = np.zeros(size // WORD, np.uint64)
    for name in names:
        total += payload(name, size, seed, turn).view(np.uint64)
    return total.view(np.uint8)


def first_wrong(found: Bytes, right: Bytes) -> int | None:
    """Return the first byte that differs; None if all are right."""
    if np.array_equal(found, right):
        return None
    return int(np.argmax(found != right))


def _mix_one(value: int) -> int:
    value = (value + _GOLDEN) & _ONES
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & _ONES
    value = (value ^ value >> 27) * 0x94D049BB133111EB & _ONES
    return value ^ value >> 31


@dataclass(frozen=True)
class Times:
    """How long one method took: after a barrier, the longest that a rank was at it, each time."""

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
