"""The wires of all slots on a link, and its ends."""

from typing import Any

from amaranth import Cat, Mux, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from syncfabric.models.layout.slots import SlotLayout

__all__ = ["SlotLinkSignature", "received", "sent"]


class SlotLinkSignature(wiring.Signature):
    """One direction of a link's barrier wires.

    Members
    -------
    valid : Out(slots), words : Out(slots * word)
        A bit and a word of each slot.
    """

    def __init__(self, layout: SlotLayout) -> None:
        super().__init__(
            {"valid": Out(layout.slots), "words": Out(layout.slots * layout.word.width)}
        )


def sent(layout: SlotLayout, valid: list[Value], words: list[Value]) -> tuple[Value, Value]:
    """Return both members of a link that carries kind and data of each slot."""
    if layout.parity:
        words = [
            Mux(bit, Cat(word, ~word.xor()), 0) for bit, word in zip(valid, words, strict=True)
        ]
    return Cat(valid), Cat(words)


def received(layout: SlotLayout, link: Any, slot: int) -> tuple[Value, Value, Value]:
    """Return of a slot whether a message comes, its kind and data, and whether it is dropped."""
    word = link.words.word_select(slot, layout.word.width)
    if not layout.parity:
        return link.valid[slot], word, link.valid[slot] & 0
    right = word.xor()
    return link.valid[slot] & right, word[:-1], link.valid[slot] & ~right
