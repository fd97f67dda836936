# amaranth: UnusedElaboratable=no
"""The credit counter's bench under each simulator, and what it refuses."""

from pathlib import Path

import pytest

from syncfabric.rtl.parts.credit import CreditCounter
from tests.rtl.parts.bench_credit import PLACES
from tests.rtl.support import clocked, run_bench


@pytest.mark.long_under("verilator")
def test_credit_counter(simulator: str, tmp_path: Path) -> None:
    parts = {f"places_{places}": CreditCounter(places) for places in PLACES}
    run_bench(simulator, parts, "tests.rtl.parts.bench_credit", tmp_path)


@pytest.mark.parametrize("places", range(1, 17))
def test_there_are_as_many_credits_as_places(places: int) -> None:
    """All are spent, and come back, twice."""
    once = [*[{"spend": 1, "credit": 0}] * places, *[{"spend": 0, "credit": 1}] * places]
    seen = clocked(CreditCounter(places), [*once, *once, {"credit": 0}])
    there = [*[1] * places, 0, *[1] * (places - 1)]
    assert [cycle["available"] for cycle in seen] == [*there, *there, 1]
