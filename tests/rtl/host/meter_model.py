"""A meter of barriers, by docs/microarchitecture-host.md, H3, on sets of bits."""

from syncfabric.models.messages.host import BINS, SKEW_BITS, SKEW_BOUNDS

_MOST = (1 << 32) - 1
_MOST_AGE = (1 << SKEW_BITS) - 1


def bits(word: int) -> frozenset[int]:
    """Return the numbers of the bits that are set."""
    return frozenset(i for i in range(word.bit_length()) if word >> i & 1)


class Meter:
    """Counts the barriers of one group.

    Attributes
    ----------
    episodes, last, least, greatest : int
        As in the meter's words; latencies in cycles.
    histogram : list of int
        Barriers by skew, ``BINS`` of them.
    """

    def __init__(self) -> None:
        self._age = self._wait = 0
        self.clear()

    def clear(self) -> None:
        """Make the counters as after reset, and forget episodes in progress."""
        self.episodes = self.last = self.greatest = 0
        self.least = _MOST
        self.histogram = [0] * BINS
        self.forget()

    def forget(self) -> None:
        """Forget episodes in progress: the mask changes."""
        self._arrived: frozenset[int] = frozenset()
        self._waiting: frozenset[int] = frozenset()
        self._bin, self._spoiled = 0, False

    def step(self, mask: int, arrive: int, ready: int, released: int, broken: int = 0) -> None:
        """Take one cycle.

        Parameters
        ----------
        mask, arrive, ready, released, broken : int
            A bit for each register of each node.
        """
        group, ended = bits(mask), (self._arrived | self._waiting) - bits(ready)
        gone = bits(released) | ended
        busy = (self._arrived | self._waiting) - gone
        accepted = (bits(arrive) & bits(ready) & group) - busy
        here, left = self._arrived - gone, self._waiting - gone
        skew = self._age if here else 0
        spoiled = self._spoiled or bool(self._waiting & (gone & bits(broken) | ended))
        if self._waiting and not left and not spoiled:
            self._count()
        self._age = min(_MOST_AGE, self._age + 1) if here else 1
        self._wait = min(_MOST, self._wait + 1)
        self._arrived, self._waiting, self._spoiled = here | accepted, left, spoiled
        if accepted and self._arrived == group:
            self._arrived, self._waiting, self._wait = frozenset(), group, 1
            self._bin, self._spoiled = sum(skew >= bound for bound in SKEW_BOUNDS), False

    def _count(self) -> None:
        """Count the episode that is over."""
        self.episodes = min(_MOST, self.episodes + 1)
        self.last = self._wait
        self.least, self.greatest = min(self.least, self.last), max(self.greatest, self.last)
        self.histogram[self._bin] = min(_MOST, self.histogram[self._bin] + 1)
