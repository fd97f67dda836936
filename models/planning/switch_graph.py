"""Distances between the switches of an irregular network, for one root or for many at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.planning.tree import Ints

__all__ = ["BATCH", "SwitchGraph"]

BATCH = 64
"""Roots that ``eccentricities`` and ``shapes`` take at once: a bit each of a word a switch."""

Masks = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class SwitchGraph:
    """The links of every switch, in order of the switch at the other end, then of the own port.

    Those of switch s are at ``indptr[s]`` to ``indptr[s + 1]``.

    Parameters
    ----------
    indptr : array of int64, shape (q + 1,)
        Where each switch's links begin.
    neighbour : array of int64, shape (2 m,)
        The switch at the other end.
    port, far_port : array of int64, shape (2 m,)
        The switch's own port, and that at the other end.
    """

    indptr: Ints
    neighbour: Ints
    port: Ints
    far_port: Ints

    @classmethod
    def of(cls, topology: Irregular) -> SwitchGraph:
        """Take a topology's links."""
        return cls(topology.indptr, topology.neighbour, topology.port, topology.far_port)

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @cached_property
    def degree(self) -> Ints:
        """Links of each switch, shape (q,)."""
        return np.diff(self.indptr)

    @cached_property
    def owner(self) -> Ints:
        """The switch whose link it is, shape (2 m,)."""
        return np.repeat(np.arange(len(self)), self.degree)

    def ports_between(self, here: Ints, there: Ints) -> tuple[Ints, Ints]:
        """Return both ports of a link from each switch ``here`` to its neighbour ``there``.

        Of several such links it is the one with the lowest port of ``here``.
        """
        keys = self.owner * len(self) + self.neighbour
        first = np.searchsorted(keys, here * len(self) + there)
        return self.port[first], self.far_port[first]

    def spanning(self, root: int) -> tuple[Ints, Ints]:
        """Return parent and level of every switch in the BFS tree around a root.

        The parent is the lowest-numbered switch of the level above: what scanning each level's
        switches in order gives (paper BTIN, section 3.1). Both are -1 at what cannot be reached,
        and the parent is at the root.
        """
        parent = np.full(len(self), -1, dtype=np.int64)
        level = np.full(len(self), -1, dtype=np.int64)
        place = np.empty(len(self), dtype=np.int64)
        level[root] = depth = 0
        front = np.array([root], dtype=np.int64)
        while len(front):
            depth += 1
            counts = self.degree[front]
            above = np.repeat(front, counts)
            entries = np.arange(len(above)) + np.repeat(
                self.indptr[front] - np.cumsum(counts) + counts, counts
            )
            below = self.neighbour[entries]
            new = level[below] < 0
            above, below = above[new], below[new]
            # Of several assignments to one place the last one stays: backwards, the first.
            parent[below[::-1]] = above[::-1]
            level[below] = depth
            order = np.arange(len(below))
            place[below[::-1]] = order[::-1]
            front = np.sort(below[place[below] == order])
        return parent, level

    def eccentricities(self, roots: Ints, targets: Ints) -> Ints:
        """Return the levels from each root to its farthest target, shape (len(roots),).

        All targets must be reachable. Time for each ``BATCH`` roots: links times levels.
        """
        return np.concatenate([self._farthest(batch, targets) for batch in _batches(roots)])

    def shapes(self, roots: Ints, targets: Ints) -> tuple[Ints, Ints]:
        """Return edges and leaves of the tree that spans the targets around each root.

        It is the BFS tree of ``spanning`` without what leads to no target; roots are targets.

        Returns
        -------
        edges, leaves : array of int64, shape (len(roots),)
            A leaf has no switch below.
        """
        shapes = [self._shape(batch, targets) for batch in _batches(roots)]
        edges, leaves = np.concatenate(shapes, axis=1)
        return edges, leaves

    def waves(self, roots: Ints) -> Iterator[Masks]:
        """Yield the switches of each level, a bit for each root, level 0 first."""
        front = np.zeros(len(self), dtype=np.uint64)
        np.bitwise_or.at(front, roots, _bits(len(roots)))
        seen = front.copy()
        rows = np.flatnonzero(self.degree)
        starts = self.indptr[rows]
        while front.any():
            yield front
            reached = np.zeros(len(self), dtype=np.uint64)
            if len(rows):
                reached[rows] = np.bitwise_or.reduceat(front[self.neighbour], starts)
            front = reached & ~seen
            seen |= front

    def _farthest(self, roots: Ints, targets: Ints) -> Ints:
        bits, far = _bits(len(roots)), np.zeros(len(roots), dtype=np.int64)
        for level, wave in enumerate(self.waves(roots)):
            far[(np.bitwise_or.reduce(wave[targets]) & bits) != 0] = level
        return far

    def _shape(self, roots: Ints, targets: Ints) -> tuple[Ints, Ints]:
        """Walk the waves back: what leads to a target marks its parent as one that does too."""
        waves = []
        for wave in self.waves(roots):
            rows = np.flatnonzero(wave)
            waves.append((rows, wave[rows]))
        wanted = np.zeros(len(self), dtype=np.uint64)
        wanted[targets] = np.bitwise_or.reduce(_bits(len(roots)))
        inner = np.zeros(len(self), dtype=np.uint64)
        above = np.zeros(len(self), dtype=np.uint64)
        for (rows, reached), (rows_above, reached_above) in zip(
            waves[:0:-1], waves[-2::-1], strict=True
        ):
            above[rows_above] = reached_above
            self._mark_parents(rows, reached & (wanted[rows] | inner[rows]), above, inner)
            above[rows_above] = 0
        count = len(roots)
        edges = _count_bits(wanted | inner, count) - 1
        return edges, _count_bits((wanted | inner) & ~inner, count)

    def _mark_parents(self, rows: Ints, open_: Masks, above: Masks, inner: Masks) -> None:
        """Mark each row's parents: the first neighbour of the level above, root by root."""
        rank = 0
        while len(rows):
            left = (open_ != 0) & (self.degree[rows] > rank)
            rows, open_ = rows[left], open_[left]
            neighbour = self.neighbour[self.indptr[rows] + rank]
            taken = open_ & above[neighbour]
            np.bitwise_or.at(inner, neighbour, taken)
            open_ = open_ & ~taken
            rank += 1


def _batches(roots: Ints) -> list[Ints]:
    return [roots[i : i + BATCH] for i in range(0, len(roots), BATCH)]


def _bits(count: int) -> Masks:
    bits: Masks = np.uint64(1) << np.arange(count, dtype=np.uint64)
    return bits


def _count_bits(masks: Masks, count: int) -> Ints:
    """Count each of the lowest ``count`` bits over all masks."""
    octets = masks.astype("<u8").view(np.uint8).reshape(-1, 8)
    ones: Ints = np.unpackbits(octets, axis=1, bitorder="little").sum(axis=0, dtype=np.int64)
    return ones[:count]
