"""Cycles that barriers of a static network take in hardware (paper Reflex; the tree is ours).

All hold for agents as docs/microarchitecture-static.md has them, and a group of two or more that is
set up and quiet before its first arrival. N is the number of a ring's links, L that of the links
from a tree's root to its farthest member; W, B and O are the places of ``switch_buffer``,
``core_buffer`` and ``injection_buffer``.

How they are known: whatever happens in such a group waits for the last of some events that came
before, so every time is a maximum of sums (a timed event graph), and the latency is greatest where
one process alone comes late, or in the episodes after that one if all arrive there in the cycle of
their release. The tests run all of these, for small N, L, W, B and O.
"""

from __future__ import annotations

from syncfabric.models.networks.spec import StaticSpec

__all__ = [
    "ALONE",
    "ring_bound",
    "ring_period",
    "tree_bound",
]

ALONE = 1
"""Latency of a group of one member."""


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

    Parameters
    ----------
    links : int
        N.
    network : StaticSpec
    """
    return max(2 * links + 6, ring_period(links, network))


def tree_bound(longest: int, flits: int, network: StaticSpec) -> int:
    """Return the most cycles from the last arrival to the last release in a tree.

    A late member reads F flits, one a cycle if W, O and B are 2 or more, and those wait on L links:
    F + L. Else one in two cycles: 2 F + L - 1. Both are met by a chain of members, the first with
    B = 2, the second with B = 1; with W = O = B = 2, or 1, they are 3 L + 5.

    Parameters
    ----------
    longest : int
        L.
    flits : int
        F, the flits of an episode, one more than the slots of the longest way.
    network : StaticSpec
    """
    if _streams(network) and network.core_buffer > 1:
        return flits + longest
    return 2 * flits + longest - 1


def _streams(network: StaticSpec) -> bool:
    """Return whether a flit can leave every buffer on the way in every cycle."""
    return min(network.switch_buffer, network.injection_buffer) > 1
