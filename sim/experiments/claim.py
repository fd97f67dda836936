"""A claim of a paper beside what came out here, and whether it holds."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

HEADS = ("claim", "paper", "ours", "ratio", "verdict", "by_formula")
"""Of a claim as JSON and as CSV."""

Value = int | float | str | None
"""None where there is none."""

Verdict = Literal["holds", "partly", "does not hold", "no result"]

Aim = Literal["same", "more", "less"]
"""What confirms a number: about the same, that much or more, or that much or less."""

NEAR, AROUND = 0.10, 0.25
"""Of the paper's number: within the first it is about the same, within the second partly."""

SPAN = re.compile(r"(above|below|at least) ([\d.]+)|([\d.]+) to ([\d.]+)")
"""The ranges that a paper states."""


@dataclass(frozen=True)
class Claim:
    """A row of what ``reproduce`` prints.

    Raises
    ------
    ValueError
        The paper's words cannot be compared with our number, and there is no verdict.
    """

    claim: str
    """What is claimed, with its unit."""
    paper: Value
    ours: Value
    """The paper's value, and ours; finite."""
    note: str = ""
    """What must be said of it, as that it did not come out, or how far the search went."""
    aim: Aim = "same"
    """Which numbers confirm the paper's."""
    decided: Verdict | None = None
    """The verdict where it cannot be read from the two values."""
    by_formula: bool = False
    """Whether the row follows from an input, or from a formula that was fitted to the paper."""

    def __post_init__(self) -> None:
        _ = self.verdict  # refuses words that it cannot compare

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

    @property
    def verdict(self) -> Verdict | None:
        """Whether the paper's value came out; None where the paper has none."""
        if self.paper is None or self.decided is not None:
            return self.decided
        if self.ours is None:
            return "no result"
        if isinstance(self.ours, str):
            if self.ours.endswith(" only"):  # at some sizes
                return "partly"
            return "holds" if self.ours == self.paper else "does not hold"
        if isinstance(self.paper, str):
            return "holds" if _within(self.paper, self.ours) else "does not hold"
        away = self.ours - self.paper
        missed = {"same": abs(away), "more": -away, "less": away}[self.aim]
        if missed <= (NEAR * abs(self.paper) if self.aim == "same" else 0):
            return "holds"
        return "partly" if missed <= AROUND * abs(self.paper) else "does not hold"

    @property
    def standing(self) -> str:
        """The verdict in the words of the table."""
        parts = [self.verdict or "", "by formula" if self.by_formula else ""]
        return ", ".join(filter(None, parts)) or "–"

    def to_json(self) -> dict[str, Any]:
        """Return the row as ``--json`` prints it."""
        row = (self.text, self.paper, self.ours, self.ratio, self.verdict, self.by_formula)
        return dict(zip(HEADS, row, strict=True))


def figure(
    name: str, measured: str, target: str = "", met: bool | None = None, peers: str = ""
) -> Claim:
    """Return a measured figure beside its target, as ``scripts/bench`` prints them.

    Parameters
    ----------
    name : str
        What was measured.
    measured : str
        The figure, with its unit.
    target : str
        What it has to be; empty where it is only reported.
    met : bool or None
        Whether it is; None where there is no target.
    peers : str
        What other projects reach, a line each.
    """
    decided: Verdict | None = None if met is None else "holds" if met else "does not hold"
    return Claim(name, target, measured, peers, decided=decided)


def _within(span: str, value: float) -> bool:
    """Return whether a number is in a range, in words.

    Raises
    ------
    ValueError
        The words are no range, so the claim needs a verdict of its own.
    """
    found = SPAN.fullmatch(span)
    if found is None:
        raise ValueError(f'claim: "{span}" is no range of numbers; compare it')
    word, bound, low, high = found.groups()
    if word is None:
        return float(low) <= value <= float(high)
    edge = float(bound)
    if word == "at least":
        return value >= edge
    away = (value - edge) / edge if edge else value
    return away > 1e-9 if word == "above" else away < -1e-9


def words(value: Value) -> str:
    """Return a value as tables and pictures have it."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:,.3g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else value


def summary(claims: Mapping[str, Sequence[Claim]]) -> str:
    """Count in a line the claims that hold, and those that do not, by experiment.

    Parameters
    ----------
    claims : mapping of str to sequence of Claim
        By the name of the experiment.
    """
    rows = [claim for some in claims.values() for claim in some]
    decided = [claim for claim in rows if claim.verdict is not None]
    counts = Counter(claim.verdict for claim in decided)
    formula = sum(claim.by_formula and claim.verdict == "holds" for claim in decided)
    missed = {
        name: sum(claim.verdict == "does not hold" for claim in some)
        for name, some in claims.items()
    }
    where = ", ".join(f"{name} {count}" for name, count in missed.items() if count)
    return (
        f"claims of the papers: {len(decided)}; hold: {counts['holds']} ({formula} by formula); "
        f"partly: {counts['partly']}; do not hold: {counts['does not hold']}"
        f"{f' ({where})' if where else ''}; no result: {counts['no result']}; "
        f"rows of ours alone: {len(rows) - len(decided)}"
    )
