"""Tags of messages on links: a group's key, and check bits of the rest."""

from typing import Any

from amaranth import Cat, Value

from syncfabric.models.layout.engine import EngineLayout
from syncfabric.rtl.guard.shape import check_of


def tag_of(layout: EngineLayout, tag: Value, entry: Value, *others: Value) -> Value:
    """Return a message's tag on a link of its key, or its key of its tag there.

    Rules: docs/microarchitecture-engine.md, E2.

    Parameters
    ----------
    tag, entry : Value
    *others : Value
        Epoch, kind and data.
    """
    return tag ^ check_of(Cat(entry, *others), layout.key_bits) if layout.key_bits else tag


def turned(layout: EngineLayout, message: Any) -> Any:
    """Return a message as a link has it, of one that has its key, and the inverse."""
    before, after = Cat(message.entry, message.epoch), Cat(message.kind, message.data)
    return Cat(before, tag_of(layout, message.tag, before, after), after)
