"""Registers of the host, by which software sees a network: words, fields, addresses.

Source: docs/microarchitecture-host.md, H1 and H2.
"""

from functools import partial

from pydantic import BaseModel, ConfigDict

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.streams import HEAD
from syncfabric.models.messages.layout import Field, Layout
from syncfabric.models.messages.words import WORD_BITS, WordTable, bits_of, whole

HOST_ADDRESS_BITS = 18
"""Bits of a word address; a byte address on AXI has two more."""

HOST_ID = 0x53464142
HOST_VERSION = 3
TRAFFIC_BASE, TRAFFIC_WORDS = 0x00010, 16
STREAM_BASE = 0x00020
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


SHAPE = Layout(
    "shape word",
    (
        Field("registers", 8, "registers of a node's port"),
        Field("data_bits", 8, "data bits of a barrier"),
        Field("meters", 8, "meters"),
        Field("last", 1, "there is ARRIVE_LAST"),
        Field("broken", 1, "BROKEN says something"),
        Field("traffic", 1, "there are traffic words"),
        Field("streams", 3, "channels of sources and sinks of streams; 0: there are none"),
    ),
)

TRAFFIC_CONTROL = Layout(
    "traffic control word",
    (
        Field("enable", 1, "the sources create packets"),
        Field("load", 1, "seeds the sources, and clears the counts"),
    ),
)

STREAM_PLACE = Layout(
    "stream place word",
    (
        Field("node", 16, "whose source and sink the other words are of"),
        Field("channel", 2, "channel"),
    ),
)
STREAM_PACKET = Layout(
    "stream packet word",
    (
        Field("words", 13, "of the operand; 0: nothing is given"),
        Field("user", HEAD.width, "data of the head"),
    ),
)

INTERRUPT = Layout(
    "interrupt word",
    (
        Field("pending", 1, "the interrupt"),
        Field("node", 16, "lowest node with an interrupt; 0 if there is none"),
    ),
)


METERED = whole("count", "r", "stays at its greatest", reset=0)
"""The field of a meter's words."""

_LEAST = whole("count", "r", "stays at its greatest", reset=(1 << WORD_BITS) - 1)
_COUNT = whole("count", "r", "it", reset=0)
_CYCLE = whole("cycles", "r", "low half of the cycles since reset", reset=0)
_STROBE = whole("any", "w", "is not looked at")
_each = partial(whole, "registers", reset=0)
_ARRIVES = whole("registers", "w", "a bit each; refused if one is not ready, and none arrives then")


class GlobalWord(WordTable):
    """Words of the whole host."""

    ID = 0, "What this is", whole("id", "r", "identifies a host", reset=HOST_ID, constant=True)
    VERSION = (
        1,
        "Of this map",
        whole("version", "r", "of the map", reset=HOST_VERSION, constant=True),
    )
    NODES = 2, "Nodes", whole("nodes", "r", "nodes of the network", constant=True)
    SHAPE = 3, "Shape word", bits_of(SHAPE, "r")
    CYCLE_LOW = (
        5,
        "Low half of the cycles since reset; holds the high half for the next word",
        whole("cycles", "r", "low half of the cycles since reset"),
    )
    CYCLE_HIGH = (
        6,
        "High half of the cycles as of the last read of CYCLE_LOW",
        whole("cycles", "r", "high half of the cycles since reset", reset=0),
    )
    CONFIG_NODE = (
        7,
        "Target of the config window; a number that no target has is refused",
        whole("target", "rw", "number on the config port", reset=0),
    )
    WAIT_LIMIT = (
        8,
        "Cycles that a WAIT takes at most",
        whole("cycles", "rw", "cycles until it is refused", reset=WAIT_LIMIT),
    )
    ARRIVE_ALL = (
        9,
        "All bits of a meter's mask arrive in the same cycle",
        whole("meter", "w", "number of the meter; others are refused"),
    )
    IRQ_STATUS = 10, "Interrupt word", bits_of(INTERRUPT, "r", reset=0)
    CLEAR_ALL = 11, "Clears all meters", _STROBE
    CONFIG_ANSWER = (
        12,
        "Word of the last answer in the config window, to reads and writes, refused or not",
        whole("word", "r", "as the target's word has it", reset=0),
    )


class TrafficWord(WordTable):
    """Words of the ordinary traffic, where the network has sources and sinks of it."""

    RATE = (
        0,
        "Packets of each source",
        whole("rate", "rw", "a cycle, times 2^24", width=24, reset=0),
    )
    SEED = 1, "Seed of all sources", whole("seed", "rw", "the seed", reset=0)
    CONTROL = (
        2,
        "Traffic control word",
        bits_of(TRAFFIC_CONTROL, "rw", reset=0)[:1] + bits_of(TRAFFIC_CONTROL, "w")[1:],
    )
    CREATED = 3, "Packets created", _COUNT
    LOST = 4, "Packets for which a source had no room", _COUNT
    RECEIVED = 5, "Packets received", _COUNT
    WRONG = 6, "Flits that were wrong", _COUNT
    LATENCY = 7, "Greatest latency of a packet, in cycles", _COUNT


class StreamWord(WordTable):
    """Words of streams, where the network has sources and sinks of them."""

    PLACE = 0, "Stream place word", bits_of(STREAM_PLACE, "rw", reset=0)
    SEED = 1, "Seed of an operand", whole("seed", "rw", "the seed", reset=0)
    PACKET = 2, "The source there has a packet to send", bits_of(STREAM_PACKET, "w")
    BEGUN = 3, "Cycle in which the last packet was at a source", _CYCLE
    PACKETS = 4, "Packets that came whole to the sink there", whole("count", "r", "it", reset=0)
    CHECKSUM = 5, "Checksum of all its beats", whole("checksum", "r", "it", reset=0)
    FIRST = 6, "Cycle of the first beat of its last packet", _CYCLE
    LAST = 7, "Cycle of the last beat of its last packet", _CYCLE


class MeterWord(WordTable):
    """Words of a meter, before its histogram and its mask."""

    EPISODES = 0, "Barriers counted", METERED
    LAST = 1, "Latency of the last one, in cycles", METERED
    LEAST = 2, "Least latency; all ones before the first", _LEAST
    GREATEST = 3, "Greatest latency", METERED
    CLEAR = 4, "Clears this meter", _STROBE


class NodeWord(WordTable):
    """Words of a node, before those that there are for each register; a field has a bit each."""

    ARRIVE = 0, "Registers arrive", _ARRIVES
    ARRIVE_LAST = 1, "Registers arrive, and it is the group's last barrier", _ARRIVES
    READY = 2, "Registers are set up", whole("registers", "r", "may arrive")
    DONE = 3, "Registers are released", _each("r", "released since the last arrive")
    BROKEN = (
        4,
        "Registers are released, but not by a barrier",
        _each("r", "that release was no barrier's end"),
    )
    IRQ_ENABLE = 5, "Registers that interrupt", _each("rw", "interrupts while it is done")


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
    streams : int
        Channels of sources and sinks of streams; 0: there are none.
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
    streams: int = 0

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


def stream_word(word: int) -> int:
    """Return the address of a word of streams."""
    return STREAM_BASE + word


def meter_word(meter: int, word: int) -> int:
    """Return the address of a word of meter ``meter``."""
    return METER_BASE + METER_WORDS * meter + word


def node_word_address(node: int, word: int) -> int:
    """Return the address of a word of node ``node``."""
    return NODE_BASE + NODE_WORDS * node + word
