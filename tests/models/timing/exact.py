"""Exact latencies of rings and trees of static networks, one late member at a time.

They prove the bounds of ``models/timing/static.py`` tight.
N is the number of a ring's links; W, B and O are the places of ``switch_buffer``, ``core_buffer``
and ``injection_buffer``.
"""

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.timing.static import reduce_cycles, ring_period


def ring_latency(links: int, late: int, network: StaticSpec) -> int:
    """Return the cycles from the last arrival to the last release, all else quiet.

    A late root's notify goes round, N + 3; the release follows, a hop a cycle, and is read last by
    the member of the last switch: 2 N + 5. Who sits ``late`` switches after the root has the notify
    waiting there. Who comes last has all B fillers to read first, and takes one a cycle.

    Parameters
    ----------
    links : int
        N; the last switch of the ring has a member.
    late : int
        The place of the last process, 0 for the root, up to N - 1.
    network : StaticSpec
    """
    fillers = network.core_buffer + 3
    if late == 0:
        return links + max(links + 5, fillers)
    return max(2 * links + 5 - late, fillers)


def ring_worst(links: int, network: StaticSpec) -> int:
    """Return the most cycles from the last arrival to the last release, whoever arrives when.

    2 N + 5, that of a late root; or the period, where that is more: then it is the fillers of the
    barrier before that are waited for. It is met if all switches of the ring have members.

    Parameters
    ----------
    links : int
        N.
    network : StaticSpec
    """
    return max(2 * links + 5, ring_period(links, network))


def tree_period(flits: int, network: StaticSpec) -> int:
    """Return the cycles from barrier to barrier, if each process arrives when it is released.

    F + 1, or 2 F where a buffer has one place only; however long the tree is.

    Parameters
    ----------
    flits : int
        F, the flits of an episode.
    network : StaticSpec
    """
    if min(network.switch_buffer, network.injection_buffer) > 1 and network.core_buffer > 1:
        return flits + 1
    return 2 * flits


def broadcast_late(links: int, place: int, flits: int, network: StaticSpec) -> int:
    """Return the cycles of a broadcast on a ring whose last member is not the root; with s = 1.

    It has m flits to read, of which up to B wait in its core buffer. What is more than that stands
    before its switch, and goes on to the root: max(m, m - B + N - i + 2 if m > B).

    Parameters
    ----------
    links : int
        N.
    place : int
        i, the links from the root to the member, 1 to N - 1.
    flits : int
        m.
    network : StaticSpec
    """
    behind = flits - network.core_buffer
    return max(flits, behind + links - place + 2) if behind > 0 else flits


def reduce_late(
    links: int, place: int, behind: int, flits: int, work: int, network: StaticSpec
) -> int:
    """Return the cycles of a reduction whose last member is not the root.

    The token waits at its core: N - i + (w + 2) q + w + 3 + (m - 1) max(s, w).

    Parameters
    ----------
    links : int
        N.
    place : int
        i, the links from the root to the member.
    behind : int
        q, the members between it and the root at the end of the ring.
    flits : int
        m.
    work : int
        w.
    network : StaticSpec
    """
    return reduce_cycles(links - place, behind + 1, flits, work, network) + work
