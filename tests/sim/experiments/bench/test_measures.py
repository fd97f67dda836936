"""Figures beside what they have to reach, and a cache for a passing time."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from syncfabric.sim.experiments.bench import measures
from syncfabric.sim.experiments.claim import Claim
from syncfabric.sim.results import Seconds
from tests.sim.test_results import RESULT

FAST = replace(RESULT, cycles=4_000, seconds=Seconds(1.0, 2.0))


@pytest.mark.parametrize(
    ("claim", "shown", "verdict"),
    [
        (measures.at_least("n", 1_000, 1_000), "1,000", "holds"),
        (measures.at_least("n", 999, 1_000), "999", "does not hold"),
        (measures.at_most("n", 3, 2, "three"), "three", "does not hold"),
        (measures.below("n", 1.25, 1.3, 2), "1.25 s", "holds"),
        (measures.below("n", 1.3, 1.3, 1), "1.3 s", "does not hold"),
        (measures.per_second("n", FAST, 2_000), "2,000", "holds"),
        (measures.per_second("n", FAST, 2_001), "2,000", "does not hold"),
        (measures.per_second("n", replace(FAST, verdict="hang")), "2,000", "does not hold"),
    ],
)
def test_a_figure_is_within_its_limit_or_not(claim: Claim, shown: str, verdict: str) -> None:
    assert (claim.ours, claim.verdict) == (shown, verdict)


def test_a_limit_that_there_is_not_is_met() -> None:
    assert measures.below("n", 1e9, None).decided is None


def test_builds_meanwhile_go_into_a_cache_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    for before in ("/kept", None):
        monkeypatch.setenv(measures.CACHE, before) if before else monkeypatch.delenv(
            measures.CACHE, raising=False
        )
        with measures.empty_cache():
            folder = Path(os.environ[measures.CACHE])
            assert folder.is_dir()
        assert os.environ.get(measures.CACHE) == before
        assert not folder.exists()


def test_what_is_measured() -> None:
    plan, seconds = measures.timed(measures.planned, measures.mesh(3, 2, {"groups": 4}))
    assert plan.spec.network == measures.mesh(3, 2, {"groups": 4})
    assert seconds > 0
