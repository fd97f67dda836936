"""The register map of a static network: its nodes, and the loader of its routes."""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.messages import (
    CONFIG_ADDRESS_BITS,
    COUNTER_BASE,
    COUNTER_BITS,
    PATIENCE_BITS,
    ROLE_WORD,
    STATUS_WORD,
    Counter,
    LoaderWord,
    StaticLayout,
    StaticWord,
)
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.register_map.parts import Bits, Block, Word, bits_of, whole

__all__ = ["TARGET_WORDS", "static_map"]

TARGET_WORDS = 1 << CONFIG_ADDRESS_BITS
"""Words from one target to the next, where the number of the target is the upper part."""

_COUNTED = {
    Counter.OVERFLOW: "Flits or messages that met a full buffer",
    Counter.STRAY: "Messages that no register expected",
    Counter.REFUSED_ARRIVE: "Arrives that were not accepted",
    Counter.REFUSED_WRITE: "Writes that were refused",
}


def static_map(network: StaticSpec) -> Iterator[Block]:
    """Yield the nodes, and then the loader; target t begins at t times ``TARGET_WORDS``."""
    nodes, words = len(network.topology.nodes), (*_agent(network.watchdog), *_counters())
    yield Block("node", 0, "A switch with its node's agent", words, nodes, TARGET_WORDS)
    yield Block("loader", nodes * TARGET_WORDS, "Loader of routes", _loader(network.layout))


def _agent(watchdog: int) -> tuple[Word, ...]:
    """Return the words of a node, before its counters; ``watchdog`` is the network's."""
    words: dict[StaticWord, tuple[str, tuple[Bits, ...]]] = {
        StaticWord.ROLE: (
            "Role word; a write is refused while the node's agent is at work",
            bits_of(ROLE_WORD, "rw", reset=0),
        ),
        StaticWord.COMMAND: ("Command", whole("command", "w", "1 INIT lets a root begin, once")),
        StaticWord.STATUS: ("Status word", bits_of(STATUS_WORD, "r", reset=0)),
    }
    if watchdog:
        patience = Bits(
            "cycles",
            0,
            PATIENCE_BITS,
            "rw",
            "who waits for so many is counted; 0: nobody",
            watchdog,
        )
        words[StaticWord.PATIENCE] = ("Patience", (patience,))
    return tuple(Word(word.name, word, about, fields) for word, (about, fields) in words.items())


def _loader(layout: StaticLayout) -> tuple[Word, ...]:
    """Return the words of the loader."""
    length = Bits("bits", 0, 32, "r", "25 for each node", layout.chain_bits, constant=True)
    words: dict[LoaderWord, tuple[str, tuple[Bits, ...]]] = {
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
    return tuple(Word(word.name, word, about, fields) for word, (about, fields) in words.items())


def _counters() -> Iterator[Word]:
    """Yield the event counters of a node."""
    for counter, about in _COUNTED.items():
        count = whole("count", "r", "stays at its greatest value", width=COUNTER_BITS, reset=0)
        yield Word(counter.name, COUNTER_BASE + counter, about, count)
