"""Latency in nanoseconds, and tree height, as paper BTIN models them.

Source: paper BTIN, sections 4.1 and 5.1. It prints no formula for the schemes that BTIN is compared
with. Readings: the n - 1 messages that come to the root are switched one after the other, by c
links in turn, so that each adds t_r / c: what the paper's figures for multicast come to (0.107 to
0.109 µs a message). Those that go out by unicast wait for the software of the root node, each t_s
(Table 2, 2n start-ups).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from syncfabric.models.errors import PlanError
from syncfabric.models.timing.times import Ranges, Times

__all__ = [
    "PacketTiming",
    "Timing",
    "children_of_a_switch",
    "formula_ns",
    "height_bound",
    "mean_height",
    "multicast_ns",
    "unicast_ns",
]


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

    ORIGIN = "paper BTIN's formula"
    SOFTWARE = True

    t_s: float = 2_000
    t_p: float = 20
    t_r: float = 300


@dataclass(frozen=True)
class PacketTiming(Timing):
    """Times in nanoseconds where each member sends and is sent messages of its own.

    Parameters
    ----------
    t_in : float
        Between two messages that come in at the root, 0 to 100,000. 0, the default: t_r / c. With
        t_r they share one port of its switch; with t_s its software takes them in one by one.
    t_out : float
        Between two messages that the root sends by unicast, 0 to 100,000. 0, the default: t_s.

    Raises
    ------
    PlanError
        A time is out of its range.
    """

    RANGES_NS: ClassVar[Ranges] = {
        **Timing.RANGES_NS,
        "t_in": (0, 100_000),
        "t_out": (0, 100_000),
    }

    t_in: float = 0
    t_out: float = 0


PAPER = Timing()
PACKETS = PacketTiming()


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


def multicast_ns(height: int, members: int, links: float, timing: PacketTiming = PACKETS) -> float:
    """Return M = T + (n - 1) t_r / c, T as in ``formula_ns``: n - 1 messages in, one multicast out.

    Parameters
    ----------
    height : int
        Of the tree by which the multicast goes out.
    members : int
        The n, at least 1.
    links : float
        The c, links of a switch to other switches; the paper's average is f k - p / q.
    timing : PacketTiming
        The times; the paper's by default.

    Raises
    ------
    PlanError
        c is not above 0.
    """
    if not links > 0:
        raise PlanError(
            f"Multicast model: a switch must have more than 0 links to others, not {links:.3g}; "
            "take fewer nodes, or a greater connectivity"
        )
    return formula_ns(height, timing) + (members - 1) * (timing.t_in or timing.t_r / links)


def unicast_ns(height: int, members: int, links: float, timing: PacketTiming = PACKETS) -> float:
    """Return U = M + (n - 2) t_s: n - 1 messages in, and n - 1 out, the first as M has it.

    Parameters
    ----------
    height, members, links, timing
        As in ``multicast_ns``.

    Raises
    ------
    PlanError
        c is not above 0.
    """
    further = max(0, members - 2) * (timing.t_out or timing.t_s)
    return multicast_ns(height, members, links, timing) + further


def children_of_a_switch(ports: int, connectivity: float, nodes: int, switches: int) -> float:
    """Return the base b = f k - p / q - 1 of the paper's logarithms.

    Parameters
    ----------
    ports, connectivity, nodes, switches
        As in ``mean_height``.

    Raises
    ------
    PlanError
        b is not above 1, or there is but one switch.
    """
    children = connectivity * ports - nodes / switches - 1
    if children <= 1 or switches < 2:
        raise PlanError(
            f"Mean height: {switches} switches with {children:.3g} children each make no tree; "
            "take two or more of each"
        )
    return children


def height_bound(ports: int, connectivity: float, nodes: int, switches: int, members: int) -> float:
    """Return the height of Theorem 1 as printed, log_b n; with the switches as n, its bound.

    Parameters
    ----------
    ports, connectivity, nodes, switches
        As in ``mean_height``.
    members : int
        The n.

    Raises
    ------
    PlanError
        As in ``mean_height``.
    """
    return math.log(members, children_of_a_switch(ports, connectivity, nodes, switches))


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
    children = children_of_a_switch(ports, connectivity, nodes, switches)
    return 1 + math.log((switches - 1) / (connectivity * ports), children)
