"""A C header of the registers by which a core of a many-core system sees the network.

Source: docs/microarchitecture-cores.md.
"""

from __future__ import annotations

from syncfabric.models.messages.boot import BOOT_FENCE, BOOT_MAGIC, BOOT_NONE
from syncfabric.models.messages.core import (
    ARRIVE_BASE,
    CONFIG_BASE,
    CONFIG_STATUS,
    CORE_REGISTERS,
    DONE,
    DONE_BASE,
    FLIT_STATUS,
    LAST_BASE,
    MOST_CORES,
    MOST_WORDS,
    NET_STATUS,
    RECV,
    SEND,
    SHAPE,
    WAIT_BASE,
    CoreWord,
)
from syncfabric.models.planning.c_text import define, defines, fields, guarded

__all__ = ["core_header"]


def core_header() -> str:
    """Return the header (C99); it is the same for every system."""
    bases = {
        "ARRIVE_BASE": ARRIVE_BASE,
        "WAIT_BASE": WAIT_BASE,
        "DONE_BASE": DONE_BASE,
        "LAST_BASE": LAST_BASE,
        "CONFIG_BASE": CONFIG_BASE,
    }
    blocks = [
        "\n".join(
            [
                "/* Byte address of word 0, cores of a system and words of a packet at most. */",
                define("CORE_REGISTERS", CORE_REGISTERS, as_hex=True),
                *defines({"MOST_CORES": MOST_CORES, "MOST_WORDS": MOST_WORDS}),
                "/* The boot block: its first word, and what says that there is no such thing. */",
                define("BOOT_MAGIC", BOOT_MAGIC, as_hex=True),
                define("BOOT_NONE", BOOT_NONE, as_hex=True),
                define("BOOT_FENCE", BOOT_FENCE, as_hex=True),
                "/* Words that there is one of. */",
                *defines({f"CORE_{word.name}": int(word) for word in CoreWord}),
                "/* Where the words of each register begin, and the config port of the node. */",
                *defines({f"CORE_{name}": value for name, value in bases.items()}),
            ]
        ),
        *(fields(word) for word in (SHAPE, SEND, RECV, NET_STATUS, FLIT_STATUS, DONE)),
        fields(CONFIG_STATUS),
    ]
    return guarded("SYNCFABRIC_CORE_H", "Registers of a core", blocks)
