"""What is there to tell of faults: counters of guarded links, and a register that tripped.

Source: docs/microarchitecture-faults.md, F5 and F6.
"""

import enum

from syncfabric.models.messages.layout import Field, Layout
from syncfabric.models.messages.registers import COUNTER_BASE
from syncfabric.models.messages.set_up import LIFE

__all__ = ["FENCE", "TRIPPED", "LinkCounter", "tripped_at"]


class LinkCounter(enum.IntEnum):
    """Counters that a router with guarded links has beside those of ``Counter``."""

    CORRUPT, LOST = 4, 5


TRIPPED = Layout(
    "trip of a register",
    (Field("tripped", 1, "the watchdog has released the process; set up anew to go on"),),
)
"""With a watchdog, what stands above all other fields of a status or arrived word."""


FENCE = COUNTER_BASE + 6
"""Config address of a router's fences, where links have guards: a bit a port (F7)."""


def tripped_at(word: Layout, *, managed: bool) -> int:
    """Return the bit of ``tripped`` in a status or arrived word, which managers may set up."""
    return word.width + (LIFE.width if managed else 0)
