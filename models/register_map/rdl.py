"""The register maps of a network's config port and of a host; and a map as SystemRDL 2.0.

SystemRDL counts bytes: an address is four times the word. Bits of a word that a register does not
keep are left out of the maps.

Source of the maps: docs/registers.md; engines: docs/microarchitecture-engine.md, E7 and Node;
managers: docs/microarchitecture-networks.md, N5; hosts: docs/microarchitecture-host.md, H2.
"""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from functools import singledispatch
from typing import Any

from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.layout.words import (
    ADDRESS_BITS,
    PART_BITS,
    EngineWord,
    RouterWord,
    Target,
    config_address,
    part_of,
)
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
from syncfabric.models.messages.registers import CONFIG_ADDRESS_BITS, COUNTER_BASE, Counter
from syncfabric.models.messages.static import LoaderWord, StaticWord
from syncfabric.models.messages.words import (
    WORD_BITS,
    Bits,
    Block,
    Part,
    Word,
    WordTable,
    whole,
)
from syncfabric.models.networks.spec import NetworkSpec, StaticSpec

_BYTES = WORD_BITS // 8
_HARDWARE = {"r": "w", "w": "r", "rw": "r"}
"""What the hardware does with a field, by what software can do."""

_RESERVED = frozenset({"local"})
"""Names that are words of a language which others make of this one; they get a ``_``."""


def rdl(top: Block, about: str) -> str:
    """Return a register map as the text of an ``addrmap`` of its name.

    Blocks right under it are an ``addrmap`` of their own each, named after both.

    Parameters
    ----------
    top : Block
    about : str
        First line, a comment.
    """
    lines = [f"// {about}", ""]
    for part in top.parts:
        if isinstance(part, Block):
            lines += [f"addrmap {top.name}_{part.name} {{", *_inside(part), "};", ""]
    lines += [f"addrmap {top.name} {{", *_property("name", top.meaning)]
    lines += ["  addressing = compact;"]
    for part in top.parts:
        if isinstance(part, Block):
            lines.append(f"  {top.name}_{part.name} {_place(part)};")
        else:
            lines += _indented(_part(part))
    return "\n".join([*lines, "};"]) + "\n"


def _inside(block: Block) -> Iterator[str]:
    yield from _property("name", block.meaning)
    for part in block.parts:
        yield from _indented(_part(part))


def _part(part: Part) -> Iterator[str]:
    if isinstance(part, Block):
        yield "regfile {"
        yield from _inside(part)
    elif not part.fields:
        yield "external mem {"
        yield from _property("name", part.meaning)
        yield f"  mementries = {part.count};"
        yield f"  memwidth = {WORD_BITS};"
        yield "  sw = rw;"
    else:
        yield "reg {"
        yield from _property("name", part.meaning)
        yield f"  regwidth = {WORD_BITS};"
        for field in part.fields:
            yield from _indented(_field(field))
    yield f"}} {_place(part)};"


def _field(field: Bits) -> Iterator[str]:
    yield "field {"
    yield from _property("desc", field.meaning)
    yield f"  sw = {field.access};"
    yield f"  hw = {'na' if field.constant else _HARDWARE[field.access]};"
    if field.reset is not None:
        yield f"  reset = {field.width}'h{field.reset:x};"
    name = f"{field.name}_" if field.name in _RESERVED else field.name
    yield f"}} {name}[{field.low + field.width - 1}:{field.low}];"


def _place(part: Part) -> str:
    """Return an instance's name, size and address."""
    at = f"@ 0x{part.address * _BYTES:x}"
    if part.count is None or not (isinstance(part, Block) or part.fields):
        return f"{part.name} {at}"
    stride = part.stride if isinstance(part, Block) else 1
    return f"{part.name}[{part.count}] {at} += 0x{stride * _BYTES:x}"


def _property(name: str, text: str) -> Iterator[str]:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    yield f'  {name} = "{quoted}";'


def _indented(lines: Iterator[str]) -> Iterator[str]:
    return (f"  {line}" for line in lines)


TARGET_WORDS = 1 << CONFIG_ADDRESS_BITS
"""Words from one target to the next, where the number of the target is the upper part."""


def config_map(spec: NetworkSpec) -> Block:
    """Return the map of all targets.

    Each target has a power of two of words: an address is that of the config port, with
    ``config_node`` above it.
    """
    about = f"Config port of network {spec.name}: the upper part of an address is config_node"
    return Block(f"{spec.module}_config", 0, about, tuple(_blocks(spec.network)))


@singledispatch
def _blocks(network: Any) -> Iterator[Block]:
    yield from _engine_map(network.shape)


@_blocks.register
def _(network: StaticSpec) -> Iterator[Block]:
    """Yield the nodes, and then the loader; target t begins at t times ``TARGET_WORDS``."""
    nodes, watchdog = len(network.topology.nodes), network.watchdog
    *words, timeout = StaticWord
    node = [word.word() for word in words]
    node += [timeout.word(reset=watchdog)] if watchdog else []
    node += [counter.word(COUNTER_BASE) for counter in Counter]
    yield Block("node", 0, "A switch with its node's agent", tuple(node), nodes, TARGET_WORDS)
    layout = network.layout
    length = LoaderWord.LENGTH.word(reset=layout.chain_bits)
    each = f"{layout.switch_bits} for each {'node' if layout.own else 'switch'}"
    length = replace(length, fields=tuple(replace(bits, meaning=each) for bits in length.fields))
    loader = LoaderWord.SHIFT.word(), LoaderWord.STROBE.word(), length
    yield Block("loader", nodes * TARGET_WORDS, "Loader of routes", loader)


def _engine_map(shape: NetworkShape) -> Iterator[Block]:
    """Yield the targets of a network, those of one kind together; with managers one by one."""
    words = 1 << ADDRESS_BITS + PART_BITS
    ends = sorted({0, len(shape.nodes), *shape.managers, *(i + 1 for i in shape.managers)})
    for first, end in itertools.pairwise(ends):
        managed = first in shape.managers
        name = f"{'manager' if managed else 'node'}_{first}" if shape.managers else "node"
        about = "A node" + (", with a manager" if managed else "")
        count = None if managed else end - first
        yield Block(name, first * words, about, _parts(shape, first), count, words)
    if shape.interfaces:
        first = len(shape.nodes)
        parts = _parts(shape, first)
        yield Block("router", first * words, "A router", parts, shape.routers, words)


_ABOUT = ("Engine", "Router", "Node port", "Manager")
"""What each part is."""


def _parts(shape: NetworkShape, target: int) -> tuple[Block, ...]:
    """Return the parts of a target."""
    is_end = target < shape.target_of(0)
    there = sorted(shape.words_at(target), key=config_address)
    return tuple(
        Block(
            part.name.lower(),
            part << ADDRESS_BITS,
            "Its end of the link" if is_end and part is Target.ROUTER else _ABOUT[part],
            tuple(_word(word, shape, is_end=is_end) for word in words),
        )
        for part, words in itertools.groupby(there, part_of)
    )


def _word(word: WordTable, shape: NetworkShape, *, is_end: bool) -> Word:
    """Return a word as it is at a router of this shape, or at a node interface."""
    if word is EngineWord.IMAGE:
        return word.word(count=shape.router.layout.image_words)
    if word is RouterWord.FENCE:
        return word.word(width=1 if is_end else shape.router.links)
    if word is RouterWord.OVERFLOW and is_end:
        return replace(word.word(), meaning="Flits dropped at a full hold")
    return word.word()


def host_map(shape: HostShape, module: str) -> Block:
    """Return the map of a host.

    Parameters
    ----------
    shape : HostShape
        What the host has to do with.
    module : str
        Name of the top's module and of the map.
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
    about = "The members measured: bit n * registers + r is register r of node n, 32 bits a word"
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
