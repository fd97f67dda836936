"""What a barrier takes in LogGP: Reflex, the barriers that its paper compares with, and wires.

Source: paper Reflex, sections II, III and V; it prints no formula. Wires are ours. All processes
arrive together, and the time is that until the last has left. P is the number of processes, d the
diameter of the network in hops; L, o, g and h are those of ``LogGP``. Three barriers of the paper
lie in shared memory; for these the parameters are a memory's.
"""

from __future__ import annotations

from collections.abc import Callable

from syncfabric.models.errors import PlanError
from syncfabric.models.timing.loggp import LogGP

__all__ = [
    "centralized_ns",
    "crossover",
    "dissemination_ns",
    "memory_dissemination_ns",
    "reflex_ns",
    "tile_spin_ns",
    "tile_sync_ns",
    "udn_stn_ns",
    "wires_ns",
]


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
    _check(processes)
    return 2 * loggp.message_ns(0) + 2 * processes * loggp.h


def udn_stn_ns(processes: int, diameter: int, loggp: LogGP) -> float:
    """Return the time of the paper's UDN/STN barrier, (P - 1) g + 2 d h + 4 o.

    Every process sends a message to the root over the dynamic network, and the root takes one each
    g; then a release goes to all over the static network at once. Assumed: no L beside the hops.

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
    _check(processes, diameter)
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
    _check(processes, diameter)
    return (processes - 1).bit_length() * loggp.message_ns(diameter)


def memory_dissemination_ns(processes: int, diameter: int, memory: LogGP) -> float:
    """Return the time of a dissemination barrier in shared memory, ceil(log2 P) s.

    A signal is s = (2 o + L + d h) + (4 o + 2 L + 2 d h): one process stores a flag, and the read
    of the other, which spins on it, comes after. Assumed, for the paper does not say where its
    flags lie: in the memory of a third tile, d hops away.

    Parameters
    ----------
    processes, diameter : int
        P and d.
    memory : LogGP
        The memory's times.

    Raises
    ------
    PlanError
        There are fewer than two processes, or the diameter is below 0.
    """
    _check(processes, diameter)
    return (processes - 1).bit_length() * _signal_ns(diameter, memory)


def centralized_ns(processes: int, diameter: int, memory: LogGP) -> float:
    """Return the time of a centralized barrier, P a + s + (P - 2) g.

    Each process in turn updates a shared counter, one access a = 4 o + 2 L + 2 d h there and back
    (assumed: as one atomic access; the lock that the paper takes makes it more). The last one
    stores the flag on which the others spin, s as in ``memory_dissemination_ns``, and its home
    serves their reads one each g.

    Parameters
    ----------
    processes, diameter : int
        P and d.
    memory : LogGP
        The memory's times.

    Raises
    ------
    PlanError
        There are fewer than two processes, or the diameter is below 0.
    """
    _check(processes, diameter)
    updates = processes * memory.access_ns(diameter)
    return updates + _signal_ns(diameter, memory) + (processes - 2) * memory.g


def tile_spin_ns(processes: int, diameter: int, memory: LogGP) -> float:
    """Return a time that puts the Tile Spin barrier in its order: a + (P - 1) g + s + (P - 2) g.

    For its order only: the paper does not tell its algorithm. Assumed: like ``centralized_ns``, but
    the counter's home takes the updates one each g, none waiting for the answer to another.

    Parameters
    ----------
    processes, diameter : int
        P and d.
    memory : LogGP
        The memory's times.

    Raises
    ------
    PlanError
        There are fewer than two processes, or the diameter is below 0.
    """
    _check(processes, diameter)
    updates = memory.access_ns(diameter) + (processes - 1) * memory.g
    return updates + _signal_ns(diameter, memory) + (processes - 2) * memory.g


def tile_sync_ns(processes: int, diameter: int, memory: LogGP, *, wake_ns: float = 10_000) -> float:
    """Return a time that puts the Tile Sync barrier in its order: ``centralized_ns`` + wake.

    For its order only: the paper says no more than that processes which wait are asleep. Assumed: a
    centralized barrier, after which the operating system wakes all at once.

    Parameters
    ----------
    processes, diameter : int
        P and d.
    memory : LogGP
        The memory's times.
    wake_ns : float
        What waking takes, above 0; 10 µs is assumed.

    Raises
    ------
    PlanError
        There are fewer than two processes, the diameter is below 0, or waking takes no time.
    """
    if not wake_ns > 0:
        raise PlanError(f"Barrier model: wake_ns must be above 0 ns, not {wake_ns}")
    return centralized_ns(processes, diameter, memory) + wake_ns


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
    _check(most)
    found = None
    for processes in range(most, 1, -1):
        if one(processes) <= other(processes):
            break
        found = processes
    return found


def _signal_ns(hops: int, memory: LogGP) -> float:
    """Return what it takes until a process that spins on a flag has seen another's store."""
    return memory.message_ns(hops) + memory.access_ns(hops)


def _check(processes: int, diameter: int = 0) -> None:
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
