"""Fronts that there are, and what is none."""

import pytest

from syncfabric.models.errors import SpecError
from syncfabric.sim.front import Front


@pytest.mark.parametrize(
    ("kind", "meters", "cycles", "words"),
    [
        ("spi", 1, 25, r"front 'spi' is not known; it must be one of axi, uart"),
        ("axi", 17, 25, r"meters = 17: it must be 0\.\.16"),
        ("uart", 1, 3, r"bit cycles = 3: a bit of the UART takes 4 or more"),
    ],
)
def test_fronts_that_are_none(kind: str, meters: int, cycles: int, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        Front(kind, meters, cycles)
