"""First fit: schedules that are right, the same each time, and as minimal as asked for."""

from dataclasses import replace

import pytest

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.exact.first_fit import first_fit
from syncfabric.models.collectives.task import Rules
from tests.models.collectives.tasks import assert_right, task


@pytest.mark.parametrize("kind", ["AAS", "OAS", "OAB", "AAB"])
@pytest.mark.parametrize("name", ["mesh-3x3", "fat-octagon-16", "octagon-bridged-15", "star-8"])
@pytest.mark.parametrize(
    "rules", [Rules(), Rules(1, "strict", "store-and-forward"), Rules(2, "single-use", "wormhole")]
)
def test_first_fit_is_right(kind: str, name: str, rules: Rules) -> None:
    asked = task(name, kind, rules)
    found = first_fit(asked)
    assert_right(asked, found)
    assert found is not None
    assert len(found) >= lower_bounds(asked)[0].value
    assert first_fit(asked) == found


@pytest.mark.parametrize("extra", [0, 1, 2, 4])
def test_first_fit_makes_no_path_longer_than_allowed(extra: int) -> None:
    rules = Rules(1, "strict", "store-and-forward")
    for name in ("mesh-4x4", "ring-7"):
        asked = replace(task(name, "AAB", rules), extra=extra)
        for seed in range(3):
            assert_right(asked, first_fit(asked, seed=seed))
