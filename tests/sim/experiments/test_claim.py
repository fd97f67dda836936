"""Rows of experiments: what they claim, their ratios and verdicts."""

import pytest

from syncfabric.sim.experiments.claim import Aim, Claim, Value, summary
from syncfabric.sim.experiments.frame import Axes, Experiment, Work
from tests.sim.experiments import jobs

PLOTTED = Experiment("toy", "a toy", "no paper", jobs.toy, axes=(Axes("x", "y", 2, 10),))


def test_a_row_has_its_note_in_the_claim() -> None:
    row = Claim("steps", 4, 3, "fewer").to_json()
    ratio = {"claim": "steps (fewer)", "paper": 4, "ours": 3, "ratio": 0.75}
    assert row == ratio | {"verdict": "partly", "by_formula": False}
    assert Claim("steps", 4, 3).to_json()["claim"] == "steps"


@pytest.mark.parametrize(
    ("paper", "ours", "aim", "ratio", "verdict"),
    [
        (10, 11, "same", 1.1, "holds"),
        (10, 8.9, "same", 0.89, "partly"),
        (10, 12.5, "same", 1.25, "partly"),
        (10, 12.6, "same", 1.26, "does not hold"),
        (10, 20, "more", 2, "holds"),
        (10, 9, "more", 0.9, "partly"),
        (10, 5, "more", 0.5, "does not hold"),
        (16, 12, "less", 0.75, "holds"),
        (16, 18, "less", 1.125, "partly"),
        (16, 32, "less", 2, "does not hold"),
        (0, 0, "same", None, "holds"),
        (0, 1, "same", None, "does not hold"),
        (0, 100, "more", None, "holds"),
        ("yes", "yes", "same", None, "holds"),
        ("yes", "no", "same", None, "does not hold"),
        ("yes", "at 4, 8 only", "same", None, "partly"),
        ("above 1", 1.01, "same", None, "holds"),
        ("above 1", 1.0, "same", None, "does not hold"),
        ("below 1", 0.5, "same", None, "holds"),
        ("at least 10", 84.9, "same", None, "holds"),
        ("1 to 2", 1.43, "same", None, "holds"),
        ("1 to 2", 2.86, "same", None, "does not hold"),
        ("yes", None, "same", None, "no result"),
        (3, None, "same", None, "no result"),
        (None, 3, "same", None, None),
    ],
)
def test_a_claim_has_a_ratio_and_a_verdict(
    paper: Value, ours: Value, aim: Aim, ratio: float | None, verdict: str | None
) -> None:
    claim = Claim("steps", paper, ours, aim=aim)
    assert (claim.ratio, claim.verdict) == (ratio, verdict)


def test_words_that_are_no_range_need_a_verdict() -> None:
    with pytest.raises(ValueError, match='"very small" is no range of numbers; compare it'):
        Claim("slope", "very small", 0.2)
    work = Work(PLOTTED)
    work.claim("slope", "very small", 0.2, holds=True)
    work.claim("slope", "very small", 0.3, holds=False, partly=True)
    work.claim("slope", "very small", 0.9, holds=False)
    work.claim("slope", None, 0.9, holds=True)
    found = [claim.verdict for claim in work.claims]
    assert found == ["holds", "partly", "does not hold", None]


def test_what_follows_from_an_input_is_marked() -> None:
    work = Work(PLOTTED)
    work.claim("found", 1, 1)
    work.by_formula = True
    work.claim("put in", 1, 1)
    work.claim("put in, ours alone", None, 1)
    work.by_formula = False
    work.claim("fitted", 1, 2, by_formula=True)
    assert [claim.standing for claim in work.claims] == [
        "holds",
        "holds, by formula",
        "by formula",
        "does not hold, by formula",
    ]
    assert summary({"toy": work.claims, "other": work.claims[:1]}) == (
        "claims of the papers: 4; hold: 3 (1 by formula); partly: 0; do not hold: 1 (toy 1); "
        "no result: 0; rows of ours alone: 1"
    )
