"""Functional coverage: what the runs of a bench have met, of all that they could."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["holes", "percent"]


def percent(hits: Mapping[str, int], bins: set[str]) -> float:
    """Return how much of ``bins`` was hit."""
    return 100 * sum(hits.get(name, 0) > 0 for name in bins) / len(bins)


def holes(hits: Mapping[str, int], bins: set[str]) -> list[str]:
    """Return the bins never hit, in alphabetical order."""
    return sorted(name for name in bins if not hits.get(name, 0))
