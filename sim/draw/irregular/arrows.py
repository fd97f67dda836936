"""Arrows along curves: a tree's edge with its head, and a broad band for a channel's load."""

import numpy as np

from syncfabric.sim.draw.irregular.layout import Points

__all__ = ["arrow", "band"]

AWAY = 0.06
"""Distance of a channel from its link's curve: traffic keeps right."""
HALF, HEAD, TIP = 0.026, 0.05, 0.1
"""Half the breadth of a band, and of its head; the head's length."""


def arrow(curve: Points, length: float) -> tuple[Points, Points]:
    """Return an arrow along a curve: its line, and its head's three points.

    Parameters
    ----------
    curve : array, shape (n, 2)
        From the tail to the tip.
    length : float
        Of the head.
    """
    line, back = _parted(curve, length)
    tip = curve[-1]
    along = (tip - back) / max(1e-9, float(np.linalg.norm(tip - back)))
    aside = 0.48 * length * np.array([-along[1], along[0]])
    return line, np.array([tip, back + aside, back - aside])


def band(curve: Points) -> Points:
    """Return the outline of a broad arrow to the right of a curve."""
    step = np.gradient(curve, axis=0)
    step /= np.maximum(1e-9, np.linalg.norm(step, axis=1))[:, None]
    right = np.stack([step[:, 1], -step[:, 0]], axis=1)
    way = curve + AWAY * right
    rest = np.linalg.norm(way - way[-1], axis=1)
    neck = max(1, int((rest > TIP).sum()) - 1)
    shaft, across = way[: neck + 1], right[: neck + 1]
    return np.concatenate(
        [
            shaft - HALF * across,
            [way[neck] - HEAD * right[neck], way[-1], way[neck] + HEAD * right[neck]],
            (shaft + HALF * across)[::-1],
        ]
    )


def _parted(curve: Points, length: float) -> tuple[Points, Points]:
    """Return a curve without its last ``length``, and the point where it was cut."""
    rest = np.linalg.norm(curve - curve[-1], axis=1)
    kept = max(1, int((rest > length).sum()))
    return curve[: kept + 1], curve[kept]
