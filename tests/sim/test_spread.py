"""Parts of results: the spread of measurements, and shapes that are refused."""

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.sim.results import RunResult
from syncfabric.sim.spread import Spread
from tests.sim.test_results import RESULT


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cycles": "many"}, r"^result: cycles: .*valid integer.*$"),
        ({"verdict": "maybe"}, r"^result: verdict: .*'checked', 'mismatch' or 'hang'.*$"),
        ({"colour": 1}, r"^result: colour: .*$"),
    ],
)
def test_another_shape_is_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(SpecError, match=message):
        RunResult.from_json({**RESULT.to_json(), **change})


def test_a_spread_of_measurements() -> None:
    assert Spread.of([5, 3, 8, 4]) == Spread(3, 4.5, 8)
    assert Spread.of([]) is None
