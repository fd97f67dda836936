"""What a message costs but for its link: start-up, and those that its sender sends before it.

Under LogGP (Alexandrov et al., SPAA 1995) a message of k bytes takes 2 o + (k - 1) G + L besides
the hops of its link, and its sender begins the next one max(o, g + (k - 1) G) later.
"""

from __future__ import annotations

from dataclasses import dataclass

from syncfabric.models.broadcast.costs import checked_cost
from syncfabric.models.errors import check_range
from syncfabric.models.timing.loggp import LogGP


@dataclass(frozen=True)
class StartUp:
    """Costs of a message, in the unit of the links' costs.

    Parameters
    ----------
    transfer : float
        What it takes besides its link.
    interval : float
        From one message of a node to its next one.

    Raises
    ------
    SpecError
        One is negative or not finite.
    """

    transfer: float = 0.0
    interval: float = 0.0

    def __post_init__(self) -> None:
        checked_cost(self.transfer, "start-up transfer")
        checked_cost(self.interval, "start-up interval")

    @classmethod
    def under(cls, machine: LogGP, size: int) -> StartUp:
        """Return that of messages of ``size`` bytes, in nanoseconds.

        Raises
        ------
        SpecError
            The size is not 1 or more.
        """
        check_range("message size", size, 1, unit="byte")
        body = (size - 1) * machine.G
        return cls(machine.message_ns(0) + body, max(machine.o, machine.g + body))

    def per(self, unit: float) -> StartUp:
        """Return the same in units of so much, which is above 0."""
        return StartUp(self.transfer / unit, self.interval / unit)


NO_START_UP = StartUp()
"""The paper's: all of a parent's messages start at once, and only links cost."""
