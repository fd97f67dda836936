"""The schemes of static networks, by name."""

from __future__ import annotations

from syncfabric.models.schemes.scheme import Scheme
from syncfabric.models.timing.loggp import LogGP

__all__ = ["STATIC"]

STATIC = (
    Scheme(
        "reflex",
        "back-pressure on a ring of switches: a notify goes round, then a release",
        "paper Reflex, section III",
        ("static",),
        LogGP,
        "static.ways:ring_cost",
    ),
    Scheme(
        "reflex-tree",
        "back-pressure on a multicast tree of the same switches",
        "ours",
        ("static",),
        LogGP,
        "static.ways:tree_cost",
    ),
    Scheme(
        "udn-stn",
        "a message from each member to the root, and a multicast over the static network",
        "paper Reflex, section V",
        ("static",),
        LogGP,
        "static.udn:udn_stn_cost",
    ),
)
