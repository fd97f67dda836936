"""The register map of a network's config port: a block for each target, by their numbers.

Source: docs/registers.md; engines: docs/microarchitecture-engine.md, E7 and Node; managers:
docs/microarchitecture-networks.md, N5. Bits of a word that a register does not keep are left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

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
from syncfabric.models.messages import (
    CONFIG_ADDRESS_BITS,
    COUNTER_BASE,
    Counter,
    LoaderWord,
    StaticWord,
)
from syncfabric.models.messages.words import Block, Word, WordTable
from syncfabric.models.networks.spec import NetworkSpec, StaticSpec

__all__ = ["TARGET_WORDS", "config_map"]

TARGET_WORDS = 1 << CONFIG_ADDRESS_BITS
"""Words from one target to the next, where the number of the target is the upper part."""


def config_map(spec: NetworkSpec) -> Block:
    """Return the map of all targets.

    Each target has a power of two of words: an address is that of the config port, with
    ``config_node`` above it.
    """
    network = spec.network
    blocks = _static_map(network) if isinstance(network, StaticSpec) else _engine_map(network.shape)
    about = f"Config port of network {spec.name}: the upper part of an address is config_node"
    return Block(f"{spec.module}_config", 0, about, tuple(blocks))


def _static_map(network: StaticSpec) -> Iterator[Block]:
    """Yield the nodes, and then the loader; target t begins at t times ``TARGET_WORDS``."""
    nodes, watchdog = len(network.topology.nodes), network.watchdog
    *words, patience = StaticWord
    node = [word.word() for word in words]
    node += [patience.word(reset=watchdog)] if watchdog else []
    node += [counter.word(COUNTER_BASE) for counter in Counter]
    yield Block("node", 0, "A switch with its node's agent", tuple(node), nodes, TARGET_WORDS)
    length = LoaderWord.LENGTH.word(reset=network.layout.chain_bits)
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
        return replace(word.word(), meaning="Flits that met a full hold")
    return word.word()
