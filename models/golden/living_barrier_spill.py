"""The spill engine of a mesh's node where managers set groups up."""

from __future__ import annotations

from syncfabric.models.golden.barrier_unit import BarrierUnit
from syncfabric.models.golden.living_barrier import LivingBarrierRegister
from syncfabric.models.golden.living_spill import LivingSpill
from syncfabric.models.golden.record import SpillRelease
from syncfabric.models.golden.rules import Rules
from syncfabric.models.golden.spill import SpillEngine
from syncfabric.models.golden.spill_parts import Answer

__all__ = ["LivingSpillEngine"]


class LivingSpillEngine(LivingSpill[LivingBarrierRegister], SpillEngine[LivingBarrierRegister]):
    """Spilled groups of sections 5 and S7 of docs/microarchitecture.md."""

    def __init__(
        self,
        unit: BarrierUnit,
        rules: Rules,
        released: list[SpillRelease],
        answers: list[Answer],
    ) -> None:
        SpillEngine.__init__(self, unit, rules, released, answers)
        self._enliven()

    def _had_arrived(self, entry: LivingBarrierRegister) -> bool:
        return entry.local
