"""Words of the config chain, part by part: hardware, models, maps, headers and tests share them.

Rules: docs/microarchitecture-engine.md, E7 and Node; docs/microarchitecture-networks.md, N5.
"""

from enum import IntEnum

from syncfabric.models.layout.engine import COMMIT
from syncfabric.models.layout.setup import COMMAND, FREED, MANAGER_STATUS
from syncfabric.models.messages.words import WordTable, bits_of, whole

ADDRESS_BITS = 5
"""Bits of a config address inside a part."""

PART_BITS = 3
"""Bits of an address that name a part of a target."""

COUNTER_ADDRESS = 16
"""Config address of the first counter of each part."""


class EngineWord(WordTable):
    """Config words of an engine. An image is staged, then committed."""

    COMMIT = 0, "A command; its answer is the status word", bits_of(COMMIT, "w")
    IMAGE = (
        1,
        "Staged words of the image that SETUP writes",
        whole("word", "w", "as of the image's layout"),
    )
    OVERFLOW = 16, "Messages dropped at a full queue"
    UNEXPECTED = 17, "Unexpected messages and arrivals"
    REFUSED_COMMAND = 18, "Refused commands"


class RouterWord(WordTable):
    """Config words of a router, or of a node interface's end of the link."""

    FENCE = 1, "Closed links", whole("fence", "rw", "a bit a port", reset=0)
    OVERFLOW = 16, "Flits dropped at a full buffer"
    CORRUPT = 17, "Corrupt or unexpected words"
    LOST = 18, "Losses on links"
    UNEXPECTED = (
        19,
        "Packets without a process, dropped set-up packets, unexpected arrivals at slots",
    )


class PortWord(WordTable):
    """Config words of a node port."""

    REFUSED_ARRIVE = 16, "Arrives not accepted"


class ManagerWord(WordTable):
    """Config words of a manager."""

    POINTER = (
        0,
        "Address of the next data word in the manager's memory",
        whole("place", "w", "its low bits count, as many as the memory has words for"),
    )
    DATA = 1, "A data word; increments the pointer", whole("data", "w", "the word")
    COMMAND = 2, "Start a command", bits_of(COMMAND, "w")
    STATUS = 3, "Outcome of the command", bits_of(MANAGER_STATUS, "r", reset=0)
    FREED = 4, "An ended group; reading removes it", bits_of(FREED, "r", reset=0)
    UNEXPECTED = 16, "Unexpected replies"


class Target(IntEnum):
    """Parts of a node that have config words; bits 5 to 7 of an address."""

    ENGINE, ROUTER, PORT, MANAGER = range(4)


TABLES = (EngineWord, RouterWord, PortWord, ManagerWord)
"""Words of each part, by its number."""


def part_of(word: WordTable) -> Target:
    """Return the part that has a word."""
    return Target(TABLES.index(type(word)))


def config_address(word: WordTable) -> int:
    """Return the address of a word on the config port."""
    return part_of(word) << ADDRESS_BITS | word
