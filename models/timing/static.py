"""Cycles that barriers and collectives of a static network take in hardware (paper Reflex).

All hold for agents and programs as docs/microarchitecture-static.md has them (R8, R9), and a group
of two or more that is set up and quiet before its first arrival. N is the number of a ring's links,
L that of the links from a tree's root to its farthest member, P that of the members; W, B and O are
the places of ``switch_buffer``, ``core_buffer`` and ``injection_buffer``. A word has m flits, and a
core takes w cycles for a flit of a reduction.

A barrier's time is from the last arrival to the last release, a collective's from the cycle in
which the last member begins to the first in which all have what is theirs. Whatever happens in such
a group waits for the last of some events that came before, so every time is a maximum of sums (a
timed event graph). A barrier's is greatest where one process alone comes late, or in the episodes
after that one if all arrive there in the cycle of their release; a collective's where the root is
the last, and that takes as long as all together. The tests run all of these, for small N, L, W, B
and O. The tree and the collectives (section VI, future work) are ours.
"""

from syncfabric.models.networks.spec import StaticSpec

ALONE = 1
"""Latency of a group of one member."""


def _streams(network: StaticSpec) -> bool:
    """Return whether a flit can leave every buffer between cores in every cycle."""
    return min(network.switch_buffer, network.injection_buffer) > 1


def flit_cycles(network: StaticSpec) -> int:
    """Return s, the cycles from one flit of a stream to the next: 1 if all buffers have 2 places.

    Else it is 2.
    """
    return 1 if _streams(network) and network.core_buffer > 1 else 2


def ring_period(links: int, network: StaticSpec) -> int:
    """Return the cycles from barrier to barrier, if each process arrives when it is released.

    B + 2 flits go round an episode. Where all buffers but the cores' have two places or more, a
    flit follows the other at once: N + max(6, B + 3). Else one in two cycles: N + 2 B + 4.

    Parameters
    ----------
    links : int
        N.
    network : StaticSpec
    """
    if _streams(network):
        return links + max(6, network.core_buffer + 3)
    return links + 2 * network.core_buffer + 4


def ring_bound(links: int, network: StaticSpec) -> int:
    """Return the bound of a ring: paper Reflex's 2 N + 6, or the period where that is more.

    2 N + 6 is one more than need be, for the root is released when the notify is back, not the
    release. It holds if B <= N + 3 with W, O >= 2, and if 2 B <= N + 2 in any case.

    The last member reads the release N - 1 links behind the root; where all are at one switch it
    does so at the same distance: max(6, B + 4), for all buffers are alike there.

    Parameters
    ----------
    links : int
        N; 0 where all members are at one switch.
    network : StaticSpec
    """
    if not links:
        return max(6, network.core_buffer + 4)
    return max(2 * links + 6, ring_period(links, network))


def tree_bound(longest: int, flits: int, network: StaticSpec, *, beside: bool = False) -> int:
    """Return the most cycles from the last arrival to the last release in a tree.

    A late member reads F flits, one in s cycles, and those wait on L links: F + L, or 2 F + L - 1.
    Both are met by a chain of members, the first with B = 2, the second with B = 1; with
    W = O = B = 2, or 1, they are 3 L + 5. So they are where the nearest member is a link away from
    the root; one at the same switch holds the flits back a link earlier: one cycle more.

    Parameters
    ----------
    longest : int
        L.
    flits : int
        F, the flits of an episode, one more than the slots of the longest path.
    network : StaticSpec
    beside : bool
        Another member is at the root's switch.
    """
    return longest + 1 + beside + (flits - 1) * flit_cycles(network)


def broadcast_cycles(links: int, flits: int, network: StaticSpec) -> int:
    """Return the cycles of a broadcast: N + 3 + (m - 1) s on a ring, L + 3 + (m - 1) s in a tree.

    The first flit takes the injection link, N (or L) links and the core link, and the core reads it
    in the cycle after; on a ring it is the root that is the last to have all, its own. A scatter is
    a broadcast of (P - 1) m flits.

    Parameters
    ----------
    links : int
        N or L.
    flits : int
        m.
    network : StaticSpec
    """
    return links + 3 + (flits - 1) * flit_cycles(network)


def reduce_cycles(links: int, members: int, flits: int, work: int, network: StaticSpec) -> int:
    """Return the cycles of a reduction: N + (w + 2) (P - 1) + 3 + (m - 1) max(s, w).

    Each member but the root adds its core link, its injection link and its work.

    Parameters
    ----------
    links, members, flits, work : int
        N, P, m and w.
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
    links, members, flits, work : int
        N, P, m and w.
    last : int
        i, the links from the root to the last member before it.
    network : StaticSpec
    """
    flit = max(flit_cycles(network), work)
    turn = max(links + (work + 2) * members, flits * flit)
    return turn + last + (work + 2) * (members - 2) + 3 + (flits - 1) * flit
