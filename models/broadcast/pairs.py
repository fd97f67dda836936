"""Numbers by pairs of nodes: a hash table that is asked for many pairs at once.

Open addressing with linear probing; Knuth, The Art of Computer Programming, volume 3, section 6.4.
A change takes constant time, amortized, however many there are, and dropping a node as long as it
has pairs.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.compiled import compiled

Keys: TypeAlias = NDArray[np.int64]
Values: TypeAlias = NDArray[np.float64]

NODES = 1 << 31
"""Nodes are lower."""
FREE, DROPPED = -1, -2
"""In place of a key."""


class Pairs:
    """A table of numbers by ordered pairs of nodes."""

    def __init__(self) -> None:
        self._keys, self._values = np.full(16, FREE), np.empty(16)
        self._used = self._held = 0
        """Places that are not free, and pairs."""
        self._partners: dict[int, set[tuple[int, int]]] = {}

    def __len__(self) -> int:
        return self._held

    def put(self, one: int, other: int, value: float) -> None:
        """Set the number of a pair."""
        if 2 * self._used >= len(self._keys):
            self._make_room()
        place = _place(self._keys, one * NODES + other)
        if self._keys[place] < 0:
            self._keys[place] = one * NODES + other
            self._used += 1
            self._held += 1
            for node in (one, other):
                self._partners.setdefault(node, set()).add((one, other))
        self._values[place] = value

    def find(self, one: Keys, other: Keys) -> Values:
        """Return the numbers of pairs, of shape (pairs); NaN: there is none."""
        return _find(self._keys, self._values, one * NODES + other)

    def drop(self, node: int) -> None:
        """Remove all pairs of a node."""
        for pair in self._partners.pop(node, ()):
            for partner in set(pair) - {node}:
                self._partners[partner].discard(pair)
            self._keys[_place(self._keys, pair[0] * NODES + pair[1])] = DROPPED
            self._held -= 1

    def _make_room(self) -> None:
        """Make the table twice as large as it must be, without places of dropped pairs."""
        kept = self._keys >= 0
        keys, values = self._keys[kept], self._values[kept]
        size = 1 << max(4, (4 * len(keys)).bit_length())
        self._keys, self._values = np.full(size, FREE), np.empty(size)
        _fill(self._keys, self._values, keys, values)
        self._used = len(keys)


@compiled
def _place(keys: Keys, key: int) -> int:
    """Return where a key stands, or the free place where it would."""
    last = np.uint64(len(keys) - 1)
    spread = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    place = (spread ^ spread >> np.uint64(32)) & last
    while keys[place] != key and keys[place] != FREE:
        place = (place + np.uint64(1)) & last
    return int(place)


@compiled
def _find(keys: Keys, values: Values, asked: Keys) -> Values:
    found = np.full(len(asked), np.nan)
    for k in range(len(asked)):
        place = _place(keys, asked[k])
        if keys[place] != FREE:
            found[k] = values[place]
    return found


@compiled
def _fill(keys: Keys, values: Values, new: Keys, numbers: Values) -> None:
    for k in range(len(new)):
        place = _place(keys, new[k])
        keys[place], values[place] = new[k], numbers[k]
