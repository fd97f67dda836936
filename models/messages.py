"""The bit layout of every message, register and status word, written once.

The RTL, the golden models, the drivers, the register images and the C header all take their
fields from here. Sources: paper BTM, Figs. 2 and 3; paper BTIN, Figs. 4 and 5; with an epoch, and
wider data.
"""

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from syncfabric.models.errors import SpecError

__all__ = [
    "ARRIVED",
    "CONFIG_ADDRESS_BITS",
    "CONTROL",
    "COORDINATE_BITS",
    "COUNTER_BASE",
    "COUNTER_BITS",
    "LIFE",
    "NODE_WORD",
    "PENDING",
    "REGISTER_WORDS",
    "ROUTE_COUNT_BITS",
    "SPILL_BASE",
    "STATUS",
    "TREE",
    "Counter",
    "Field",
    "IrregularLayout",
    "Kind",
    "Layout",
    "MeshLayout",
    "Op",
    "RegisterWord",
    "SwitchWord",
    "register_address",
    "spill_address",
]

COORDINATE_BITS = 10
"""Bits of x and of y in a configuration word: the same for every mesh, so software is too."""

CONFIG_ADDRESS_BITS = 12
REGISTER_WORDS = 8
COUNTER_BASE = 1024
COUNTER_BITS = 8
SPILL_BASE = 2048


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


@dataclass(frozen=True)
class Field:
    """One named run of bits."""

    name: str
    width: int
    meaning: str


@dataclass(frozen=True)
class Layout:
    """Fields from the low bits up, without gaps."""

    name: str
    fields: tuple[Field, ...]

    @cached_property
    def width(self) -> int:
        """Bits of all fields together."""
        return sum(field.width for field in self.fields)

    @cached_property
    def offsets(self) -> dict[str, int]:
        """Lowest bit of each field, by name."""
        offsets, position = {}, 0
        for field in self.fields:
            offsets[field.name] = position
            position += field.width
        return offsets

    def pack(self, values: Mapping[str, int]) -> int:
        """Return the word with these field values; absent fields are 0.

        Raises
        ------
        SpecError
            A value does not fit its field, or no field has that name.
        """
        unknown = values.keys() - self.offsets.keys()
        if unknown:
            raise SpecError(f"{self.name} has no field {sorted(unknown)[0]!r}")
        word = 0
        for field in self.fields:
            value = int(values.get(field.name, 0))
            if not 0 <= value < 1 << field.width:
                raise SpecError(
                    f"{self.name} field {field.name} holds 0..{(1 << field.width) - 1}, not {value}"
                )
            word |= value << self.offsets[field.name]
        return word

    def unpack(self, word: int) -> dict[str, int]:
        """Return the value of every field of ``word``."""
        return {
            field.name: word >> self.offsets[field.name] & (1 << field.width) - 1
            for field in self.fields
        }


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
"""Words 1 to 5 of a barrier register: parent, then the children +X, +Y, -X, -Y."""

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

LIFE = Layout(
    "life of a register",
    (
        Field("go", 1, "GO has been: members may arrive"),
        Field("last", 1, "all arrivals of this episode were the last"),
        Field("dying", 1, "BROKEN is on its way to the children"),
        Field("freed", 1, "the last barrier is over, and the manager not told yet"),
        Field("broken", 1, "the process was released by BROKEN"),
    ),
)
"""With set-up by managers, what stands above the fields of a status or arrived word."""

ROUTE_COUNT_BITS = 4
"""Bits of the number of ports in a route flit."""


def register_address(register: int, word: RegisterWord | SwitchWord) -> int:
    """Return the config address of a word of barrier register ``register``."""
    return register * REGISTER_WORDS + word


def spill_address(gid: int, word: RegisterWord | SwitchWord) -> int:
    """Return the config address of a word of the spilled entry of group ``gid``."""
    return SPILL_BASE + gid * REGISTER_WORDS + word


@dataclass(frozen=True)
class MeshLayout:
    """Layouts whose widths follow from the size of a mesh.

    Parameters
    ----------
    width, height : int
        Nodes along x and y, 1 to 1024.
    flit_bits : int
        Payload bits of a flit; head and tail travel beside them.
    data_bits : int
        Data bits of a synchronization message, 0 to 32.
    """

    width: int
    height: int
    flit_bits: int
    data_bits: int

    @cached_property
    def x_bits(self) -> int:
        """Bits of a column number, at least 1."""
        return max(1, (self.width - 1).bit_length())

    @cached_property
    def y_bits(self) -> int:
        """Bits of a row number, at least 1."""
        return max(1, (self.height - 1).bit_length())

    @cached_property
    def node_bits(self) -> int:
        """Bits of a node number, at least 1."""
        return max(1, (self.width * self.height - 1).bit_length())

    @property
    def target_bits(self) -> int:
        """Bits of the number that the config port addresses: a node's."""
        return self.node_bits

    @cached_property
    def sync(self) -> Layout:
        """Synchronization message (paper BTM, Fig. 3), a single flit."""
        return Layout(
            "sync message",
            (
                Field("kind", 2, "0 REDUCE, 1 DISTRIBUTE, 2 GO, 3 BROKEN"),
                Field("gid", 8, "group identifier"),
                Field("epoch", 2, "epoch of the group's set-up"),
                Field("x", self.x_bits, "destination column"),
                Field("y", self.y_bits, "destination row"),
                Field("turn", 1, "first turn: 0 X first, 1 Y first"),
                Field("data", self.data_bits, "combined on the way up, the same for all down"),
            ),
        )

    @cached_property
    def header(self) -> Layout:
        """First flit of an ordinary packet; its other bits belong to the sender."""
        return Layout(
            "packet header",
            (
                Field("x", self.x_bits, "destination column"),
                Field("y", self.y_bits, "destination row"),
                Field("reply", 1, "set-up packets: 1 for a manager, 0 for a set-up sink"),
            ),
        )

    @cached_property
    def flit(self) -> Layout:
        """What a link carries for an ordinary packet."""
        return _flit(self.flit_bits)

    def check(self) -> None:
        """Refuse a flit that cannot hold a synchronization message or a header.

        Raises
        ------
        SpecError
            With the width that is needed.
        """
        if self.flit_bits < self.sync.width:
            raise SpecError(
                f"network: flit_bits = {self.flit_bits} is too narrow for the synchronization "
                f"message of a {self.width}x{self.height} mesh with data_bits = {self.data_bits}; "
                f"it needs at least {self.sync.width}"
            )


@dataclass(frozen=True)
class IrregularLayout:
    """Layouts whose widths follow from the size of an irregular network.

    Parameters
    ----------
    ports : int
        Ports of every switch, 2 to 16.
    switches, nodes : int
        How many there are.
    flit_bits : int
        Payload bits of a flit; head and tail travel beside them.
    data_bits : int
        Data bits of a synchronization message, 0 to 32.
    """

    ports: int
    switches: int
    nodes: int
    flit_bits: int
    data_bits: int

    @cached_property
    def switch_bits(self) -> int:
        """Bits of a switch's number, at least 1."""
        return max(1, (self.switches - 1).bit_length())

    @cached_property
    def port_bits(self) -> int:
        """Bits of a port code: a port's number, or ``ports``, the switch's own sink."""
        return self.ports.bit_length()

    @cached_property
    def node_bits(self) -> int:
        """Bits of a node's number, at least 1."""
        return max(1, (self.nodes - 1).bit_length())

    @cached_property
    def target_bits(self) -> int:
        """Bits of the number that the config port addresses: nodes first, then switches."""
        return max(1, (self.nodes + self.switches - 1).bit_length())

    @cached_property
    def sync(self) -> Layout:
        """Synchronization message (paper BTIN, Fig. 5), a single flit without destination."""
        return Layout(
            "sync message",
            (
                Field("kind", 2, "0 REDUCE, 1 DISTRIBUTE, 2 GO, 3 BROKEN"),
                Field("gid", 8, "group identifier"),
                Field("epoch", 2, "epoch of the group's set-up"),
                Field("data", self.data_bits, "combined on the way up, the same for all down"),
            ),
        )

    @cached_property
    def header(self) -> Layout:
        """First flit of a packet that the tables route; its other bits belong to the sender."""
        return Layout(
            "packet header",
            (
                Field("by_route", 1, "0: the tables route the packet"),
                Field("port", self.port_bits, "last port, at the destination's switch"),
                Field("switch", self.switch_bits, "the destination's switch"),
            ),
        )

    @cached_property
    def route(self) -> Layout:
        """First flits of a packet that brings its route along, used up on the way."""
        ports = tuple(
            Field(f"port_{i}", self.port_bits, "output port, the next switch's in port_0")
            for i in range(self.route_ports)
        )
        return Layout(
            "route flit",
            (
                Field("by_route", 1, "1: this flit routes the packet"),
                Field("count", ROUTE_COUNT_BITS, "ports that are left in this flit"),
                *ports,
            ),
        )

    @cached_property
    def route_ports(self) -> int:
        """Most ports that one route flit holds."""
        room = (self.flit_bits - 1 - ROUTE_COUNT_BITS) // self.port_bits
        return min(room, (1 << ROUTE_COUNT_BITS) - 1)

    @cached_property
    def flit(self) -> Layout:
        """What a link carries for an ordinary packet."""
        return _flit(self.flit_bits)

    def check(self) -> None:
        """Refuse a flit that cannot hold a synchronization message or a header.

        Raises
        ------
        SpecError
            With the width that is needed.
        """
        widest = max((self.sync, self.header), key=lambda layout: layout.width)
        if self.flit_bits < widest.width:
            raise SpecError(
                f"network: flit_bits = {self.flit_bits} is too narrow for the {widest.name} of "
                f"{self.switches} switches with data_bits = {self.data_bits}; it needs at least "
                f"{widest.width}"
            )


def _flit(flit_bits: int) -> Layout:
    return Layout(
        "flit",
        (
            Field("payload", flit_bits, "header in the first flit, else the sender's"),
            Field("head", 1, "first flit of its packet"),
            Field("tail", 1, "last flit of its packet"),
        ),
    )


# Set-up and tear-down through the network.

MANAGER_BASE = 1056
"""First config address of a node's manager."""

COMMAND_WORD = 4
"""Word of an irregular register that takes a :class:`Command`; a mesh register's is STATUS."""


class Command(enum.IntEnum):
    """What a command word makes a register do."""

    GO, KILL = 1, 2


class Request(enum.IntEnum):
    """What a manager asks of a router's set-up sink."""

    SETUP, CLEAR, KILL = range(3)


class Answer(enum.IntEnum):
    """What a set-up sink answers; FREED comes unasked, after a group's last barrier."""

    OK, FULL, EXISTS, BUSY, DENIED, BAD, FREED = range(7)


class ManagerWord(enum.IntEnum):
    """Words of a manager on its node's config port, from ``MANAGER_BASE``."""

    POINTER, DATA, COMMAND, STATUS, FREED = range(5)


class ManagerState(enum.IntEnum):
    """What a manager's status word says of the last command."""

    IDLE, RUNNING, DONE, FAILED = range(4)


SEQUENCE_BITS = 10

REQUEST = Layout(
    "request word",
    (
        Field("operation", 2, "0 SETUP, 1 CLEAR, 2 KILL"),
        Field("gid", 8, "group identifier"),
        Field("manager", 2, "which manager asks"),
        Field("sequence", SEQUENCE_BITS, "comes back in the reply"),
        Field("epoch", 2, "epoch of the set-up"),
        Field("op", 3, "combining operation"),
        Field("root", 1, "the barrier is turned around here"),
        Field("turn", 1, "first turn of the REDUCE to the parent, on a mesh"),
        Field("fire", 1, "send GO down the tree"),
    ),
)
"""Second flit of a manager's request."""

REPLY = Layout(
    "reply word",
    (
        Field("code", 3, "0 OK, 1 FULL, 2 EXISTS, 3 BUSY, 4 DENIED, 5 BAD, 6 FREED"),
        Field("sequence", SEQUENCE_BITS, "of the request; 0 with FREED"),
        Field("gid", 8, "group identifier"),
        Field("sender", 11, "number of the router, modulo 2^11"),
    ),
)
"""Second flit of a set-up sink's reply."""

MANAGER_COMMAND = Layout(
    "manager's command word",
    (
        Field("operation", 2, "0 SETUP, 1 CLEAR, 2 KILL"),
        Field("count", SEQUENCE_BITS + 1, "entries"),
    ),
)

MANAGER_STATUS = Layout(
    "manager's status word",
    (
        Field("state", 2, "0 idle, 1 running, 2 done, 3 failed"),
        Field("code", 3, "code of the first refusal"),
        Field("entry", SEQUENCE_BITS, "entry that it came from"),
    ),
)
