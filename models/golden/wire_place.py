"""A router, switch or node interface where no barrier is a message, beside its slots of wires."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from syncfabric.models.golden.register_file import RegisterFile
from syncfabric.models.golden.set_up_steps import Dialect
from syncfabric.models.golden.wire_config import CONTROL_MASK, Held
from syncfabric.models.golden.wires import WireModel
from syncfabric.models.messages import Counter
from syncfabric.models.messages.wires import WIRE_STATUS, WireLayout, WireWord

__all__ = ["SetUpSlots", "WirePlace", "slot_dialect"]


class WirePlace:
    """A place without registers of messages: it has counters."""

    def __init__(self) -> None:
        self.unit: RegisterFile[Any] = RegisterFile([], status_bits=0, data_bits=0)


class SetUpSlots:
    """What a set-up sink sees of a place without registers of messages.

    Parameters
    ----------
    target : int
        The place's number on the config port.
    count : callable
        Counts an event there.
    wires : WireModel
        Who has its slots.
    """

    living: Sequence[Any] = ()

    def __init__(self, target: int, count: Callable[[Counter], None], wires: WireModel) -> None:
        self._target, self._count, self._wires = target, count, wires

    @property
    def holders(self) -> Sequence[Held]:
        """All slots."""
        return self._wires.held(self._target)

    def count(self, counter: Counter) -> None:
        """Count an event."""
        self._count(counter)


def slot_dialect(layout: WireLayout) -> Dialect:
    """Return what a set-up sink says to slots of a unit."""
    return Dialect(
        image={int(WireWord.TREE): layout.tree_mask},
        control=CONTROL_MASK,
        state=int(WireWord.STATUS),
        busy=WIRE_STATUS.pack({"la": 1, "up": 1, "dn": 1}),
        command=int(WireWord.COMMAND),
        names_slot=True,
    )
