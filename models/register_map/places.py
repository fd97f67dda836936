"""What stands beside the registers on the config port: slots of wires, counters, a manager."""

from __future__ import annotations

from syncfabric.models.messages import (
    COUNTER_BASE,
    COUNTER_BITS,
    FENCE,
    MANAGER_BASE,
    MANAGER_COMMAND,
    MANAGER_FREED,
    MANAGER_STATUS,
    WIRE_STATUS,
    Counter,
    LinkCounter,
    ManagerWord,
    WireLayout,
    WireWord,
)
from syncfabric.models.networks.wires import WirePlane
from syncfabric.models.register_map.parts import Word, bits_of, whole
from syncfabric.models.register_map.registers import RESULT, control_fields, without_turn

__all__ = ["counter_words", "fence_words", "manager_words", "slot_words"]

_COUNTED: dict[Counter | LinkCounter, str] = {
    Counter.OVERFLOW: "Flits or messages that met a full buffer",
    Counter.STRAY: "Messages that no register expected",
    Counter.REFUSED_ARRIVE: "Arrives that were not accepted",
    Counter.REFUSED_WRITE: "Writes that were refused",
}
_OF_LINKS: dict[Counter | LinkCounter, str] = {
    LinkCounter.CORRUPT: "Flits or messages that came wrong, or out of place",
    LinkCounter.LOST: "Links on which something, or its credit, never came",
}


def counter_words(*, guarded: bool = False) -> tuple[Word, ...]:
    """Return the event counters, and those of links that are guarded."""
    counted = _COUNTED | _OF_LINKS if guarded else _COUNTED
    return tuple(
        Word(
            counter.name,
            COUNTER_BASE + counter,
            about,
            whole("count", "r", "stays at its greatest value", width=COUNTER_BITS, reset=0),
        )
        for counter, about in counted.items()
    )


def fence_words(links: int) -> tuple[Word, ...]:
    """Return the word by which links are closed, of a router that has so many."""
    about = "Links that are closed: nothing comes or goes, and credits come back"
    bits = whole("fence", "rw", "a bit a port", width=links, reset=0)
    return (Word("FENCE", FENCE, about, bits),)


def slot_words(plane: WirePlane, links: int, *, process: bool) -> tuple[Word, ...]:
    """Return the words of a slot of barrier wires.

    Parameters
    ----------
    plane : WirePlane
    links : int
        Links of the unit.
    process : bool
        It has a process.
    """
    layout = WireLayout(links, process, plane.data_bits)
    tree = bits_of(layout.tree, "rw", kept=layout.tree_mask)
    return (
        Word(
            "CONTROL",
            WireWord.CONTROL,
            "Control word; with valid clear it clears the slot",
            control_fields(without_turn()),
        ),
        Word("TREE", WireWord.TREE, "Tree word", tree),
        Word(
            "COMMAND",
            WireWord.COMMAND,
            "Command",
            whole("command", "w", "1 changes nothing, 2 clears the slot"),
        ),
        Word("STATUS", WireWord.STATUS, "Wire status word", bits_of(WIRE_STATUS, "r")),
        Word("RESULT", WireWord.RESULT, RESULT, whole("data", "r", RESULT, width=plane.data_bits)),
    )


def manager_words() -> tuple[Word, ...]:
    """Return the words of a manager at its node."""
    words = {
        ManagerWord.POINTER: (
            "Place in the manager's memory of the next word of data",
            whole("place", "w", "its low bits count, as many as the memory has words for"),
        ),
        ManagerWord.DATA: ("A word of data; the pointer goes on", whole("data", "w", "the word")),
        ManagerWord.COMMAND: ("A command begins", bits_of(MANAGER_COMMAND, "w")),
        ManagerWord.STATUS: ("What became of it", bits_of(MANAGER_STATUS, "r", reset=0)),
        ManagerWord.FREED: (
            "A group whose last barrier is over; every read tells another",
            bits_of(MANAGER_FREED, "r", reset=0),
        ),
    }
    return tuple(
        Word(word.name, MANAGER_BASE + word, about, fields)
        for word, (about, fields) in words.items()
    )
