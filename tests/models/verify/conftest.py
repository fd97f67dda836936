"""Telling how much was explored."""

from collections.abc import Callable

import pytest

from tests.models.verify.explorer import Explored


@pytest.fixture
def covered(record_property: Callable[[str, object], None]) -> Callable[[str, Explored], None]:
    """Return what prints the size of an exploration below the tests' results."""

    def record(name: str, explored: Explored) -> None:
        record_property("coverage", f"set-up, {name}: all {explored.states:,} states")

    return record
