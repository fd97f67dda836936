"""What a barrier by network takes in LogGP: Reflex, those that its paper compares with, and ours.

Source: paper Reflex, sections II, III and V; it prints no formula. The tree and wires are ours. All
processes arrive together, and the time is that until the last has left. P is the number of
processes, d the diameter of the network in hops; L, o, g, G and h are those of ``LogGP``. The
paper's other barriers, in shared memory, are in ``memory_barriers``.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.errors import PlanError
from syncfabric.models.timing.loggp import LogGP

__all__ = [
    "FLIT_BYTES",
    "check",
    "crossover",
    "dissemination_ns",
    "reflex_late_ns",
    "reflex_ns",
    "reflex_tree_ns",
    "rounds_ns",
    "udn_stn_ns",
    "wires_ns",
]

FLIT_BYTES = 4
"""Of a flit on the static network: a word of TILE64."""


def reflex_ns(processes: int, loggp: LogGP) -> float:
    """Return the time of a full Reflex barrier, 2 (2 o + L) + 2 P h.

    The root's notify passes the whole ring, then its release: a further core costs two hops. (The
    paper's section III-A counts one: it leaves out the release.)

    Parameters
    ----------
    processes : int
        P, at least 2. Where the ring also passes switches without a member, its links in place of
        its processes.
    loggp : LogGP
        The network's times.

    Raises
    ------
    PlanError
        There are fewer than two processes. So for all barriers here.
    """
    check(processes)
    return 2 * loggp.message_ns(0) + 2 * processes * loggp.h


def reflex_late_ns(processes: int, late: int, loggp: LogGP) -> float:
    """Return the time of Reflex if one process comes after all others, 2 (2 o + L) + (2 P - i) h.

    The notify waits at that one's switch, i hops behind the root's: these it need not go any more.
    A late root, i = 0, has sent none; it is the worst.

    Parameters
    ----------
    processes : int
        P, at least 2.
    late : int
        i, 0 to P - 1.
    loggp : LogGP
        The network's times.

    Raises
    ------
    PlanError
        There are fewer than two processes, or no such process.
    """
    if not 0 <= late < processes:
        raise PlanError(f"Barrier model: late must be 0 to {processes - 1}, not {late}")
    return reflex_ns(processes, loggp) - late * loggp.h


def reflex_tree_ns(links: int, flits: int, loggp: LogGP, *, streams: bool = True) -> float:
    """Return the time of our tree on Reflex's switches, 2 o + L + D h + (F - 1) 4 G.

    An episode is one message of F flits down the tree, each a word of 4 bytes: back-pressure keeps
    its last one from entering before all members have begun to read. Where o, L and h are a cycle
    and G a quarter of one, these are F + D + 2 cycles; hardware takes two fewer
    (``reflex.tree_bound``).

    Parameters
    ----------
    links : int
        D, from the root to the farthest member.
    flits : int
        F, one more than the slots of the longest way (``buffers.tree_flits``).
    loggp : LogGP
        The network's times.
    streams : bool
        Whether flits follow each other at once; else every second time, as where a buffer has one
        place: then 2 F - 1 take the place of F.

    Raises
    ------
    PlanError
        There are fewer than 0 links, or no flit.
    """
    for name, value, least in (("links", links, 0), ("flits", flits, 1)):
        if value < least:
            raise PlanError(f"Barrier model: {name} must be {least} or more, not {value}")
    slots = flits if streams else 2 * flits - 1
    return loggp.message_ns(links) + (slots - 1) * FLIT_BYTES * loggp.G


def udn_stn_ns(processes: int, diameter: int, loggp: LogGP) -> float:
    """Return the time of the paper's UDN/STN barrier, (P - 1) g + 2 d h + 4 o.

    Every process sends a message to the root over the dynamic network, and the root takes one each
    g; then a release goes to all over the static network at once. Assumed: no L beside the hops.

    Parameters
    ----------
    processes, diameter : int
        P and d. Where the root is known, the hops from there to the farthest process in place of d.
    loggp : LogGP
        The network's times.

    Raises
    ------
    PlanError
        There are fewer than two processes, or the diameter is below 0.
    """
    check(processes, diameter)
    return (processes - 1) * loggp.g + 2 * diameter * loggp.h + 4 * loggp.o


def dissemination_ns(processes: int, diameter: int, loggp: LogGP) -> float:
    """Return the time of a dissemination barrier by messages, ceil(log2 P) (2 o + L + d h).

    In round k process i signals process (i + 2^k) mod P. Assumed: a round takes as long as its
    longest way, and that is the diameter.

    Parameters
    ----------
    processes, diameter : int
        P and d.
    loggp : LogGP
        The network's times.

    Raises
    ------
    PlanError
        There are fewer than two processes, or the diameter is below 0.
    """
    check(processes, diameter)
    return (processes - 1).bit_length() * loggp.message_ns(diameter)


def rounds_ns(hops: NDArray[np.int64], loggp: LogGP) -> float:
    """Return the time of a dissemination barrier whose ways are known.

    A process that has got through a round at time t sends, and is through the next one at
    max(t + 2 o, t' + 2 o + L + d h), t' that of the process whose signal it awaits, d the hops
    between them. With one d for all it is ``dissemination_ns``. A round is taken to last g at
    least.

    Parameters
    ----------
    hops : array of int64, shape (rounds, P)
        Of the signal that process i sends in round k, to process (i + 2^k) mod P.
    loggp : LogGP
        The network's times.
    """
    through = np.zeros(hops.shape[1])
    for number, ways in enumerate(hops):
        came = through + loggp.message_ns(0) + ways * loggp.h
        through = np.maximum(through + 2 * loggp.o, np.roll(came, 1 << number))
    return float(through.max())


def wires_ns(links: int, link_registers: int, loggp: LogGP) -> float:
    """Return the time of a barrier on wires, 2 L (1 + P) h + 2 o.

    Source: docs/microarchitecture-wires.md, W6, ours: a level up a tree and a pulse down, whatever
    the number of processes. Where o and h are a cycle these are its 2 L (1 + P) + 2 cycles.

    Parameters
    ----------
    links : int
        L, from the root to the farthest process.
    link_registers : int
        P, registers on each link, so that a link takes 1 + P hops.
    loggp : LogGP
        The network's times.

    Raises
    ------
    PlanError
        There are fewer than 0 links or registers.
    """
    for name, value in (("links", links), ("link_registers", link_registers)):
        if value < 0:
            raise PlanError(f"Barrier model: {name} must be 0 or more, not {value}")
    return 2 * links * (1 + link_registers) * loggp.h + 2 * loggp.o


def crossover(one: Callable[[int], float], other: Callable[[int], float], most: int) -> int | None:
    """Return from how many processes on one barrier is always slower than another.

    Parameters
    ----------
    one, other : callable
        The times of two barriers, by the number of processes.
    most : int
        The last number looked at, at least 2.

    Returns
    -------
    int or None
        The least P with ``one`` slower at every number from P to ``most``; None if it is not
        slower at ``most``.

    Raises
    ------
    PlanError
        ``most`` is below 2.
    """
    check(most)
    found = None
    for processes in range(most, 1, -1):
        if one(processes) <= other(processes):
            break
        found = processes
    return found


def check(processes: int, diameter: int = 0) -> None:
    """Refuse sizes that no barrier has.

    Raises
    ------
    PlanError
        There are fewer than two processes, or the diameter is below 0.
    """
    if processes < 2:
        raise PlanError(
            f"Barrier model: processes must be 2 or more, not {processes}; "
            "a process alone needs no barrier"
        )
    if diameter < 0:
        raise PlanError(
            f"Barrier model: diameter must be 0 hops or more, not {diameter}; "
            "on a mesh it is width + height - 2"
        )
