"""Words of a static network on the config port, and the chain of route bits.

Source: docs/microarchitecture-static.md, R3 to R5. Counters stand where they do everywhere.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass

from syncfabric.models.messages.layout import Field, Layout
from syncfabric.models.messages.registers import CONFIG_ADDRESS_BITS, Counter
from syncfabric.models.messages.words import COUNTER_BITS, WordTable, bits_of, whole

INIT = 1
"""The command that lets a root begin."""

TIMEOUT_BITS = 16
"""Bits of the cycles that a process may wait until its node reports it."""


class Role(enum.IntEnum):
    """What a node's agent does; those above ALONE are as ALONE."""

    NONE, RING, RING_ROOT, TREE, TREE_ROOT, ALONE = range(6)


ROLE_WORD = Layout(
    "role word",
    (
        Field("role", 3, "0 NONE, 1 RING, 2 RING_ROOT, 3 TREE, 4 TREE_ROOT, 5 ALONE"),
        Field("flits", 16, "flits of an episode of a tree"),
    ),
)
"""Word 0 of a node."""

STATUS_WORD = Layout(
    "status word",
    (
        Field("left", 16, "flits still to be read; at the root of a tree, to be sent"),
        Field("owed", 6, "flits that the root of a ring has still to send"),
        Field("back", 1, "the release has still to come back to the root of the ring"),
        Field("go", 1, "the root of a tree has arrived"),
        Field("begun", 1, "the root has received INIT"),
        Field("done", 1, "released since the last arrive"),
    ),
)
"""Word 2 of a node."""


def observe_layout(buffers: Mapping[str, int]) -> Layout:
    """Return what a node shows to benches: flits in its buffers, its status, and its counters.

    Parameters
    ----------
    buffers : mapping of str to int
        Places of each, from the low bits up.
    """
    flits = (Field(name, places.bit_length(), "flits in it") for name, places in buffers.items())
    counters = (Field(counter.name, COUNTER_BITS, "events") for counter in Counter)
    return Layout("observe", (*flits, *STATUS_WORD.fields[:-1], *counters))


class StaticWord(WordTable):
    """Words of a node, but for its counters. TIMEOUT is there with a watchdog only."""

    ROLE = (
        0,
        "Role word; a write is refused while the node's agent is at work",
        bits_of(ROLE_WORD, "rw", reset=0),
    )
    COMMAND = 1, "Command", whole("command", "w", "1 INIT lets a root begin, once")
    STATUS = 2, "Status word", bits_of(STATUS_WORD, "r", reset=0)
    TIMEOUT = (
        3,
        "Timeout",
        whole("cycles", "rw", "a wait of so many cycles is counted; 0: none", width=TIMEOUT_BITS),
    )


class LoaderWord(WordTable):
    """Words of the loader."""

    SHIFT = (
        0,
        "Bits to shift into the chain, lowest first; answered 33 cycles later",
        whole("bits", "w", "32 bits of the chain"),
    )
    STROBE = (
        1,
        "All outputs take their routes from the chain, and are flushed where it says so",
        whole("any", "w", "is not looked at"),
    )
    LENGTH = 2, "Bits of the chain", whole("bits", "r", "those of all switches", constant=True)


@dataclass(frozen=True)
class StaticLayout:
    """Widths and numbers that follow from the graph of a static network.

    Parameters
    ----------
    switches, nodes : int
    ports : int
        Of every switch, 2 to 16.
    own : bool
        Whether node i is in switch i, at its last port; else a node is at the far end of a port.
    turns_back : bool
        Whether an output can select the input of its own port.
    """

    switches: int
    nodes: int
    ports: int
    own: bool = True
    turns_back: bool = False

    @property
    def loader(self) -> int:
        """The number that the config port addresses the loader by: it comes after the nodes."""
        return self.nodes

    @property
    def config_address_bits(self) -> int:
        """Bits of an address on the config port."""
        return CONFIG_ADDRESS_BITS

    @property
    def target_bits(self) -> int:
        """Bits of the number that the config port addresses."""
        return self.loader.bit_length()

    @property
    def core(self) -> int | None:
        """The port of a switch's own node; None where nodes are outside."""
        return self.ports - 1 if self.own else None

    @property
    def links(self) -> range:
        """The ports that lead out of the switch."""
        return range(self.ports - self.own)

    def inputs(self, output: int) -> tuple[int, ...]:
        """Return the inputs that an output can select, one for each select bit, rising."""
        return tuple(i for i in range(self.ports) if self.turns_back or i != output)

    @property
    def output_bits(self) -> int:
        """Bits of the chain an output: a select for each input that it can select, then flush."""
        return len(self.inputs(0)) + 1

    @property
    def switch_bits(self) -> int:
        """Bits of the chain a switch."""
        return self.ports * self.output_bits

    @property
    def chain_bits(self) -> int:
        """Bits of the whole chain."""
        return self.switch_bits * self.switches
