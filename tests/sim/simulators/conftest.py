"""A design to build."""

from pathlib import Path

import pytest

from syncfabric.sim.simulators.base import Design
from tests.sim.counter import counter_design


@pytest.fixture
def design(tmp_path: Path) -> Design:
    """Give the counter."""
    return counter_design(tmp_path)
