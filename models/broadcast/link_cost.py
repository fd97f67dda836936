"""A link's cost from its latency and its bandwidth."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from syncfabric.models.broadcast.costs import Floats
from syncfabric.models.errors import SpecError

__all__ = ["link_cost"]


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
