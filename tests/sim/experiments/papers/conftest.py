"""What experiments of paper Reflex take in place of hardware."""

from collections.abc import Sequence

import pytest

from syncfabric.sim.experiments.alone import Wish
from syncfabric.sim.experiments.papers import reflex_barriers as hardware

CYCLES = {"together": 100, "late": 90, "back_to_back": 70}
"""Of a barrier of 8x8 that stands in for the hardware, by policy."""


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let hardware take some cycles a core of 64."""

    def run(name: str, side: int, wishes: Sequence[Wish]) -> list[int]:
        return [CYCLES[policy] * side * side // 64 for policy, _ in wishes]

    monkeypatch.setattr(hardware, "run", run)
