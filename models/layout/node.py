"""Config words of a node, but for its engine's: those of its router and of its node port."""

from enum import IntEnum

from syncfabric.models.layout.engine import COUNTER_ADDRESS

__all__ = ["PortWord", "RouterWord", "Target"]


class Target(IntEnum):
    """Parts of a node that have config words; bits 5 to 7 of an address."""

    ENGINE, ROUTER, PORT, MANAGER = range(4)


class RouterWord(IntEnum):
    """Config words of a router, by address; those from OVERFLOW on are saturating counters."""

    FENCE = 1
    OVERFLOW, CORRUPT, LOST, UNEXPECTED = range(COUNTER_ADDRESS, COUNTER_ADDRESS + 4)


class PortWord(IntEnum):
    """Config words of a node port, by address."""

    REFUSED_ARRIVE = COUNTER_ADDRESS
