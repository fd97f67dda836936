"""Registers of the host, by which software sees a network: words, fields, addresses.

Source: docs/microarchitecture-host.md, H1 and H2.
"""

import enum

from pydantic import BaseModel, ConfigDict

from syncfabric.models.errors import SpecError
from syncfabric.models.messages.layout import Field, Layout

__all__ = [
    "BINS",
    "CONFIG_WINDOW",
    "DATA_BASE",
    "HISTOGRAM_BASE",
    "HOST_ADDRESS_BITS",
    "HOST_ID",
    "HOST_VERSION",
    "INTERRUPT",
    "MASK_BASE",
    "METER_BASE",
    "METER_WORDS",
    "MOST_METERS",
    "MOST_NODES",
    "MOST_REGISTERS",
    "NODE_BASE",
    "NODE_WORDS",
    "RESULT_BASE",
    "SHAPE",
    "SKEW_BITS",
    "SKEW_BOUNDS",
    "TRAFFIC_BASE",
    "TRAFFIC_CONTROL",
    "TRAFFIC_WORDS",
    "WAIT_BASE",
    "WAIT_LIMIT",
    "WINDOW_BITS",
    "GlobalWord",
    "HostShape",
    "MeterWord",
    "NodeWord",
    "TrafficWord",
    "config_word",
    "meter_word",
    "node_word_address",
    "traffic_word",
]

HOST_ADDRESS_BITS = 18
"""Bits of a word address; a byte address on AXI has two more."""

HOST_ID = 0x53464142
HOST_VERSION = 3
TRAFFIC_BASE, TRAFFIC_WORDS = 0x00010, 16
CONFIG_WINDOW, WINDOW_BITS = 0x01000, 12
METER_BASE, METER_WORDS, MASK_BASE, HISTOGRAM_BASE = 0x10000, 0x1000, 0x800, 8
NODE_BASE, NODE_WORDS = 0x20000, 0x80
DATA_BASE, RESULT_BASE, WAIT_BASE = 32, 64, 96
"""Where a node's words that there are for each register begin."""

MOST_NODES, MOST_REGISTERS, MOST_METERS = 1024, 32, 16
WAIT_LIMIT = 1_000_000
"""Cycles that a WAIT takes at most, after reset."""

SKEW_BOUNDS = (1, 4, 16, 64, 256, 1024, 4096)
"""Least skew, in cycles, of each bin of a meter's histogram but the first."""

BINS = len(SKEW_BOUNDS) + 1
SKEW_BITS = SKEW_BOUNDS[-1].bit_length()


_MOST_BITS = 65_535
"""Bits that the inputs of one module may have in Amaranth."""


class GlobalWord(enum.IntEnum):
    """Words of the whole host."""

    ID, VERSION, NODES, SHAPE = range(4)
    CYCLE_LOW, CYCLE_HIGH = 5, 6
    CONFIG_NODE, WAIT_LIMIT, ARRIVE_ALL, IRQ_STATUS, CLEAR_ALL, CONFIG_ANSWER = range(7, 13)


class TrafficWord(enum.IntEnum):
    """Words of the ordinary traffic, where the network has sources and sinks of it."""

    RATE, SEED, CONTROL, CREATED, LOST, RECEIVED, WRONG, LATENCY = range(8)


class MeterWord(enum.IntEnum):
    """Words of a meter, before its histogram and its mask."""

    EPISODES, LAST, LEAST, GREATEST, CLEAR = range(5)


class NodeWord(enum.IntEnum):
    """Words of a node, before those that there are for each register."""

    ARRIVE, ARRIVE_LAST, READY, DONE, BROKEN, IRQ_ENABLE = range(6)


SHAPE = Layout(
    "shape word",
    (
        Field("registers", 8, "registers of a node's port"),
        Field("data_bits", 8, "data bits of a barrier"),
        Field("meters", 8, "meters"),
        Field("last", 1, "there is ARRIVE_LAST"),
        Field("broken", 1, "BROKEN says something"),
        Field("traffic", 1, "there are traffic words"),
    ),
)

TRAFFIC_CONTROL = Layout(
    "traffic control word",
    (
        Field("enable", 1, "the sources create packets"),
        Field("load", 1, "seeds the sources, and clears the counts"),
    ),
)

INTERRUPT = Layout(
    "interrupt word",
    (
        Field("pending", 1, "the interrupt"),
        Field("node", 16, "lowest node with an interrupt; 0 if there is none"),
    ),
)


class HostShape(BaseModel):
    """What a host has to do with (docs/microarchitecture-host.md).

    Parameters
    ----------
    nodes, registers, data_bits : int
        Of the network; registers of a node's port.
    targets, address_bits : int
        Targets of the config port, and bits of an address there, at most `WINDOW_BITS`.
    meters : int
        Groups that can be measured at the same time.
    last, broken : bool
        The network has these ports.
    traffic : bool
        There are sources and sinks of ordinary traffic.
    """

    model_config = ConfigDict(frozen=True)

    nodes: int
    registers: int
    data_bits: int
    targets: int
    meters: int
    address_bits: int = WINDOW_BITS
    last: bool = False
    broken: bool = False
    traffic: bool = False

    @property
    def width(self) -> int:
        """Registers of all nodes: bits of a mask."""
        return self.nodes * self.registers

    @property
    def said(self) -> dict[str, int]:
        """What the shape word says, by its fields."""
        return {field.name: int(getattr(self, field.name)) for field in SHAPE.fields}

    @property
    def mask_words(self) -> int:
        """Words of a meter's mask."""
        return -(-self.width // 32)

    def check(self) -> None:
        """Refuse a host that there is no room for.

        Raises
        ------
        SpecError
            Too many nodes, registers of a node, or meters; or more wires than a module may have.
        """
        for name, value, most in (
            ("nodes", self.nodes, MOST_NODES),
            ("registers of a node", self.registers, MOST_REGISTERS),
            ("meters", self.meters, MOST_METERS),
        ):
            if value > most:
                raise SpecError(f"{name} = {value}: a host front has room for at most {most}")
        wires = self.width * (3 + self.broken + self.data_bits)
        if wires > _MOST_BITS - 128:
            raise SpecError(
                f"a host front would look at {wires} wires, and a module has at most "
                f"{_MOST_BITS - 128}: choose fewer nodes, registers of a node, or data_bits"
            )


def config_word(address: int) -> int:
    """Return the word by which config address ``address`` is reached."""
    return CONFIG_WINDOW + address


def traffic_word(word: int) -> int:
    """Return the address of a word of the traffic."""
    return TRAFFIC_BASE + word


def meter_word(meter: int, word: int) -> int:
    """Return the address of a word of meter ``meter``."""
    return METER_BASE + METER_WORDS * meter + word


def node_word_address(node: int, word: int) -> int:
    """Return the address of a word of node ``node``."""
    return NODE_BASE + NODE_WORDS * node + word
