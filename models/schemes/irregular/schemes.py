"""The schemes of irregular networks, by name."""

from __future__ import annotations

from syncfabric.models.schemes.scheme import Scheme
from syncfabric.models.timing.btin import PacketTiming, Timing

__all__ = ["IRREGULAR"]

IRREGULAR = (
    Scheme(
        "btin",
        "messages merged and replicated along a tree of switches of least height",
        "paper BTIN, section 3",
        ("irregular",),
        Timing,
        "irregular.trees:btin_cost",
    ),
    Scheme(
        "updown",
        "the same along the tree of up/down routing",
        "paper BTIN, section 1",
        ("irregular",),
        Timing,
        "irregular.trees:updown_cost",
    ),
    Scheme(
        "multicast",
        "a message from each member to the root, and one that switches replicate",
        "paper BTIN, section 4.3",
        ("irregular",),
        PacketTiming,
        "irregular.packets:multicast_cost",
    ),
    Scheme(
        "unicast",
        "a message from each member to the root, and one from the root to each",
        "paper BTIN, section 4.3",
        ("irregular",),
        PacketTiming,
        "irregular.packets:unicast_cost",
    ),
)
