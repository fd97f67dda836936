"""A claim of a paper beside what came out here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Claim", "Value"]

Value = int | float | str | None
"""None where there is none."""


@dataclass(frozen=True)
class Claim:
    """A row of what ``reproduce`` prints.

    Parameters
    ----------
    claim : str
        What is claimed, with its unit.
    paper, ours : int, float, str or None
        The paper's value, and ours; finite.
    note : str
        What must be said of it, as that it did not come out, or how far the search went.
    """

    claim: str
    paper: Value
    ours: Value
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """Ours by the paper's, where both are numbers and the paper's is not 0."""
        if not isinstance(self.paper, int | float) or not isinstance(self.ours, int | float):
            return None
        return self.ours / self.paper if self.paper else None

    @property
    def text(self) -> str:
        """The claim with its note."""
        return f"{self.claim} ({self.note})" if self.note else self.claim

    def to_json(self) -> dict[str, Any]:
        """Return the row as ``--json`` prints it."""
        return {"claim": self.text, "paper": self.paper, "ours": self.ours, "ratio": self.ratio}
