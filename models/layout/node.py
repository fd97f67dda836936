"""Config words of a node, but for its engine's: those of its router and of its node port."""

from enum import IntEnum

from syncfabric.models.layout.engine import COUNTER_ADDRESS
from syncfabric.models.messages.layout import Field, Layout

__all__ = ["ROUTE", "PortWord", "RouterWord", "Target"]


class Target(IntEnum):
    """Parts of a node that have config words; bits 5 to 7 of an address."""

    ENGINE, ROUTER, PORT = range(3)


class RouterWord(IntEnum):
    """Config words of a router, by address; those from OVERFLOW on are saturating counters."""

    TABLE, FENCE = range(2)
    OVERFLOW, CORRUPT, LOST = range(COUNTER_ADDRESS, COUNTER_ADDRESS + 3)


class PortWord(IntEnum):
    """Config words of a node port, by address."""

    REFUSED_ARRIVE = COUNTER_ADDRESS


ROUTE = Layout(
    "table word",
    (
        Field("destination", 16, "entry of the routing table"),
        Field("output", 4, "port by which packets for it leave"),
    ),
)
"""Data of a write to TABLE."""
