"""The words of a static network's nodes, and of the loader of its routes."""

from __future__ import annotations

from syncfabric.models.messages import (
    PATIENCE_BITS,
    ROLE_WORD,
    STATUS_WORD,
    LoaderWord,
    StaticLayout,
    StaticWord,
)
from syncfabric.models.register_map.parts import Bits, Word, bits_of, whole

__all__ = ["agent_words", "loader_words"]


def agent_words(watchdog: int) -> tuple[Word, ...]:
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


def loader_words(layout: StaticLayout) -> tuple[Word, ...]:
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
