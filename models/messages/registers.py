"""Operations of groups, counters, and the config port of static networks."""

import enum

__all__ = ["CONFIG_ADDRESS_BITS", "COUNTER_BASE", "COUNTER_BITS", "Counter", "Op"]

CONFIG_ADDRESS_BITS = 12
COUNTER_BASE = 1024
COUNTER_BITS = 8


class Op(enum.IntEnum):
    """How a group combines its members' data; the last three need ``operations = "all"``."""

    OR, AND, XOR, MAX, MIN, SUM = range(6)

    def identity(self, data_bits: int) -> int:
        """Return the value that changes nothing when combined with a ``data_bits`` wide word."""
        return (1 << data_bits) - 1 if self in (Op.AND, Op.MIN) else 0


class Counter(enum.IntEnum):
    """Saturating event counters of a node of a static network, in reading order."""

    OVERFLOW, STRAY, REFUSED_ARRIVE, REFUSED_WRITE = range(4)
