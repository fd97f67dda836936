"""The register map of a host: what software sees of a network over a front.

Source: docs/microarchitecture-host.md, H2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import IntEnum

from syncfabric.models.messages.host import (
    BINS,
    CONFIG_WINDOW,
    DATA_BASE,
    HISTOGRAM_BASE,
    HOST_ID,
    HOST_VERSION,
    INTERRUPT,
    MASK_BASE,
    METER_BASE,
    METER_WORDS,
    NODE_BASE,
    NODE_WORDS,
    RESULT_BASE,
    SHAPE,
    TRAFFIC_BASE,
    TRAFFIC_CONTROL,
    WAIT_BASE,
    WAIT_LIMIT,
    GlobalWord,
    HostShape,
    MeterWord,
    NodeWord,
    TrafficWord,
)
from syncfabric.models.register_map.parts import (
    Access,
    Bits,
    Block,
    Part,
    Window,
    Word,
    bits_of,
    whole,
    words_of,
)

__all__ = ["host_map"]

_MOST = (1 << 32) - 1


def host_map(shape: HostShape, module: str) -> Block:
    """Return the map of a host.

    Parameters
    ----------
    shape : HostShape
        What the host has to do with.
    module : str
        The top's module, whose name the map gets.
    """
    window = Window(
        "config_port",
        CONFIG_WINDOW,
        1 << shape.address_bits,
        "Config port of the target that CONFIG_NODE names",
    )
    parts: list[Part] = list(_globals(shape))
    if shape.traffic:
        parts += _traffic()
    parts.append(window)
    if shape.meters:
        parts.append(
            Block("meter", METER_BASE, "A meter", tuple(_meter(shape)), shape.meters, METER_WORDS)
        )
    parts.append(Block("node", NODE_BASE, "A node", tuple(_node(shape)), shape.nodes, NODE_WORDS))
    return Block(module, 0, "Registers of the host", tuple(parts))


def _constant(name: str, meaning: str, value: int) -> tuple[Bits, ...]:
    return (Bits(name, 0, 32, "r", meaning, value, constant=True),)


def _globals(shape: HostShape) -> Iterator[Word]:
    said = tuple(
        Bits(field.name, SHAPE.offsets[field.name], field.width, "r", field.meaning, value, True)
        for field, value in zip(SHAPE.fields, shape.said.values(), strict=True)
    )
    number = (shape.targets - 1).bit_length() or 1
    half = "of the cycles since reset"
    words: dict[IntEnum, tuple[str, tuple[Bits, ...]]] = {
        GlobalWord.ID: ("What this is", _constant("id", "tells a host by", HOST_ID)),
        GlobalWord.VERSION: ("Of this map", _constant("version", "of the map", HOST_VERSION)),
        GlobalWord.NODES: ("Nodes", _constant("nodes", "nodes of the network", shape.nodes)),
        GlobalWord.SHAPE: ("Shape word", said),
        GlobalWord.CYCLE_LOW: (
            "Low half of the cycles since reset; holds the high half for the next word",
            whole("cycles", "r", f"low half {half}"),
        ),
        GlobalWord.CYCLE_HIGH: (
            "High half of the cycles as of the last read of CYCLE_LOW",
            whole("cycles", "r", f"high half {half}", reset=0),
        ),
        GlobalWord.CONFIG_NODE: (
            "Target of the config window; a number that no target has is refused",
            whole("target", "rw", "number on the config port", width=number, reset=0),
        ),
        GlobalWord.WAIT_LIMIT: (
            "Cycles that a WAIT takes at most",
            whole("cycles", "rw", "cycles until it is refused", reset=WAIT_LIMIT),
        ),
        GlobalWord.ARRIVE_ALL: (
            "All bits of a meter's mask arrive in the same cycle",
            whole("meter", "w", "number of the meter; others are refused"),
        ),
        GlobalWord.IRQ_STATUS: ("Interrupt word", bits_of(INTERRUPT, "r", reset=0)),
        GlobalWord.CLEAR_ALL: ("Clears all meters", whole("any", "w", "is not looked at")),
        GlobalWord.CONFIG_ANSWER: (
            "Word of the last answer in the config window, to reads and writes, refused or not",
            whole("word", "r", "as the target's word has it", reset=0),
        ),
    }
    if not shape.meters:
        del words[GlobalWord.ARRIVE_ALL]
    yield from words_of(words)


def _traffic() -> Iterator[Word]:
    enable, load = bits_of(TRAFFIC_CONTROL, "rw", reset=0)
    load = Bits(load.name, load.low, load.width, "w", load.meaning)
    words: dict[IntEnum, tuple[str, tuple[Bits, ...]]] = {
        TrafficWord.RATE: (
            "Packets of each source",
            whole("rate", "rw", "a cycle, times 2^24", width=24, reset=0),
        ),
        TrafficWord.SEED: ("Seed of all sources", whole("seed", "rw", "the seed", reset=0)),
        TrafficWord.CONTROL: ("Traffic control word", (enable, load)),
    }
    counts = {
        TrafficWord.CREATED: "Packets created",
        TrafficWord.LOST: "Packets for which a source had no room",
        TrafficWord.RECEIVED: "Packets received",
        TrafficWord.WRONG: "Flits that were wrong",
        TrafficWord.LATENCY: "Greatest latency of a packet, in cycles",
    }
    words |= {word: (about, whole("count", "r", "it", reset=0)) for word, about in counts.items()}
    yield from words_of(words, TRAFFIC_BASE, "TRAFFIC_")


def _meter(shape: HostShape) -> Iterator[Word]:
    counts = {
        MeterWord.EPISODES: ("Barriers counted", 0),
        MeterWord.LAST: ("Latency of the last one, in cycles", 0),
        MeterWord.LEAST: ("Least latency; all ones before the first", _MOST),
        MeterWord.GREATEST: ("Greatest latency", 0),
    }
    for word, (about, reset) in counts.items():
        yield Word(
            word.name, word, about, whole("count", "r", "stays at its greatest", reset=reset)
        )
    yield Word("CLEAR", MeterWord.CLEAR, "Clears this meter", whole("any", "w", "is not looked at"))
    histogram = whole("count", "r", "stays at its greatest", reset=0)
    yield Word("HISTOGRAM", HISTOGRAM_BASE, "Barriers by skew of arrival", histogram, BINS)
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
    arrives = _each(shape, "w", "a bit each; refused if one is not ready, and none arrives then")
    yield Word("ARRIVE", NodeWord.ARRIVE, "Registers arrive", arrives)
    if shape.last:
        about = "Registers arrive, and it is the group's last barrier"
        yield Word("ARRIVE_LAST", NodeWord.ARRIVE_LAST, about, arrives)
    yield Word("READY", NodeWord.READY, "Registers are set up", _each(shape, "r", "may arrive"))
    about = "Registers are released"
    done = _each(shape, "r", "released since the last arrive", reset=0)
    yield Word("DONE", NodeWord.DONE, about, done)
    broken = _each(shape, "r", "that release was no barrier's end", reset=0)
    if not shape.broken:
        broken = (replace(broken[0], constant=True),)
    yield Word("BROKEN", NodeWord.BROKEN, "Registers are released, but not by a barrier", broken)
    enabled = _each(shape, "rw", "interrupts while it is done", reset=0)
    yield Word("IRQ_ENABLE", NodeWord.IRQ_ENABLE, "Registers that interrupt", enabled)
    bits, count = shape.data_bits, shape.registers
    if bits:
        given = whole("data", "rw", "taken with an arrive", width=bits, reset=0)
        yield Word("DATA", DATA_BASE, "Data that a register arrives with", given, count)
    result = whole("data", "r", "all members' data combined", width=bits)
    yield Word("RESULT", RESULT_BASE, "Result of a register's last barrier", result, count)
    about = "Answers when the register is done, with its result; refused if broken, or too late"
    yield Word("WAIT", WAIT_BASE, about, result, count)


def _each(
    shape: HostShape, access: Access, meaning: str, *, reset: int | None = None
) -> tuple[Bits, ...]:
    return whole("registers", access, meaning, width=shape.registers, reset=reset)
