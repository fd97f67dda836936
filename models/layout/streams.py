"""Words of streams over barrier wires: what is on a link, and what follows from the parts."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Literal, TypeAlias

from syncfabric.models.layout.offload import Offload
from syncfabric.models.messages.layout import Field, Layout

Operations: TypeAlias = Literal["add", "integer", "bf16", "fp32", "offload"]
Channels: TypeAlias = Literal[0, 1, 2, 4]
Width: TypeAlias = Literal[32, 64, 128, 256, 512]
Join: TypeAlias = Literal["tree", "serial"]

LANE_BITS = 32

MOST_SETS = 15
"""Streams whose heads have gone up at a router and whose tails have not come down."""

CHECKED_BITS = 64
"""Of a word's data, in a part of a guarded link."""

_LEAST_PLACE_BITS = 3
LATENCY = {"add": 1, "integer": 2, "bf16": 3, "fp32": 4, "offload": 1}
"""Cycles of each operator (V7.2); of ``offload`` those beside the designer's own."""


class Function(IntEnum):
    """What a stream combines words by."""

    ADD, MIN, MAX, MIN_UNSIGNED, MAX_UNSIGNED, AND, OR, XOR = range(8)


class Type(IntEnum):
    """What a word holds."""

    INT8, INT16, INT32, BF16, FP32 = range(5)
    OFFLOAD = 7


HEAD = Layout(
    "stream head",
    (
        Field("function", 3, "add 0, min 1, max 2, unsigned min 3 and max 4, and 5, or 6, xor 7"),
        Field("type", 3, "integers of 8, 16, 32 bits 0 to 2, bf16 3, fp32 4, offload 7"),
        Field("takes", 1, "the member wants the result"),
    ),
)
"""Data of a head, and what a process says of a packet in its first beat."""

_FLOATS = frozenset((Function.ADD, Function.MIN, Function.MAX))
_BUILT: dict[str, dict[Type, frozenset[Function]]] = {
    "add": {Type.INT32: frozenset((Function.ADD,))},
    "integer": dict.fromkeys((Type.INT8, Type.INT16, Type.INT32), frozenset(Function)),
    "bf16": {Type.BF16: _FLOATS},
    "fp32": {Type.FP32: _FLOATS},
    "offload": {Type.OFFLOAD: frozenset(Function)},
}


def built(operations: Iterable[str]) -> frozenset[tuple[Function, Type]]:
    """Return what the operators that are built can do (V7.1)."""
    return frozenset(
        (function, kind)
        for name in operations
        for kind, functions in _BUILT[name].items()
        for function in functions
    )


@dataclass(frozen=True)
class StreamLayout:
    """Widths and latencies of the streams of a router; rules: docs/microarchitecture-streams.md.

    Parameters
    ----------
    channels : int, 1, 2 or 4
        K: stream channels of a link.
    bits : int, 32, 64, 128, 256 or 512
        W: bits of a word.
    operations : tuple of str
        Operators that are built.
    join : {"tree", "serial"}
    ports : int, 1 to 16
        P: links, and the process.
    own : bool
        The last port is the process's.
    registers : int, 0 to 3
        Of a link.
    offload : Offload, optional
        The designer's own unit.
    check_bits : int, 0 to 8
        Of each part of a guarded link (V12).
    shared : bool
        Links are those of packets (V13).
    output_register : bool
        There is a register before each of these.
    """

    channels: int
    bits: int
    operations: tuple[str, ...]
    join: str
    ports: int
    own: bool
    registers: int = 0
    offload: Offload | None = None
    check_bits: int = 0
    shared: bool = False
    output_register: bool = False

    @cached_property
    def word(self) -> Layout:
        """What is on a link beside its valid bits."""
        size = Field("size", (self.bits // 8).bit_length() - 1, "bytes of the last word; 0: all")
        flags = Field("tail", 1, "the last of its packet"), Field("head", 1, "the first")
        return Layout("stream word", (Field("data", self.bits, "operand or result"), size, *flags))

    @property
    def links(self) -> int:
        """Ports that are links."""
        return self.ports - self.own

    @property
    def offload_latency(self) -> int:
        """Cycles of the designer's own unit; 0: there is none."""
        return self.offload.latency if self.offload else 0

    @property
    def operator_latency(self) -> int:
        """Cycles of an operator (V7.2)."""
        own = {**LATENCY, "offload": LATENCY["offload"] + self.offload_latency}
        return max(own[name] for name in self.operations)

    @property
    def levels(self) -> int:
        """Operators one behind the other; of a serial join the one that there is."""
        return 1 if self.join == "serial" else max(1, (self.ports - 1).bit_length())

    @property
    def latency(self) -> int:
        """Cycles from the words of a join to its result on the link (V1.4)."""
        return self.levels * self.operator_latency

    @property
    def place_bits(self) -> int:
        """Bits of a place in a channel's buffer, whose place 0 holds no word (V1.5)."""
        least = self.latency + 3 + 2 * self.registers + self.exit
        alone = self.channels == 1 or self.join == "serial"
        return max(_LEAST_PLACE_BITS + alone, least.bit_length())

    @property
    def places(self) -> int:
        """B: words that a channel's buffer holds."""
        return (1 << self.place_bits) - 1

    @property
    def check_parts(self) -> int:
        """Parts of a link's forward wires that have check bits of their own (V12.1, V13.10)."""
        return 1 if self.shared else -(-self.bits // CHECKED_BITS)

    @property
    def exit(self) -> int:
        """O: cycles from an output of a router to its link (V1.5)."""
        return int(self.shared and self.output_register)

    @property
    def process_shares(self) -> bool:
        """Whether the link of a process is shared with packets, too."""
        return self.shared and not self.own

    def cycles(self, radius: int) -> int:
        """Return the most cycles to the first word of a result (V10).

        Parameters
        ----------
        radius : int, >= 0
            Links between routers from the root to the farthest member.
        """
        links = radius * (self.hop + 2 * self.registers)
        return links + self._joins + 7 + self.exit * (not self.own)

    @property
    def hop(self) -> int:
        """Cycles of a link there and back, its registers left out."""
        return self._joins + 3 + 2 * self.exit

    @property
    def _joins(self) -> int:
        return self.latency if self.join == "tree" else self.latency * self.ports
