"""Registers by which a core sees the network: words, fields, addresses.

Source: docs/microarchitecture-cores.md, K1 and K2.
"""

import enum

from syncfabric.models.layout.streams import HEAD
from syncfabric.models.messages.layout import Field, Layout

CORE_REGISTERS = 0x4000_0000
"""Byte address of the first register; word ``w`` is at four times ``w`` above it."""

ARRIVE_BASE, WAIT_BASE, DONE_BASE, LAST_BASE = 32, 64, 96, 128
"""Where the words that there are for each register of the node's port begin."""

CONFIG_BASE = 4096
"""The word by which config address 0 of the core's own node is reached."""

MOST_CORES = 64
MOST_MEMORY_KIB = 1024
MOST_WORDS = 16
"""Words of a packet, its head not counted."""

TAG_BITS = 6


class CoreWord(enum.IntEnum):
    """Words that there is one of."""

    CORE, CORES, SHAPE, CYCLE, CYCLE_HIGH, PUT, PUTC, EXIT = range(8)
    SEND, SEND_DATA, RECV, RECV_DATA, NET_STATUS, FENCE, FENCE_WAIT = range(8, 15)
    FLIT, FLIT_STATUS, CONFIG_STATUS = range(15, 18)
    STREAM_FROM, STREAM_TO, STREAM_BYTES, STREAM = range(18, 22)
    STREAM_STATUS, STREAM_WAIT, STREAM_RECEIVED = range(22, 25)


class FaultReason(enum.IntEnum):
    """Why a core was stopped."""

    NONE, ADDRESS, ACCESS, INSTRUCTION = range(4)
    NOT_READY, WAITING, NO_ARRIVE, PACKET = range(4, 8)


class Activity(enum.IntEnum):
    """What a core does in a cycle: it works, waits for something, or has stopped."""

    WORKS, ARRIVES, WAITS, FENCED = range(4)
    RECEIVES, SENDS, CONFIGURES, STOPPED = range(4, 8)


SHAPE = Layout(
    "core shape word",
    (
        Field("registers", 8, "registers of the node's port"),
        Field("data_bits", 8, "data bits of a barrier"),
        Field("has_last", 1, "there are LAST words"),
        Field("software", 1, "there are FLIT words"),
        Field("messages", 1, "there are words of packets"),
        Field("managed", 1, "managers set groups up"),
        Field("streams", 3, "channels of streams; 0: there are no STREAM words"),
    ),
)

SEND = Layout(
    "packet head",
    (
        Field("core", 10, "destination"),
        Field("words", 5, "words that follow, 0 to 16"),
        Field("tag", TAG_BITS, "the program's own"),
    ),
)

RECV = Layout(
    "received head",
    (
        Field("core", 10, "source"),
        Field("words", 5, "words that follow"),
        Field("tag", TAG_BITS, "as it was sent"),
    ),
)

NET_STATUS = Layout(
    "network status word",
    (
        Field("waits", 1, "a packet that was not taken yet is there, its head at least"),
        Field("left", 5, "words still to be read of the packet that was taken"),
        Field("room", 1, "a whole packet can be written without a stall"),
        Field("unacknowledged", 16, "packets sent that were not acknowledged yet"),
    ),
)

FLIT_STATUS = Layout(
    "flit status word",
    (
        Field("waits", 1, "a flit is there"),
        Field("room", 1, "a flit can be sent without a stall"),
    ),
)

DONE = Layout(
    "barrier status word",
    (
        Field("done", 1, "released since the last arrive"),
        Field("ready", 1, "the register is ready for arrives"),
        Field("broken", 1, "the group was killed"),
        Field("waiting", 1, "arrived, and not released"),
    ),
)

CONFIG_STATUS = Layout(
    "config status word", (Field("refused", 1, "the last access of the config port was refused"),)
)

STREAM = Layout(
    "stream command",
    (
        *HEAD.fields,
        Field("gives", 1, "the core gives an operand"),
        Field("channel", 2, "the slot of the group"),
    ),
)

STREAM_STATUS = Layout(
    "stream status word",
    (
        Field("sends", 1, "the operand is not all sent"),
        Field("receives", 1, "the end of the result has not come"),
        Field("done", 1, "the last stream is over"),
        Field("broken", 1, "it ended because the group did; the result is not whole"),
        Field("long", 1, "the result was longer than STREAM_BYTES, and what was above is dropped"),
    ),
)


def head_flit(header_bits: int, cores: int) -> Layout:
    """Return the payload of a packet's head, or of an acknowledgement.

    Parameters
    ----------
    header_bits : int
        Width of the network's own header, which leads it to its destination.
    cores : int
        Of the system.
    """
    return Layout(
        "core packet head",
        (
            Field("header", header_bits, "the network's: the destination"),
            Field("ack", 1, "an acknowledgement; words and tag are 0 then"),
            Field("core", max(1, (cores - 1).bit_length()), "who sends it"),
            Field("words", 5, "words that follow"),
            Field("tag", TAG_BITS, "the program's own"),
        ),
    )
