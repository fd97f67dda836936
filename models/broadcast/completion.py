"""When the last node has the message, a parent's messages one after another.

The cost of a tree in paper ADAPT, section 3, takes all of a parent's messages to start at once, so
it is no time in which a broadcast ends. This one is, for any tree, however it was found.
"""

from __future__ import annotations

import numpy as np

from syncfabric.models.broadcast.costs import Floats
from syncfabric.models.broadcast.layout import Layout
from syncfabric.models.broadcast.positions import children
from syncfabric.models.broadcast.start_up import StartUp
from syncfabric.models.timing.loggp import LogGP

__all__ = ["arrivals_ns", "completion_ns"]


def arrivals_ns(layout: Layout, machine: LogGP, size: int) -> Floats:
    """Return when each position has the message; the root has it at 0.

    Parameters
    ----------
    layout : Layout
        Its links' costs are in hops of ``machine.h`` each; with h = 1 they are nanoseconds.
    machine : LogGP
    size : int
        Bytes of the message.

    Returns
    -------
    float64, of shape (nodes)

    Raises
    ------
    SpecError
        The size is not 1 or more.
    """
    start_up = StartUp.under(machine, size)
    times = np.zeros(layout.size)
    for x in range(layout.size):
        for sent, y in enumerate(reversed(children(x, layout.size))):
            start = times[x] + sent * start_up.interval
            times[y] = start + start_up.transfer + layout.link(y) * machine.h
    return times


def completion_ns(layout: Layout, machine: LogGP, size: int) -> float:
    """Return when the last node has the message; see ``arrivals_ns``."""
    return float(arrivals_ns(layout, machine, size).max())
