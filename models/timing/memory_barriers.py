"""What paper Reflex's barriers in shared memory take in LogGP, a memory's parameters in it.

Source: paper Reflex, sections II and V; it prints no formula. All processes arrive together unless
said otherwise, and the time is that until the last has left. P is the number of processes, d the
diameter of the network in hops; L, o, g and h are those of ``MemoryLogGP``. An access takes
a = 4 o + 2 L + 2 d h, there and back.
"""

from __future__ import annotations

from collections.abc import Sequence

from syncfabric.models.errors import PlanError
from syncfabric.models.timing.barriers import check
from syncfabric.models.timing.loggp import LogGP

__all__ = [
    "centralized_ns",
    "counter_ns",
    "memory_dissemination_ns",
    "tile_spin_late_ns",
    "tile_spin_ns",
    "tile_sync_ns",
]


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
    check(processes, diameter)
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
    check(processes, diameter)
    updates = processes * memory.access_ns(diameter)
    return updates + _signal_ns(diameter, memory) + (processes - 2) * memory.g


def counter_ns(ways: Sequence[tuple[int, int]], memory: LogGP) -> float:
    """Return the time of a centralized barrier whose ways are known.

    As ``centralized_ns``, with each process's own: the counter serves the processes as they stand,
    and the last of them stores the flag. With one d for all it is ``centralized_ns``.

    Parameters
    ----------
    ways : sequence of (int, int)
        Hops from each process to the counter's home, and back; two processes or more.
    memory : LogGP
        The memory's times.

    Raises
    ------
    PlanError
        There are fewer than two processes.
    """
    check(len(ways))
    ends = 2 * memory.message_ns(0)
    updates = sum(ends + (there + back) * memory.h for there, back in ways)
    store = memory.message_ns(ways[-1][0])
    read = ends + max(there + back for there, back in ways[:-1]) * memory.h
    return updates + store + read + (len(ways) - 2) * memory.g


def tile_spin_late_ns(processes: int, diameter: int, memory: LogGP) -> float:
    """Return a time for the Tile Spin barrier with one process late, 5/2 max(a, P g).

    For its order only: the paper does not tell its algorithm. Assumed: those that wait read the
    flag at its home again and again, for it says that they consume memory bandwidth. The home
    serves one access each g, so that from P = a / g on it is never idle, and an access takes P g
    in place of a. The late process updates the counter, there and back, and stores the flag, half
    of that; then comes the others' next read.

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
    check(processes, diameter)
    return 2.5 * max(memory.access_ns(diameter), processes * memory.g)


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
    check(processes, diameter)
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


def _signal_ns(hops: int, memory: LogGP) -> float:
    """Return what it takes until a process that spins on a flag has seen another's store."""
    return memory.message_ns(hops) + memory.access_ns(hops)
