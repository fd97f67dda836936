"""What a message costs between two nodes: a matrix, or a function for networks too large for one.

A cost is a number of 0 or more, in any one unit: hops, nanoseconds, latency plus bytes over
bandwidth. It is the same both ways. Source: paper ADAPT, sections 2 and 3 ("latency and/or
bandwidth").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from syncfabric.models.errors import SpecError

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
CostFunction: TypeAlias = Callable[[Ints, Ints], ArrayLike]

MATRIX_NODES = 8_192
"""Most nodes of a matrix, which then takes 512 MiB; beyond, costs are a function."""

FUNCTION_NODES = 1 << 31


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

    No node can have the number ``limit`` or a higher one; those from ``known`` on are not known
    yet.

    Raises
    ------
    SpecError
        It is no square of numbers, not symmetric, or has a number that is no cost.
    """

    limit = MATRIX_NODES

    def __init__(self, matrix: ArrayLike) -> None:
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
        if not np.array_equal(values, values.T):
            i, j = np.argwhere(values != values.T)[0]
            raise SpecError(
                f"cost matrix: [{i}][{j}] is {values[i, j]:g} and [{j}][{i}] {values[j, i]:g}; "
                "it must be symmetric"
            )
        self._values = values

    @property
    def known(self) -> int:
        """How many rows there are; those that stand between nodes that joined may hold NaN."""
        return len(self._values)

    def between(self, one: Ints, other: Ints) -> Floats:
        """Return the costs between ``one[k]`` and ``other[k]``, of shape (k); NaN: unknown."""
        return self._values[one, other]

    def change(self, node: int, costs: Mapping[int, float]) -> None:
        """Take new costs between ``node`` and others; the matrix grows as it must."""
        if node >= self.known:
            side = min(2 * node, MATRIX_NODES)
            grown = np.full((side, side), np.nan)
            grown[: self.known, : self.known] = self._values
            self._values = grown
        for other, cost in costs.items():
            self._values[node, other] = self._values[other, node] = cost

    def forget(self, node: int) -> None:
        """Keep a node's costs: it may join again without telling them."""


class FunctionCosts:
    """Costs by a function of two arrays of nodes, and what has changed since.

    Parameters
    ----------
    function : callable
        Takes two int64 arrays of shape (k), each node of the first lower than its partner in the
        second, and returns their costs, of shape (k). It is not asked for links whose cost was
        told when a node joined, or since.
    """

    limit = FUNCTION_NODES
    known = FUNCTION_NODES

    def __init__(self, function: CostFunction) -> None:
        self._function = function
        self._pairs = np.empty(0, dtype=np.int64)
        """Of changed links, ascending: lower node times ``FUNCTION_NODES``, plus the higher."""
        self._changed = np.empty(0)

    def between(self, one: Ints, other: Ints) -> Floats:
        """Return the costs between nodes ``one[k]`` and ``other[k]``, of shape (k).

        Raises
        ------
        SpecError
            The function returned something else than a cost for each.
        """
        low, high = np.minimum(one, other), np.maximum(one, other)
        if not len(self._pairs):
            return self._asked(low, high)
        pairs = low * FUNCTION_NODES + high
        place = np.minimum(np.searchsorted(self._pairs, pairs), len(self._pairs) - 1)
        values = self._changed[place]
        usual = np.flatnonzero(self._pairs[place] != pairs)
        if len(usual):
            values[usual] = self._asked(low[usual], high[usual])
        return values

    def _asked(self, low: Ints, high: Ints) -> Floats:
        """Return what the function says.

        Raises
        ------
        SpecError
            It returned something else than a cost for each.
        """
        values = np.array(self._function(low, high), dtype=np.float64)
        if values.shape != low.shape:
            raise SpecError(
                f"cost function: it must return {len(low)} costs, not shape {values.shape}"
            )
        right = (values >= 0) & (values < np.inf)
        if not right.all():
            k = int(np.argmin(right))
            checked_cost(values[k], f"cost function: between {low[k]} and {high[k]}")
        return values

    def change(self, node: int, costs: Mapping[int, float]) -> None:
        """Take new costs between ``node`` and others, in place of the function's."""
        others = np.array(list(costs), dtype=np.int64)
        pairs = np.minimum(node, others) * FUNCTION_NODES + np.maximum(node, others)
        kept = ~np.isin(self._pairs, pairs)
        values = np.array(list(costs.values()), dtype=np.float64)
        pairs = np.concatenate([self._pairs[kept], pairs])
        order = np.argsort(pairs)
        self._pairs = pairs[order]
        self._changed = np.concatenate([self._changed[kept], values])[order]

    def forget(self, node: int) -> None:
        """Take the function's word again for a node that left, so that changes do not pile up."""
        kept = (self._pairs // FUNCTION_NODES != node) & (self._pairs % FUNCTION_NODES != node)
        self._pairs, self._changed = self._pairs[kept], self._changed[kept]


Costs: TypeAlias = MatrixCosts | FunctionCosts
"""What a tree asks about its network, and tells it."""


def link_cost(latency: ArrayLike, bandwidth: ArrayLike, size: float) -> Floats:
    """Return latency + size / bandwidth.

    Parameters
    ----------
    latency : array_like
        Of one link, or a matrix.
    bandwidth : array_like
        Bytes in the unit of time of ``latency``; of one link, or a matrix, whose diagonal does not
        matter. Infinite: only the latency counts.
    size : float
        Bytes of a message.

    Returns
    -------
    float64 array
        Of the shape of both; the diagonal of a matrix is that of ``latency``.

    Raises
    ------
    SpecError
        The shapes do not fit each other, a bandwidth is not above 0, or the size is negative or
        infinite.
    """
    if not 0 <= size < float("inf"):
        raise SpecError(f"message size: it must be finite and 0 or more, not {size:g}")
    try:
        times, rates = np.broadcast_arrays(
            np.array(latency, dtype=np.float64), np.array(bandwidth, dtype=np.float64)
        )
    except (TypeError, ValueError, OverflowError):
        raise SpecError("bandwidth: it must be numbers, as many as the latency") from None
    rates = rates.copy()
    if rates.ndim == 2:
        np.fill_diagonal(rates, np.inf)
    right = rates > 0
    if not right.all():
        place = "".join(f"[{i}]" for i in np.argwhere(~right)[0])
        raise SpecError(f"bandwidth{place}: it must be above 0, not {rates[~right][0]:g}")
    cost: Floats = times + size / rates
    return cost
