"""The register map of a network of collective engines: a block for each target of its chain.

Source: docs/microarchitecture-engine.md, E7 and Node; docs/microarchitecture-networks.md, N5.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from syncfabric.models.layout.engine import (
    ADDRESS_BITS,
    COMMIT,
    COUNTER_ADDRESS,
    IMAGE_ADDRESS,
    EngineCounter,
)
from syncfabric.models.layout.network import PART_BITS, NetworkShape, PortWord, RouterWord, Target
from syncfabric.models.layout.setup import COMMAND, FREED, MANAGER_STATUS, ManagerWord
from syncfabric.models.messages import COUNTER_BITS
from syncfabric.models.register_map.parts import Bits, Block, Part, Word, bits_of, whole

__all__ = ["engine_map"]


def engine_map(shape: NetworkShape) -> Iterator[Block]:
    """Yield the targets of a network, those of one kind together; with managers one by one."""
    words = 1 << ADDRESS_BITS + PART_BITS
    ends = sorted({0, len(shape.nodes), *shape.managers, *(i + 1 for i in shape.managers)})
    for first, end in itertools.pairwise(ends):
        managed = first in shape.managers
        name = (
            f"manager_{first}"
            if managed
            else "node"
            if end - first == ends[-1]
            else f"node_{first}"
        )
        parts = _node_parts(shape, managed=managed)
        about = "A node" + (", with a manager" if managed else "")
        yield Block(name, first * words, about, parts, None if managed else end - first, words)
    if shape.interfaces:
        at = len(shape.nodes) * words
        yield Block("router", at, "A router", _router_parts(shape), shape.routers, words)


def _node_parts(shape: NetworkShape, *, managed: bool) -> tuple[Part, ...]:
    parts = [] if shape.interfaces else [*_router_parts(shape)]
    if shape.interfaces and shape.router.check_bits:
        words = [*_link_words(1), *_overflow(shape, "Flits that met a full hold")]
        parts.append(_block(Target.ROUTER, "Its end of the link", _in_order(words)))
    counted = "Arrives that were not accepted"
    port = _counter(PortWord.REFUSED_ARRIVE.name, PortWord.REFUSED_ARRIVE, counted)
    parts.append(_block(Target.PORT, "Node port", (port,)))
    if managed:
        parts.append(_block(Target.MANAGER, "Manager", _manager_words()))
    return tuple(parts)


def _router_parts(shape: NetworkShape) -> tuple[Part, ...]:
    parts = [_block(Target.ENGINE, "Engine", _engine_words(shape))]
    router = shape.router
    words = [*_overflow(shape, "Flits that met a full buffer")]
    if router.check_bits:
        words += _link_words(router.links)
    if shape.managers or router.wires:
        dropped = "Packets for no process, set-up packets that were dropped, what no slot awaited"
        words.append(_counter("UNEXPECTED", RouterWord.UNEXPECTED, dropped))
    if words:
        parts.append(_block(Target.ROUTER, "Router", _in_order(words)))
    return tuple(parts)


def _overflow(shape: NetworkShape, about: str) -> tuple[Word, ...]:
    """Return the counter of what was dropped, where there are packets."""
    if not shape.router.channels:
        return ()
    return (_counter("OVERFLOW", RouterWord.OVERFLOW, about),)


def _in_order(words: Iterable[Word]) -> tuple[Word, ...]:
    return tuple(sorted(words, key=lambda word: word.address))


def _block(part: Target, about: str, words: tuple[Word, ...]) -> Block:
    return Block(part.name.lower(), part << ADDRESS_BITS, about, words)


def _engine_words(shape: NetworkShape) -> tuple[Word, ...]:
    layout = shape.router.layout
    counted = {
        EngineCounter.OVERFLOW: "Messages that met a full queue",
        EngineCounter.UNEXPECTED: "Messages and arrivals that no entry awaited",
        EngineCounter.REFUSED_COMMAND: "Commands that were refused",
    }
    return (
        Word("COMMIT", 0, "A command; its answer is the status word", bits_of(COMMIT, "w")),
        Word(
            "IMAGE",
            IMAGE_ADDRESS,
            "Staged words of the image that SETUP writes",
            whole("word", "w", "as of the image's layout"),
            layout.image_words,
        ),
        *(_counter(c.name, COUNTER_ADDRESS + c, about) for c, about in counted.items()),
    )


def _counter(name: str, address: int, about: str) -> Word:
    bits = whole("count", "r", "stays at its greatest value", width=COUNTER_BITS, reset=0)
    return Word(name, address, about, bits)


def _link_words(links: int) -> tuple[Word, ...]:
    fence = whole("fence", "rw", "a bit a port", width=links, reset=0)
    return (
        Word("FENCE", RouterWord.FENCE, "Links that are closed", fence),
        _counter("CORRUPT", RouterWord.CORRUPT, "Words that came wrong, or out of place"),
        _counter("LOST", RouterWord.LOST, "Links on which something never came"),
    )


def _manager_words() -> tuple[Word, ...]:
    words: dict[ManagerWord, tuple[str, tuple[Bits, ...]]] = {
        ManagerWord.POINTER: (
            "Place in the manager's memory of the next word of data",
            whole("place", "w", "its low bits count, as many as the memory has words for"),
        ),
        ManagerWord.DATA: ("A word of data; the pointer goes on", whole("data", "w", "the word")),
        ManagerWord.COMMAND: ("A command begins", bits_of(COMMAND, "w")),
        ManagerWord.STATUS: ("What became of it", bits_of(MANAGER_STATUS, "r", reset=0)),
        ManagerWord.FREED: ("A group that has ended; read once", bits_of(FREED, "r", reset=0)),
    }
    unasked = _counter("UNEXPECTED", ManagerWord.UNEXPECTED, "Replies of no command")
    return (*(Word(w.name, w, about, bits) for w, (about, bits) in words.items()), unasked)
