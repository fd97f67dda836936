"""What words of an engine's messages are, said again: data of several, and tags."""

from typing import Any

from amaranth import Array, Cat, Const, Mux, Value
from amaranth.lib import data

from syncfabric.models.layout.engine import EngineLayout
from syncfabric.rtl.messages import struct

GENERATORS = {2: 0b111, 4: 0b10011}
"""By check bits: docs/microarchitecture-faults.md, F1."""


def combination(op: Value, words: list[tuple[Value, Value]]) -> Value:
    """Return the words that have come, of pairs with whether they have, combined by ``op``."""
    bits = len(words[0][1])
    least, most, any_one, any_zero, odd, total = (
        Const(value, bits) for value in ((1 << bits) - 1, 0, 0, 0, 0, 0)
    )
    for came, word in words:
        ones, zeros = Mux(came, word, 0), Mux(came, ~word, 0)
        any_one, any_zero, odd = any_one | ones, any_zero | zeros, odd ^ ones
        least, most = Mux(came & (word < least), word, least), Mux(ones > most, ones, most)
        total = (total + ones)[:bits]
    return Array([any_one, ~any_zero, odd, most, least, total])[op]


def turned(layout: EngineLayout, message: Any) -> Any:
    """Return a message with its tag in place of its key, or the inverse.

    Check bits are the remainder of a division, a bit of the word at a time, the highest first.
    """
    rest: Value = Const(0, layout.key_bits)
    fields = [message.entry, message.epoch, message.kind, message.data]
    for bit in [*reversed(Cat(fields)), *[Const(0, 1)] * layout.key_bits]:
        rest = Cat(bit, rest)
        rest = (rest ^ Mux(rest[-1], GENERATORS[layout.key_bits], 0))[: layout.key_bits]
    parts = {"tag": message.tag ^ rest}
    names = [field.name for field in layout.message.fields]
    word = Cat(parts.get(name, getattr(message, name)) for name in names)
    return data.View(struct(layout.message), word)
