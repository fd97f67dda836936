"""The spill engine of a switch or node interface where managers set groups up."""

from __future__ import annotations

from syncfabric.models.golden.living_spill import LivingSpill
from syncfabric.models.golden.living_switch import LivingSwitchRegister
from syncfabric.models.golden.living_unit import LivingUnit
from syncfabric.models.golden.record import SpillRelease
from syncfabric.models.golden.spill_parts import Answer
from syncfabric.models.golden.switch_register import PROCESS
from syncfabric.models.golden.switch_spill import SwitchSpill
from syncfabric.models.golden.switch_unit import SwitchUnit
from syncfabric.models.messages import Kind

__all__ = ["LivingSwitchSpill"]


class LivingSwitchSpill(LivingSpill[LivingSwitchRegister], SwitchSpill[LivingSwitchRegister]):
    """Spilled groups of sections I6 and S7 of docs/microarchitecture.md."""

    def __init__(
        self, unit: SwitchUnit, released: list[SpillRelease], answers: list[Answer]
    ) -> None:
        SwitchSpill.__init__(self, unit, released, answers)
        assert isinstance(unit, LivingUnit)
        self._living_unit = unit
        self._enliven()

    def _had_arrived(self, entry: LivingSwitchRegister) -> bool:
        return self._has_process(entry) and (PROCESS in entry.arrived or entry.fired)

    def _is_alone(self, entry: LivingSwitchRegister) -> bool:
        return entry.alone

    def _above(self, entry: LivingSwitchRegister, kind: Kind) -> frozenset[int]:
        return self._living_unit.above(entry, kind)
