"""The spill engine of a mesh's node: groups beyond its registers."""

from __future__ import annotations

from typing import TypeVar

from syncfabric.models.golden.barrier_register import PARENT, BarrierRegister
from syncfabric.models.golden.barrier_unit import BarrierUnit
from syncfabric.models.golden.record import Message, SpillRelease
from syncfabric.models.golden.rules import Rules
from syncfabric.models.golden.spill_base import SpillBase
from syncfabric.models.golden.spill_parts import Answer

__all__ = ["SpillEngine"]

LOCAL = 4

EntryT = TypeVar("EntryT", bound=BarrierRegister)


class SpillEngine(SpillBase[EntryT]):
    """Spilled groups of one node (docs/microarchitecture.md, section 5).

    Parameters
    ----------
    unit : BarrierUnit
        The node's barrier unit, with which it shares the counters and the sending.
    rules : Rules
        What the network prescribes.
    released, answers
        As of ``SpillBase``.
    """

    up = PARENT

    def __init__(
        self,
        unit: BarrierUnit,
        rules: Rules,
        released: list[SpillRelease],
        answers: list[Answer],
    ) -> None:
        self.rules = rules
        super().__init__(
            unit,
            rules.mask,
            lambda: unit.register_type(rules, unit.node),
            released,
            answers,
            candidates=LOCAL + 1,
            local=LOCAL,
        )

    def _uses(self, entry: EntryT, message: Message, port: int, sending: int | None) -> bool:
        return entry.uses(message, port, entry.queued or sending == message.gid)

    def _may_fire(self, gid: int, entry: EntryT, sending: int | None) -> bool:
        return entry.may_fire()

    def _is_ready(self, entry: EntryT, started: bool) -> bool:
        return super()._is_ready(entry, started) and not entry.relay

    def _has_process(self, entry: EntryT) -> bool:
        return not entry.relay
