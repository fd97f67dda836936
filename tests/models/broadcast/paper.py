"""The paper's example: Tables 1 and 5, and Fig. 1."""

from __future__ import annotations

__all__ = ["FIG_1", "TABLE_1", "TABLE_5"]

TABLE_5 = [
    [0, 2, 2, 0, 3, 3, 0, 0, 4],
    [2, 0, 0, 2, 5, 5, 2, 2, 2],
    [2, 0, 0, 2, 5, 5, 2, 2, 5],
    [0, 2, 2, 0, 3, 3, 0, 0, 0],
    [3, 5, 5, 3, 0, 0, 3, 3, 0],
    [3, 5, 5, 3, 0, 0, 3, 3, 4],
    [0, 2, 2, 0, 3, 3, 0, 0, 4],
    [0, 2, 2, 0, 3, 3, 0, 0, 3],
    [4, 2, 5, 0, 0, 4, 4, 3, 0],
]
"""Hops between nodes 0 to 8."""

TABLE_1 = [row[:8] for row in TABLE_5[:8]]
"""Hops between nodes 0 to 7."""

FIG_1 = (0, 5, 7, 4, 3, 2, 6, 1)
"""The nodes of Fig. 1 left, by position."""
