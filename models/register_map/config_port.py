"""The register map of a network's config port: a block for each target, by their numbers.

Source: docs/registers.md; engines: docs/microarchitecture-engine.md, E7 and Node; managers:
docs/microarchitecture-networks.md, N5. Bits of a word that a register does not keep are left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from enum import IntEnum

from syncfabric.models.layout.engine import (
    ADDRESS_BITS,
    COMMIT,
    COUNTER_ADDRESS,
    IMAGE_ADDRESS,
    EngineCounter,
)
from syncfabric.models.layout.network import PART_BITS, NetworkShape, PortWord, RouterWord, Target
from syncfabric.models.layout.setup import COMMAND, FREED, MANAGER_STATUS, ManagerWord
from syncfabric.models.messages import (
    CONFIG_ADDRESS_BITS,
    COUNTER_BASE,
    PATIENCE_BITS,
    ROLE_WORD,
    STATUS_WORD,
    Counter,
    LoaderWord,
    StaticLayout,
    StaticWord,
)
from syncfabric.models.networks.spec import NetworkSpec, StaticSpec
from syncfabric.models.register_map import parts as map_parts
from syncfabric.models.register_map.parts import Block, Part, Rows, Word, bits_of, counters, whole

__all__ = ["TARGET_WORDS", "config_map"]

TARGET_WORDS = 1 << CONFIG_ADDRESS_BITS
"""Words from one target to the next, where the number of the target is the upper part."""

_COUNTED: Mapping[IntEnum, str] = {
    Counter.OVERFLOW: "Flits or messages that met a full buffer",
    Counter.STRAY: "Messages that no register expected",
    Counter.REFUSED_ARRIVE: "Arrives that were not accepted",
    Counter.REFUSED_WRITE: "Writes that were refused",
}


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
    nodes = len(network.topology.nodes)
    words = (*_agent(network.watchdog), *counters(_COUNTED, COUNTER_BASE))
    yield Block("node", 0, "A switch with its node's agent", words, nodes, TARGET_WORDS)
    yield Block("loader", nodes * TARGET_WORDS, "Loader of routes", _loader(network.layout))


def _agent(watchdog: int) -> tuple[Word, ...]:
    """Return the words of a node, before its counters; ``watchdog`` is the network's."""
    words: Rows = {
        StaticWord.ROLE: (
            "Role word; a write is refused while the node's agent is at work",
            bits_of(ROLE_WORD, "rw", reset=0),
        ),
        StaticWord.COMMAND: ("Command", whole("command", "w", "1 INIT lets a root begin, once")),
        StaticWord.STATUS: ("Status word", bits_of(STATUS_WORD, "r", reset=0)),
    }
    if watchdog:
        about = "who waits for so many is counted; 0: nobody"
        patience = whole("cycles", "rw", about, width=PATIENCE_BITS, reset=watchdog)
        words = {**words, StaticWord.PATIENCE: ("Patience", patience)}
    return map_parts.words_of(words)


def _loader(layout: StaticLayout) -> tuple[Word, ...]:
    """Return the words of the loader."""
    length = map_parts.Bits(
        "bits", 0, 32, "r", "25 for each node", layout.chain_bits, constant=True
    )
    words: Rows = {
        LoaderWord.SHIFT: (
            "Bits to shift into the chain, lowest first; answered 33 cycles later",
            whole("bits", "w", "32 bits of the chain"),
        ),
        LoaderWord.STROBE: (
            "All outputs take their routes from the chain, and are flushed where it says so",
            whole("any", "w", "is not looked at"),
        ),
        LoaderWord.LENGTH: ("Bits of the chain", (length,)),
    }
    return map_parts.words_of(words)


def _engine_map(shape: NetworkShape) -> Iterator[Block]:
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
    port = counters({PortWord.REFUSED_ARRIVE: "Arrives that were not accepted"})
    parts.append(_block(Target.PORT, "Node port", port))
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
        words += counters({RouterWord.UNEXPECTED: dropped})
    if words:
        parts.append(_block(Target.ROUTER, "Router", _in_order(words)))
    return tuple(parts)


def _overflow(shape: NetworkShape, about: str) -> tuple[Word, ...]:
    """Return the counter of what was dropped, where there are packets."""
    if not shape.router.channels:
        return ()
    return counters({RouterWord.OVERFLOW: about})


def _in_order(words: Iterable[Word]) -> tuple[Word, ...]:
    return tuple(sorted(words, key=lambda word: word.address))


def _block(part: Target, about: str, words: tuple[Word, ...]) -> Block:
    return Block(part.name.lower(), part << ADDRESS_BITS, about, words)


def _engine_words(shape: NetworkShape) -> tuple[Word, ...]:
    layout = shape.router.layout
    counted: Mapping[IntEnum, str] = {
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
        *counters(counted, COUNTER_ADDRESS),
    )


def _link_words(links: int) -> tuple[Word, ...]:
    fence = whole("fence", "rw", "a bit a port", width=links, reset=0)
    return (
        Word("FENCE", RouterWord.FENCE, "Links that are closed", fence),
        *counters(
            {
                RouterWord.CORRUPT: "Words that came wrong, or out of place",
                RouterWord.LOST: "Links on which something never came",
            }
        ),
    )


def _manager_words() -> tuple[Word, ...]:
    words: Rows = {
        ManagerWord.POINTER: (
            "Place in the manager's memory of the next word of data",
            whole("place", "w", "its low bits count, as many as the memory has words for"),
        ),
        ManagerWord.DATA: ("A word of data; the pointer goes on", whole("data", "w", "the word")),
        ManagerWord.COMMAND: ("A command begins", bits_of(COMMAND, "w")),
        ManagerWord.STATUS: ("What became of it", bits_of(MANAGER_STATUS, "r", reset=0)),
        ManagerWord.FREED: ("A group that has ended; read once", bits_of(FREED, "r", reset=0)),
    }
    return map_parts.words_of(words) + counters({ManagerWord.UNEXPECTED: "Replies of no command"})
