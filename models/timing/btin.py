"""Latency in nanoseconds, and tree height, as paper BTIN models them.

Source: paper BTIN, sections 4.1 and 5.1. It prints no formula for the schemes that BTIN is compared
with. Readings: the n - 1 messages that come to the root are switched one after the other, by c
links in turn, so that each adds t_r / c: what the paper's figures for multicast come to (0.107 to
0.109 µs a message). Those that go out by unicast wait for the software of the root node, each t_s
(Table 2, 2n start-ups).
"""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

from syncfabric.models.errors import PlanError
from syncfabric.models.timing.times import Times, ns

Method = Literal["btin", "multicast", "unicast"]
"""How the root's release goes out, and how members' messages come in."""


@dataclass(frozen=True)
class Timing(Times):
    """Times of paper BTIN, whose figures take the defaults; units and errors as of `Times`."""

    ORIGIN = "paper BTIN's formula"
    SOFTWARE = True

    t_s: float = ns(2_000, 100_000, "start-up of a message, ns; paper 2,000 to 10,000")
    t_p: float = ns(20, 1_000, "propagation over a link, ns; paper 20 to 40")
    t_r: float = ns(300, 10_000, "delay of a switch, ns; paper 300 to 500")


@dataclass(frozen=True)
class PacketTiming(Timing):
    """The same where each member sends and is sent messages of its own.

    Parameters
    ----------
    t_in, t_out : float
        Nanoseconds. With a t_in of t_r messages share one port of the root's switch; with t_s its
        software takes them in one by one.

    Raises
    ------
    PlanError
        A time is out of its range.
    """

    t_in: float = ns(0, 100_000, "between messages that come in at the root, ns; 0: t_r / c")
    t_out: float = ns(0, 100_000, "between those it sends by unicast, ns; 0: t_s")


PAPER = PacketTiming()


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


def packets_ns(
    method: Method, height: int, members: int, links: float, timing: PacketTiming = PAPER
) -> float:
    """Return what barriers take along a tree, or by messages of each member.

    BTIN: T, as in ``formula_ns``. Multicast: M = T + (n - 1) t_r / c, n - 1 messages in, one
    multicast out. Unicast: U = M + (n - 2) t_s, n - 1 messages in, and n - 1 out, the first as M
    has it.

    Parameters
    ----------
    method : str
    height : int
        Of the tree by which barriers, or the multicast, go.
    members : int
        The n, at least 1.
    links : float
        The c, links of a switch to other switches; the paper's average is f k - p / q.
    timing : PacketTiming
        The times; the paper's by default.

    Raises
    ------
    PlanError
        c is not above 0, and messages are of each member.
    """
    taken = formula_ns(height, timing)
    if method == "btin":
        return taken
    if not links > 0:
        raise PlanError(
            f"Multicast model: a switch must have more than 0 links to others, not {links:.3g}; "
            "take fewer nodes, or a greater connectivity"
        )
    taken += (members - 1) * (timing.t_in or timing.t_r / links)
    if method == "unicast":
        taken += max(0, members - 2) * (timing.t_out or timing.t_s)
    return taken


class Heights(NamedTuple):
    """Heights of trees by paper BTIN, section 4.1, b = f k - p / q - 1 children a switch.

    Parameters
    ----------
    theorem, bound : float
        Of Theorem 1 as printed, log_b n with the nodes as n; and with the switches, its bound.
    mean : float
        Of an average tree, 1 + log_b((q - 1) / (f k)): the last step before the theorem that is
        near simulated heights, which the theorem's own log_b n is about twice as great as.
    """

    theorem: float
    bound: float
    mean: float


def heights(ports: int, connectivity: float, nodes: int, switches: int) -> Heights:
    """Return the heights of trees on a kind of network.

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
    children = connectivity * ports - nodes / switches - 1
    if children <= 1 or switches < 2:
        raise PlanError(
            f"Mean height: {switches} switches with {children:.3g} children each make no tree; "
            "take two or more of each"
        )
    mean = 1 + math.log((switches - 1) / (connectivity * ports), children)
    return Heights(math.log(nodes, children), math.log(switches, children), mean)
