"""The spill engine of a switch or node interface: groups beyond its registers."""

from __future__ import annotations

from typing import TypeVar

from syncfabric.models.golden.record import Message, SpillRelease
from syncfabric.models.golden.spill_base import SpillBase
from syncfabric.models.golden.spill_parts import Answer
from syncfabric.models.golden.switch_register import PROCESS, UP, SwitchRegister
from syncfabric.models.golden.switch_unit import SwitchUnit

__all__ = ["SwitchSpill"]

EntryT = TypeVar("EntryT", bound=SwitchRegister)


class SwitchSpill(SpillBase[EntryT]):
    """Spilled groups of one place (docs/microarchitecture.md, section I6).

    Parameters
    ----------
    unit : SwitchUnit
        Its registers, with which it shares the counters and the sending.
    released, answers
        As of ``SpillBase``.
    """

    up = UP

    def __init__(
        self, unit: SwitchUnit, released: list[SpillRelease], answers: list[Answer]
    ) -> None:
        self.rules = rules = unit.rules
        super().__init__(
            unit,
            rules.mask,
            lambda: unit.register_type(rules),
            released,
            answers,
            candidates=rules.ports,
            local=PROCESS if rules.process else None,
        )

    def _uses(self, entry: EntryT, message: Message, port: int, sending: int | None) -> bool:
        if message.epoch != entry.epoch:
            return False
        sends = sending == message.gid
        pending = entry.queued or (sends and port in self.send.pending)
        return entry.uses(message, port, pending, entry.queued or sends)

    def _may_fire(self, gid: int, entry: EntryT, sending: int | None) -> bool:
        telling = sending == gid and not entry.children.isdisjoint(self.send.pending)
        return not entry.queued and not telling and entry.may_fire()

    def _has_process(self, entry: EntryT) -> bool:
        return bool(self.rules.process & entry.children)
