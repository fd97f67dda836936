"""Arithmetic on runs of an array: a tree's level is one array with a run for each subtree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.planning.tree import Ints

__all__ = ["Segments", "quadrants"]


def quadrants(dx: Ints, dy: Ints) -> Ints:
    """Return the quadrant of each offset from a centre: +X 0, +Y 1, -X 2, -Y 3.

    +X: dx > 0, dy >= 0; +Y: dy > 0, dx <= 0; -X: dx < 0, dy <= 0; -Y: dy < 0, dx >= 0. They are
    disjoint and cover all but the centre, which comes out as 3.
    """
    east = (dx > 0) & (dy >= 0)
    north = (dy > 0) & (dx <= 0)
    west = (dx < 0) & (dy <= 0)
    return np.select([east, north, west], [0, 1, 2], default=3).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Segments:
    """Runs of equal keys in an array of ``size`` places.

    Parameters
    ----------
    starts : array of int64
        First place of each run, rising from 0; no run is empty.
    size : int
        Places in all.
    """

    starts: Ints
    size: int

    @classmethod
    def of(cls, keys: Ints) -> Segments:
        """Find the runs of equal keys."""
        changes = np.flatnonzero(keys[1:] != keys[:-1]) + 1
        return cls(np.concatenate([np.zeros(1, np.int64), changes]), len(keys))

    @cached_property
    def lengths(self) -> Ints:
        """Places of each run."""
        return np.diff(self.starts, append=self.size)

    def spread(self, per_run: Ints) -> Ints:
        """Give every place the value of its run."""
        return np.repeat(per_run, self.lengths)

    def sum(self, values: Ints) -> Ints:
        """Add up each run."""
        return np.add.reduceat(values, self.starts)

    def max(self, values: Ints) -> Ints:
        """Return the greatest of each run."""
        return np.maximum.reduceat(values, self.starts)

    def min(self, values: Ints) -> Ints:
        """Return the least of each run."""
        return np.minimum.reduceat(values, self.starts)

    def first_least(self, *keys: Ints) -> Ints:
        """Return the place of each run with the least keys, compared one after another.

        All keys together must be different within a run.
        """
        places: Ints = np.arange(self.size)
        runs = self
        for key in keys:
            values = key[places]
            best: NDArray[np.bool_] = values == runs.spread(runs.min(values))
            run = runs.spread(np.arange(len(self.starts)))[best]
            places, runs = places[best], Segments.of(run)
        return places
