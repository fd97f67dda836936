"""How rows say at which sizes something holds, and what it is at each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["at_sizes", "slashed"]


def at_sizes(holds: Mapping[int, bool]) -> str:
    """Return ``yes`` or ``no`` if it is the same at all sizes, else those at which it holds."""
    if len(set(holds.values())) == 1:
        return "yes" if all(holds.values()) else "no"
    return f"at {', '.join(f'{size:,}' for size, held in holds.items() if held)} only"


def slashed(values: Iterable[int]) -> str:
    """Return numbers with slashes between them."""
    return " / ".join(f"{value:,}" for value in values)
