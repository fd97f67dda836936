"""The script of a run: what is driven into the hardware, cycle by cycle; and its report.

A word of the script is 112 bits: from the low bits cycle (32), data (32), index (32),
extra (8) and kind (8). Above them are the bits of data from bit 32 on, where flits are so wide, or
there are streams. Words are in order of their cycles; kind 0 ends the script.
"""

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from syncfabric.models.patterns import ANY, Pattern
from syncfabric.models.traffic import WARM_CYCLES, rate_word

_DATA = (1 << 32) - 1
WORD_BITS = 112
INDEX, DATA, EXTRA = "word[95:64]", "word[63:32]", "word[103:96]"
"""Fields of a word, as the player has them; above ``WORD_BITS`` are further bits of data."""

REPORT = {
    "created": 32,
    "sent": 32,
    "overflow": 32,
    "packets": 32,
    "flits": 32,
    "errors": 32,
    "latency_sum": 64,
    "latency_max": 32,
}
"""What a line of the traffic report holds for a node, in order, and its bits."""


class StimulusKind(enum.IntEnum):
    """What a word of the script does; all but RATE, GOAL and HOLD last for one cycle."""

    END, ARRIVE, CONFIG, LOAD, RATE, PACKET, HOLD, SEND, TAKE, STREAM, STALL, GOAL = range(12)


@dataclass(frozen=True)
class Stimulus:
    """One word of a script.

    Parameters
    ----------
    cycle : int
        In which it is high; at least 1, for cycle 0 follows the reset.
    kind : StimulusKind
        What it does.
    index : int
        ARRIVE: node * registers of its port + register; PACKET, HOLD, SEND, TAKE, STREAM, STALL:
        node; CONFIG: target << 12 | address; GOAL: node.
    data : int
        ARRIVE: the data; CONFIG: the word; LOAD: the seed; RATE: the rate; PACKET: the
        flit's payload; HOLD: the level; SEND: the flit; STREAM: ``COMMAND``; STALL: ``STALLS``;
        GOAL: the share less 1 | goal << 16.
    extra : int
        ARRIVE: 1 for a group's last barrier; CONFIG: 1 to write; RATE: 1 to enable; GOAL: 1;
        PACKET: the flit's channel | head << 4 | tail << 5.
    """

    cycle: int
    kind: StimulusKind
    index: int = 0
    data: int = 0
    extra: int = 0

    def word(self) -> str:
        """Return the word in hexadecimal, as the player reads it."""
        above = f"{self.data >> 32:x}" if self.data > _DATA else ""
        data = self.data & _DATA
        return f"{above}{self.kind:02x}{self.extra:02x}{self.index:08x}{data:08x}{self.cycle:08x}"


def payload(flit_bits: int) -> str:
    """Return where a word has a flit's payload, the bits beyond ``Stimulus.data`` too."""
    above = max(0, flit_bits - 32)
    return f"word[{WORD_BITS + above - 1}:{WORD_BITS}], {DATA}" if above else DATA


def goals(cycle: int, pattern: Pattern | None) -> list[Stimulus]:
    """Return what sets the goals of nodes that have one; without a pattern there are none."""
    return [
        Stimulus(cycle, StimulusKind.GOAL, node, goal << 16 | pattern.share - 1, 1)
        for node, goal in enumerate(pattern.goals if pattern else ())
        if pattern and goal != ANY
    ]


def traffic(cycle: int, seed: int, rate: float, pattern: Pattern | None = None) -> list[Stimulus]:
    """Return what loads sources in a cycle, and then enables them at flits a node a cycle."""
    return [
        *goals(cycle, pattern),
        Stimulus(cycle, StimulusKind.LOAD, data=seed & _DATA),
        Stimulus(cycle + 1 + WARM_CYCLES, StimulusKind.RATE, data=rate_word(rate), extra=1),
    ]


def script_text(stimuli: Iterable[Stimulus]) -> str:
    """Return the text of stimuli, which are in order of their cycles."""
    return "".join(f"{stimulus.word()}\n" for stimulus in stimuli)
