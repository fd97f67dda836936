"""Latency in nanoseconds, and tree height, as paper BTIN models them.

Source: paper BTIN, sections 4.1 and 5.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from syncfabric.models.errors import PlanError
from syncfabric.models.timing.times import Ranges, Times

__all__ = ["Timing", "formula_ns", "mean_height"]


@dataclass(frozen=True)
class Timing(Times):
    """Times in nanoseconds.

    The paper's figures take the defaults; its ranges are t_s 2,000 to 10,000, t_p 20 to 40 and
    t_r 300 to 500.

    Parameters
    ----------
    t_s : float
        Start-up of a message in software, 0 to 100,000.
    t_p : float
        Propagation over a link, 0 to 1,000.
    t_r : float
        Delay of a switch or a node interface, 0 to 10,000.

    Raises
    ------
    PlanError
        A time is out of its range.
    """

    RANGES_NS: ClassVar[Ranges] = {
        "t_s": (0, 100_000),
        "t_p": (0, 1_000),
        "t_r": (0, 10_000),
    }

    t_s: float = 2_000
    t_p: float = 20
    t_r: float = 300


PAPER = Timing()


def formula_ns(height: int, timing: Timing = PAPER) -> float:
    """Return T = 2 (t_s + d t_p + (d + 1) t_r), d = h + 2.

    Parameters
    ----------
    height : int
        The tree's h, in edges between switches; the links of two nodes come to it.
    timing : Timing
        The times; the paper's by default.
    """
    d = height + 2
    return 2 * (timing.t_s + d * timing.t_p + (d + 1) * timing.t_r)


def mean_height(ports: int, connectivity: float, nodes: int, switches: int) -> float:
    """Return the height of an average tree, 1 + log_b((q - 1) / (f k)), b = f k - p / q - 1.

    It is the last step before the paper's Theorem 1 that is near simulated heights: the theorem's
    own log_b n is about twice as great.

    Parameters
    ----------
    ports : int
        The k of every switch.
    connectivity : float
        The f: how many of the ports are connected, to nodes or switches.
    nodes, switches : int
        The p and q of the network.

    Raises
    ------
    PlanError
        The switches would have no more than one child each (b is not above 1), or there is but
        one.
    """
    connected = connectivity * ports
    children = connected - nodes / switches - 1
    if children <= 1 or switches < 2:
        raise PlanError(
            f"Mean height: {switches} switches with {children:.3g} children each make no tree; "
            "take two or more of each"
        )
    return 1 + math.log((switches - 1) / connected, children)
