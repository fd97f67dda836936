"""What barriers take in LogGP: Reflex, those that its paper compares with, and ours.

Source: paper Reflex, sections II, III and V; it prints no formula. All processes arrive together
unless said otherwise, and the time is that until the last has left. P is the number of processes, d
the diameter of the network in hops; L, o, g, G and h are those of ``LogGP``. In shared memory,
``MemoryLogGP``, an access takes a = 4 o + 2 L + 2 d h, there and back, and a signal
s = (2 o + L + d h) + a: a process stores a flag, and another, which spins on it, reads it then.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.errors import PlanError
from syncfabric.models.timing.loggp import LogGP

FLIT_BYTES = 4
"""Of a flit on the static network: a word of TILE64."""


def _rounds(processes: int) -> int:
    return (processes - 1).bit_length()


def _signal_ns(hops: int, memory: LogGP) -> float:
    return memory.message_ns(hops) + memory.access_ns(hops)


BARRIERS: dict[str, Callable[[int, int, LogGP], float]] = {
    "reflex": lambda p, d, t: 2 * t.message_ns(0) + 2 * p * t.h,
    "udn-stn": lambda p, d, t: (p - 1) * t.g + 2 * d * t.h + 4 * t.o,
    "dissemination": lambda p, d, t: _rounds(p) * t.message_ns(d),
    "memory-dissemination": lambda p, d, t: _rounds(p) * _signal_ns(d, t),
    "centralized": lambda p, d, t: p * t.access_ns(d) + _signal_ns(d, t) + (p - 2) * t.g,
    "tile-spin": lambda p, d, t: t.access_ns(d) + (p - 1) * t.g + _signal_ns(d, t) + (p - 2) * t.g,
    "tile-spin-late": lambda p, d, t: 2.5 * max(t.access_ns(d), p * t.g),
}
"""The formulas, by name, of P, d and the times; see ``barrier_ns``."""


def barrier_ns(name: str, processes: int, diameter: int, times: LogGP) -> float:
    """Return the time of a barrier.

    ``reflex``: 2 (2 o + L) + 2 P h. The root's notify passes the whole ring, then its release: a
    further core costs two hops. (The paper's section III-A counts one: it leaves out the release.)
    ``udn-stn``: (P - 1) g + 2 d h + 4 o. Every process sends a message to the root over the dynamic
    network, and the root takes one each g; then a release goes to all over the static network at
    once. Assumed: no L beside the hops.
    ``dissemination``: ceil(log2 P) (2 o + L + d h), by messages. In round k process i signals
    process (i + 2^k) mod P. Assumed: each round takes as long as the diameter.
    ``memory-dissemination``: ceil(log2 P) s. Assumed, for the paper does not say where its flags
    lie: in the memory of a third tile, d hops away.
    ``centralized``: P a + s + (P - 2) g. Each process in turn updates a shared counter, one access
    (assumed: as one atomic access; the lock that the paper takes makes it more). The last one
    stores the flag on which the others spin.
    ``tile-spin``: a + (P - 1) g + s + (P - 2) g. For its order only: the paper does not give its
    algorithm. Assumed: like ``centralized``, but the counter's home takes the updates one each g.
    ``tile-spin-late``: 5/2 max(a, P g), one process late; for its order only, too. Assumed: those
    that wait read the flag at its home again and again, so that from P = a / g on an access takes
    P g in place of a. The late process updates the counter, there and back, and stores the flag,
    half of that; then comes the others' next read.

    Parameters
    ----------
    name : str
        Of ``BARRIERS``.
    processes : int
        P, at least 2. Of ``reflex``, where the ring also passes switches without a member, its
        links.
    diameter : int
        d; ``reflex`` has none. Of ``udn-stn``, where the root is known, the hops from there to the
        farthest process.
    times : LogGP
        The network's, or the memory's.

    Raises
    ------
    PlanError
        There are fewer than two processes, or the diameter is below 0.
    """
    check(processes)
    if diameter < 0:
        raise PlanError(
            f"Barrier model: diameter must be 0 hops or more, not {diameter}; "
            "on a mesh it is width + height - 2"
        )
    return BARRIERS[name](processes, diameter, times)


def reflex_late_ns(processes: int, late: int, loggp: LogGP) -> float:
    """Return the time of Reflex if one process comes after all others, 2 (2 o + L) + (2 P - i) h.

    The notify waits at that one's switch, i hops behind the root's: these it need not go any more.
    A late root, i = 0, has sent none; it is the worst.

    Parameters
    ----------
    processes, loggp
        As of ``barrier_ns``.
    late : int
        i, 0 to P - 1.

    Raises
    ------
    PlanError
        There are fewer than two processes, or no such process.
    """
    if not 0 <= late < processes:
        raise PlanError(f"Barrier model: late must be 0 to {processes - 1}, not {late}")
    return barrier_ns("reflex", processes, 0, loggp) - late * loggp.h


def reflex_tree_ns(links: int, flits: int, loggp: LogGP, *, streams: bool = True) -> float:
    """Return the time of our tree on Reflex's switches, 2 o + L + D h + (F - 1) 4 G.

    An episode is one message of F flits down the tree, each a word of 4 bytes: back-pressure keeps
    its last one from entering before all members have begun to read. Where o, L and h are a cycle
    and G a quarter of one, these are F + D + 2 cycles; hardware takes two fewer
    (``static.tree_bound``).

    Parameters
    ----------
    links : int
        D, from the root to the farthest member.
    flits : int
        F, one more than the slots of the longest path (``buffers.tree_flits``).
    loggp : LogGP
    streams : bool
        Whether flits follow each other at once; else every second time, as where a buffer has one
        place: then 2 F - 1 take the place of F.
    """
    slots = flits if streams else 2 * flits - 1
    return loggp.message_ns(links) + (slots - 1) * FLIT_BYTES * loggp.G


def wires_ns(links: int, link_registers: int, loggp: LogGP) -> float:
    """Return the time of a barrier on wires, 2 L (1 + P) h + 2 o.

    Source: docs/microarchitecture-wires.md, X6, ours: a level up a tree and a pulse down, whatever
    the number of processes. Where o and h are a cycle these are its 2 L (1 + P) + 2 cycles.

    Parameters
    ----------
    links : int
        L, from the root to the farthest process.
    link_registers : int
        P, registers on each link, so that a link takes 1 + P hops.
    loggp : LogGP
    """
    return 2 * links * (1 + link_registers) * loggp.h + 2 * loggp.o


def rounds_ns(hops: NDArray[np.int64], loggp: LogGP) -> float:
    """Return the time of ``dissemination`` whose hops are known.

    A process that has got through a round at time t sends, and is through the next one at
    max(t + 2 o, t' + 2 o + L + d h), t' that of the process whose signal it awaits, d the hops
    between them. A round is taken to last g at least.

    Parameters
    ----------
    hops : array of int64, shape (rounds, P)
        Of the signal that process i sends in round k, to process (i + 2^k) mod P.
    loggp : LogGP
    """
    through = np.zeros(hops.shape[1])
    for number, distances in enumerate(hops):
        came = through + loggp.message_ns(0) + distances * loggp.h
        through = np.maximum(through + 2 * loggp.o, np.roll(came, 1 << number))
    return float(through.max())


def counter_ns(hops: NDArray[np.int64], memory: LogGP) -> float:
    """Return the time of ``centralized`` whose hops are known.

    The counter serves the processes as they stand, and the last of them stores the flag.

    Parameters
    ----------
    hops : array of int64, shape (P, 2)
        Hops from each process to the counter's home, and back; two processes or more.
    memory : LogGP

    Raises
    ------
    PlanError
        There are fewer than two processes.
    """
    check(len(hops))
    ends, both = memory.access_ns(0), hops.sum(axis=1) * memory.h
    store = memory.message_ns(int(hops[-1, 0]))
    read = ends + both[:-1].max()
    return float(sum((ends + both).tolist()) + store + read + (len(hops) - 2) * memory.g)


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


def check(processes: int) -> None:
    """Refuse fewer than two processes.

    Raises
    ------
    PlanError
    """
    if processes < 2:
        raise PlanError(
            f"Barrier model: processes must be 2 or more, not {processes}; "
            "a process alone needs no barrier"
        )
