"""Cycles that broadcast, scatter and reductions take by software on a static network.

Source: paper Reflex, section VI, which names them as future work; the programs are those of
docs/microarchitecture-static.md, R9. N is the number of a ring's links, L that of the links from a
tree's root to its farthest member, P that of the members, m the flits of a word, and w the cycles
that a core takes for a flit of a reduction. A flit follows the other in s cycles: 1 where all
buffers have two places or more, else 2.

A time is from the cycle in which the last member begins to the first in which all have what is
theirs, the group having been quiet. The root as the last is the worst case of all, and takes as
long as all together. As for barriers, the tests run every member as the last, over many rings,
trees and buffers.
"""

from __future__ import annotations

from syncfabric.models.networks.spec import StaticSpec

__all__ = [
    "allreduce_cycles",
    "broadcast_cycles",
    "flit_cycles",
    "reduce_cycles",
    "scatter_cycles",
]


def flit_cycles(network: StaticSpec) -> int:
    """Return s, the cycles from one flit of a stream to the next."""
    buffers = network.switch_buffer, network.core_buffer, network.injection_buffer
    return 1 if min(buffers) > 1 else 2


def broadcast_cycles(links: int, flits: int, network: StaticSpec) -> int:
    """Return the cycles of a broadcast: N + 3 + (m - 1) s on a ring, L + 3 + (m - 1) s in a tree.

    The first flit takes the injection link, N (or L) links and the core link, and the core reads it
    in the cycle after; on a ring it is the root that is the last to have all, its own.

    Parameters
    ----------
    links : int
        N or L.
    flits : int
        m.
    network : StaticSpec
    """
    return links + 3 + (flits - 1) * flit_cycles(network)


def scatter_cycles(links: int, members: int, flits: int, network: StaticSpec) -> int:
    """Return the cycles of a scatter: those of a broadcast of (P - 1) m flits.

    Parameters
    ----------
    links : int
        N or L.
    members : int
        P.
    flits : int
        m, of a part.
    network : StaticSpec
    """
    return broadcast_cycles(links, (members - 1) * flits, network)


def reduce_cycles(links: int, members: int, flits: int, work: int, network: StaticSpec) -> int:
    """Return the cycles of a reduction: N + (w + 2) (P - 1) + 3 + (m - 1) max(s, w).

    Each member but the root adds its core link, its injection link and its work.

    Parameters
    ----------
    links : int
        N.
    members : int
        P.
    flits : int
        m.
    work : int
        w.
    network : StaticSpec
    """
    stream = (flits - 1) * max(flit_cycles(network), work)
    return links + (work + 2) * (members - 1) + 3 + stream


def allreduce_cycles(
    links: int, members: int, last: int, flits: int, work: int, network: StaticSpec
) -> int:
    """Return the cycles of a reduction whose result goes round once more, to all members.

    The result's first flit leaves the root when it has come back, N + (w + 2) P cycles after it
    left as the root's own; or behind the last of those, m max(s, w), where that is more. The last
    member is i links on, behind P - 2 others.

    Parameters
    ----------
    links : int
        N.
    members : int
        P.
    last : int
        i, the links from the root to the last member before it.
    flits : int
        m.
    work : int
        w.
    network : StaticSpec
    """
    flit = max(flit_cycles(network), work)
    turn = max(links + (work + 2) * members, flits * flit)
    return turn + last + (work + 2) * (members - 2) + 3 + (flits - 1) * flit
