"""Barrier registers on the config port: kinds, operations, words, counters, addresses.

Sources: paper BTM, Fig. 2; paper BTIN, Fig. 4; with an epoch, and wider data.
"""

import enum

from syncfabric.models.messages.layout import Field, Layout

__all__ = [
    "ARRIVED",
    "CONFIG_ADDRESS_BITS",
    "CONTROL",
    "COORDINATE_BITS",
    "COUNTER_BASE",
    "COUNTER_BITS",
    "MOST_PORTS",
    "NODE_WORD",
    "PARENT_WORD",
    "PENDING",
    "REGISTER_WORDS",
    "STATUS",
    "TREE",
    "Counter",
    "Kind",
    "Op",
    "RegisterWord",
    "SwitchWord",
    "register_address",
]

COORDINATE_BITS = 10
"""Bits of x and of y in a configuration word: the same for every mesh, so software is too."""

CONFIG_ADDRESS_BITS = 12
REGISTER_WORDS = 8
COUNTER_BASE = 1024
COUNTER_BITS = 8


class Kind(enum.IntEnum):
    """Type of a synchronization message (paper BTM, Fig. 3)."""

    REDUCE, DISTRIBUTE, GO, BROKEN = range(4)


class Op(enum.IntEnum):
    """How a group combines its members' data; the last three need ``operations = "all"``."""

    OR, AND, XOR, MAX, MIN, SUM = range(6)

    def identity(self, data_bits: int) -> int:
        """Return the value that changes nothing when combined with a ``data_bits`` wide word."""
        return (1 << data_bits) - 1 if self in (Op.AND, Op.MIN) else 0


class Counter(enum.IntEnum):
    """Saturating event counters of a router, ``COUNTER_BITS`` wide, in reading order."""

    OVERFLOW, STRAY, REFUSED_ARRIVE, REFUSED_WRITE = range(4)


class RegisterWord(enum.IntEnum):
    """Words of a barrier register on the config port; the last two can only be read."""

    CONTROL, PARENT, EAST, NORTH, WEST, SOUTH, STATUS, RESULT = range(8)


class SwitchWord(enum.IntEnum):
    """Words of a barrier register of an irregular network; the last three can only be read."""

    CONTROL, TREE = 0, 1
    ARRIVED, PENDING, RESULT = 5, 6, 7


CONTROL = Layout(
    "control word",
    (
        Field("valid", 1, "the register takes part; written last"),
        Field("root", 1, "this node turns the barrier around"),
        Field("turn", 1, "first turn of the REDUCE to the parent: 0 X first, 1 Y first"),
        Field("op", 3, "combining operation: 0 OR, 1 AND, 2 XOR, 3 MAX, 4 MIN, 5 SUM"),
        Field("epoch", 2, "messages of another epoch are strays"),
        Field("gid", 8, "group identifier"),
        Field("manager", 2, "manager that set it up"),
    ),
)
"""Word 0 of a barrier register."""

NODE_WORD = Layout(
    "node word",
    (
        Field("x", COORDINATE_BITS, "column of the parent or child"),
        Field("y", COORDINATE_BITS, "row of the parent or child"),
        Field("present", 1, "there is such a child; ignored for the parent"),
    ),
)
"""Words 2 to 5 of a barrier register: the children +X, +Y, -X, -Y."""

PARENT_WORD = Layout(
    "parent word",
    (
        *NODE_WORD.fields,
        Field("relay", 1, "the node's own process is no member: it is neither awaited nor told"),
    ),
)
"""Word 1 of a barrier register."""

STATUS = Layout(
    "status word",
    (
        Field("arrived", 4, "children whose REDUCE is in (+X, +Y, -X, -Y), or their number"),
        Field("local", 1, "the node's own process has arrived"),
        Field("waiting", 1, "its data waits for the serial combiner"),
        Field("fired", 1, "all are in; waits for the parent's DISTRIBUTE"),
        Field("pending", 5, "messages still to send: children +X, +Y, -X, -Y, then parent"),
    ),
)
"""Word 6 of a barrier register, read only."""


MOST_PORTS = 16
"""Ports of the largest switch: the words below have a bit for each."""

TREE = Layout(
    "tree word",
    (
        Field("parent", 4, "port that leads to the parent; ignored at the root"),
        Field("children", MOST_PORTS, "ports that lead to children, a bit each"),
    ),
)
"""Word 1 of a barrier register of an irregular network (paper BTIN, Fig. 4)."""

ARRIVED = Layout(
    "arrived word",
    (
        Field("arrived", MOST_PORTS, "ports whose REDUCE is in, a bit each"),
        Field("fired", 1, "all are in; waits for the parent's DISTRIBUTE"),
    ),
)
"""Word 5 of a barrier register of an irregular network, read only."""

PENDING = Layout(
    "pending word",
    (
        Field("children", MOST_PORTS, "ports to which a DISTRIBUTE is still to be sent"),
        Field("parent", 1, "the REDUCE to the parent is still to be sent"),
    ),
)
"""Word 6 of a barrier register of an irregular network, read only."""


def register_address(register: int, word: int) -> int:
    """Return the config address of a word of barrier register, or slot, ``register``."""
    return register * REGISTER_WORDS + word
