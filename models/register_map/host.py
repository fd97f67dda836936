"""The register map of a host: what software sees of a network over a front.

Source: docs/microarchitecture-host.md, H2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from syncfabric.models.messages.host import (
    BINS,
    CONFIG_WINDOW,
    DATA_BASE,
    HISTOGRAM_BASE,
    MASK_BASE,
    METER_BASE,
    METER_WORDS,
    METERED,
    NODE_BASE,
    NODE_WORDS,
    RESULT_BASE,
    STREAM_BASE,
    TRAFFIC_BASE,
    WAIT_BASE,
    GlobalWord,
    HostShape,
    MeterWord,
    NodeWord,
    StreamWord,
    TrafficWord,
)
from syncfabric.models.messages.words import (
    Block,
    Part,
    Word,
    whole,
)

__all__ = ["host_map"]


def host_map(shape: HostShape, module: str) -> Block:
    """Return the map of a host.

    Parameters
    ----------
    shape : HostShape
        What the host has to do with.
    module : str
        The top's module, whose name the map gets.
    """
    about = "Config port of the target that CONFIG_NODE names"
    parts: list[Part] = list(_globals(shape))
    if shape.traffic:
        parts += (word.word(TRAFFIC_BASE, "TRAFFIC_") for word in TrafficWord)
    if shape.streams:
        parts += (word.word(STREAM_BASE, "STREAM_") for word in StreamWord)
    parts.append(Word("config_port", CONFIG_WINDOW, about, (), 1 << shape.address_bits))
    if shape.meters:
        parts.append(
            Block("meter", METER_BASE, "A meter", tuple(_meter(shape)), shape.meters, METER_WORDS)
        )
    parts.append(Block("node", NODE_BASE, "A node", tuple(_node(shape)), shape.nodes, NODE_WORDS))
    return Block(module, 0, "Registers of the host", tuple(parts))


def _globals(shape: HostShape) -> Iterator[Word]:
    number = (shape.targets - 1).bit_length() or 1
    for word in GlobalWord:
        if word is GlobalWord.NODES:
            yield word.word(reset=shape.nodes)
        elif word is GlobalWord.SHAPE:
            made, said = word.word(constant=True), shape.said
            yield replace(made, fields=tuple(replace(f, reset=said[f.name]) for f in made.fields))
        elif word is GlobalWord.CONFIG_NODE:
            yield word.word(width=number)
        elif shape.meters or word is not GlobalWord.ARRIVE_ALL:
            yield word.word()


def _meter(shape: HostShape) -> Iterator[Word]:
    yield from (word.word() for word in MeterWord)
    yield Word("HISTOGRAM", HISTOGRAM_BASE, "Barriers by skew of arrival", METERED, BINS)
    yield from _mask(shape)


def _mask(shape: HostShape) -> Iterator[Word]:
    """Yield the words of a mask; the last may have fewer bits, and is a word of its own then."""
    about = "Who is measured: bit n * registers + r is register r of node n, 32 bits a word"
    full, rest = divmod(shape.width, 32)
    if full:
        yield Word("MASK", MASK_BASE, about, whole("bits", "rw", "a register each", reset=0), full)
    if rest:
        name = "MASK_LAST" if full else "MASK"
        bits = whole("bits", "rw", "a register each", width=rest, reset=0)
        yield Word(name, MASK_BASE + full, about, bits, None if full else 1)


def _node(shape: HostShape) -> Iterator[Word]:
    for word in NodeWord:
        if shape.last or word is not NodeWord.ARRIVE_LAST:
            never = word is NodeWord.BROKEN and not shape.broken
            yield word.word(width=shape.registers, constant=never)
    bits, count = shape.data_bits, shape.registers
    if bits:
        given = whole("data", "rw", "taken with an arrive", width=bits, reset=0)
        yield Word("DATA", DATA_BASE, "Data that a register arrives with", given, count)
    result = whole("data", "r", "all members' data combined", width=bits)
    yield Word("RESULT", RESULT_BASE, "Result of a register's last barrier", result, count)
    about = "Answers when the register is done, with its result; refused if broken, or too late"
    yield Word("WAIT", WAIT_BASE, about, result, count)
