"""What a message costs between two nodes: a matrix, or a function for networks too large for one.

A cost is a number of 0 or more, in any one unit: hops, nanoseconds, latency plus bytes over
bandwidth. It is the same both ways, as in the paper, unless costs are one-way, which is ours.
Source: paper ADAPT, sections 2 and 3 ("latency and/or bandwidth").

``Pairs`` has open addressing with linear probing; Knuth, The Art of Computer Programming, volume 3,
section 6.4.
A change takes constant time, amortized, however many there are, and dropping a node as long as it
has pairs.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from syncfabric.models.compiled import compiled
from syncfabric.models.errors import SpecError

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
            self._enlarge()
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

    def _enlarge(self) -> None:
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


Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
CostFunction: TypeAlias = Callable[[Ints, Ints], ArrayLike]

MATRIX_NODES = 8_192
"""Most nodes of a matrix, which then takes 512 MiB; beyond, costs are a function."""


def checked_cost(cost: float, where: str) -> float:
    """Return a cost as a float.

    Raises
    ------
    SpecError
        It is no number, negative or not finite; ``where`` says which one it is.
    """
    try:
        value = float(cost)
    except (TypeError, ValueError):
        raise SpecError(f"{where}: {cost!r} is no number") from None
    except OverflowError:
        value = float("inf")
    if not 0 <= value < float("inf"):
        raise SpecError(f"{where}: it must be finite and 0 or more, not {value:g}")
    return value


class MatrixCosts:
    """Costs in a matrix of shape (nodes, nodes), of which a copy is made.

    That from node i to node j is [i][j]. No node can have the number ``limit`` or a higher one;
    those from ``known`` on are not known yet.

    Raises
    ------
    SpecError
        It is no square of numbers, has a number that is no cost, or is not symmetric and costs are
        not one-way.
    """

    limit = MATRIX_NODES

    def __init__(self, matrix: ArrayLike, one_way: bool = False) -> None:
        try:
            values = np.array(matrix, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            raise SpecError("cost matrix: it must be a square of numbers") from None
        if values.ndim != 2 or values.shape[0] != values.shape[1] or not len(values):
            shape = " x ".join(map(str, values.shape)) or "a number"
            raise SpecError(f"cost matrix: it must be a square of numbers, not {shape}")
        if len(values) > MATRIX_NODES:
            raise SpecError(
                f"cost matrix: {len(values)} nodes are more than {MATRIX_NODES}; give a function"
            )
        right = (values >= 0) & (values < np.inf)
        if not right.all():
            i, j = np.argwhere(~right)[0]
            checked_cost(values[i, j], f"cost matrix: [{i}][{j}]")
        if not one_way and not np.array_equal(values, values.T):
            i, j = np.argwhere(values != values.T)[0]
            raise SpecError(
                f"cost matrix: [{i}][{j}] is {values[i, j]:g} and [{j}][{i}] {values[j, i]:g}; "
                "it must be symmetric, or one_way given"
            )
        self._values = values
        self._one_way = one_way

    @property
    def known(self) -> int:
        """How many rows there are; those that stand between nodes that joined may hold NaN."""
        return len(self._values)

    def between(self, one: Ints, other: Ints) -> Floats:
        """Return the costs from ``one[k]`` to ``other[k]``, of shape (k); NaN: unknown."""
        return self._values[one, other]

    def knows(self, node: int, others: Ints) -> bool:
        """Return whether the costs between a node and others are known."""
        both = self._values[node, others], self._values[others, node]
        return not np.isnan(both).any()

    def change(self, node: int, costs: Mapping[int, float], inward: bool = False) -> None:
        """Take new costs from ``node`` to others, or ``inward``; the matrix grows as it must."""
        if node >= self.known:
            side = min(2 * node, MATRIX_NODES)
            grown = np.full((side, side), np.nan)
            grown[: self.known, : self.known] = self._values
            self._values = grown
        for other, cost in costs.items():
            if not (self._one_way and inward):
                self._values[node, other] = cost
            if inward or not self._one_way:
                self._values[other, node] = cost

    def forget(self, node: int) -> None:
        """Keep a node's costs: it may join again without telling them."""


class FunctionCosts:
    """Costs by a function of two arrays of nodes, and what has changed since.

    Parameters
    ----------
    function : callable
        Takes two int64 arrays of shape (k), and returns the costs from each node of the first to
        its partner in the second, of shape (k). It is not asked for links whose cost was given when
        a node joined, or since. Unless costs are one-way, nodes of the first are the lower ones.
    """

    limit = known = NODES

    def __init__(self, function: CostFunction, one_way: bool = False) -> None:
        self._function, self._one_way = function, one_way
        self._changed = Pairs()

    def between(self, one: Ints, other: Ints) -> Floats:
        """Return the costs from nodes ``one[k]`` to ``other[k]``, of shape (k).

        Raises
        ------
        SpecError
            The function returned something else than a cost for each.
        """
        if not self._one_way:
            one, other = np.minimum(one, other), np.maximum(one, other)
        if not len(self._changed):
            return self._asked(one, other)
        values = self._changed.find(one, other)
        usual = np.flatnonzero(np.isnan(values))
        if len(usual):
            values[usual] = self._asked(one[usual], other[usual])
        return values

    def _asked(self, one: Ints, other: Ints) -> Floats:
        """Return what the function says.

        Raises
        ------
        SpecError
            It returned something else than a cost for each.
        """
        values = np.array(self._function(one, other), dtype=np.float64)
        if values.shape != one.shape:
            raise SpecError(
                f"cost function: it must return {len(one)} costs, not shape {values.shape}"
            )
        right = (values >= 0) & (values < np.inf)
        if not right.all():
            k = int(np.argmin(right))
            checked_cost(values[k], f"cost function: between {one[k]} and {other[k]}")
        return values

    def knows(self, node: int, others: Ints) -> bool:
        """Return True: the function knows all nodes."""
        return True

    def change(self, node: int, costs: Mapping[int, float], inward: bool = False) -> None:
        """Take new costs from ``node`` to others, or ``inward``, in place of the function's."""
        for other, cost in costs.items():
            one, two = (other, node) if inward else (node, other)
            if not self._one_way:
                one, two = min(one, two), max(one, two)
            self._changed.put(one, two, cost)

    def forget(self, node: int) -> None:
        """Take the function's word again for a node that left, so that changes do not pile up."""
        self._changed.drop(node)


Costs: TypeAlias = MatrixCosts | FunctionCosts
"""What a tree asks about its network, and reports to it."""
