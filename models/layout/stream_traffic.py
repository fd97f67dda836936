"""Settings of sources and sinks of streams, and what they count."""

from syncfabric.models.layout.streams import HEAD
from syncfabric.models.messages.layout import Field, Layout

MOST_WORDS = 4096
"""Of an operand that a source makes."""

COMMAND = Layout(
    "stream command",
    (
        Field("seed", 32, "of the operand"),
        Field("words", 13, "of the operand, 1 to 4096; of a member that gives nothing 0"),
        Field("bytes", 6, "of the last word that count; 0: all"),
        Field("user", HEAD.width, "the head's data"),
        Field("tid", 2, "channel"),
    ),
)
"""A packet that a source is to send."""

STALLS = Layout(
    "stream stalls",
    (
        Field(
            "source", 8, "of 256 cycles in which it might offer a beat, those in which it does not"
        ),
        Field("sink", 8, "of 256 cycles with a beat, those in which it does not take it"),
        Field("seed", 16, "of both generators"),
    ),
)
"""How often source and sink pause; after reset never."""

WORD_STEP, LANE_STEP = 0x9E3779B9, 0x85EBCA6B
"""What a generator's state grows by from a word to the next, and from a lane to the next."""

COUNTS = ("packets", "words", "aborted", "checksum", "first", "last")
"""32-bit numbers of a sink, by channel: packets that end by themselves, and beats of theirs and of
others that hold a word; packets that end with their group; the checksum; and the cycles of the
first and of the last beat of the last packet."""
