"""Every model's times: each has a range, and the message names the model."""

from dataclasses import dataclass, fields, replace
from typing import ClassVar

import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.timing import btin, btm, loggp
from syncfabric.models.timing.times import Ranges, Times


@dataclass(frozen=True)
class Pair(Times):
    RANGES_NS: ClassVar[Ranges] = {"low": (0, 5), "high": (5, 10)}

    low: float = 0
    high: float = 10


def test_limits_are_within() -> None:
    assert (Pair().low, Pair().high) == (0, 10)
    assert Pair(5, 5) == replace(Pair(), low=5, high=5)


def test_each_field_has_its_own_range() -> None:
    with pytest.raises(PlanError, match=r"^Pair: low must be 0 to 5 ns, not 5.1$"):
        Pair(5.1)
    with pytest.raises(PlanError, match=r"^Pair: high must be 5 to 10 ns, not 4.9$"):
        replace(Pair(), high=4.9)


@pytest.mark.parametrize("model", [btin.Timing, btm.Timing, loggp.LogGP])
def test_every_field_of_every_model_has_a_range(model: type[Times]) -> None:
    assert set(model.RANGES_NS) == {field.name for field in fields(model)}
