"""Words of barrier wires beside engines: slots, and what they have on a link."""

from dataclasses import dataclass
from functools import cached_property

from syncfabric.models.layout.engine import EngineLayout
from syncfabric.models.messages.layout import Field, Layout

MOST_SLOTS = 16

WIRE_PLANNER = "wires"
"""The planner of groups that travel on wires."""

WIRE_OPERATIONS = ("or", "and", "xor")
"""Operations that a slot can combine data by."""


@dataclass(frozen=True)
class SlotLayout:
    """Widths of the slots of a router; rules: docs/microarchitecture-wires.md, X1.

    Parameters
    ----------
    engine : EngineLayout
        Of the router's engine, whose entries come before the slots.
    slots : int, 1 to 16
    parity : bool
        Words on links have a parity bit.
    """

    engine: EngineLayout
    slots: int
    parity: bool

    @property
    def first(self) -> int:
        """The entry that is slot 0."""
        return self.engine.entries

    @cached_property
    def word(self) -> Layout:
        """What a slot has on a link beside its valid bit."""
        kind, data = self.engine.message.fields[-2:]
        parity = Field("parity", 1, "exclusive or of the others, inverted")
        return Layout("slot word", (kind, data, *((parity,) if self.parity else ())))

    @property
    def image(self) -> tuple[Field, ...]:
        """Fields of the engine's image that a slot takes; they are its lowest."""
        return self.engine.image.fields[:3]

    @property
    def message(self) -> EngineLayout:
        """Layout of an engine with one group, whose messages a process's port has of a slot."""
        engine = self.engine
        shape = engine.links, engine.own, 1, engine.data_bits, engine.operations
        return EngineLayout(*shape)
