"""Operations of groups, counters, and the config port of static networks."""

import enum

from syncfabric.models.messages.words import WordTable

CONFIG_ADDRESS_BITS = 12
COUNTER_BASE = 1024


class Op(enum.IntEnum):
    """How a group combines its members' data; the last three need ``operations = "all"``."""

    OR, AND, XOR, MAX, MIN, SUM = range(6)

    def identity(self, data_bits: int) -> int:
        """Return the value that changes nothing when combined with a ``data_bits`` wide word."""
        return (1 << data_bits) - 1 if self in (Op.AND, Op.MIN) else 0


class Counter(WordTable):
    """Saturating event counters of a node of a static network, in reading order."""

    OVERFLOW = 0, "Flits or messages dropped at a full buffer"
    STRAY = 1, "Messages that no register expected"
    REFUSED_ARRIVE = 2, "Arrives that were not accepted"
    REFUSED_WRITE = 3, "Writes that were refused"
