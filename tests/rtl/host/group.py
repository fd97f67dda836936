"""A group whose members arrive and are released at random, and what it measures by itself."""

import itertools
import random
from dataclasses import dataclass, field

from syncfabric.models.messages.host import SKEW_BOUNDS


@dataclass
class Members:
    """The members of a group of one meter, by the bits of its mask.

    Parameters
    ----------
    members : list of int
        Bits.
    rng : random.Random
        What it draws from.
    skew, late : int
        Most cycles between two arrivals of a member, and from the last arrival to its release.
    """

    members: list[int]
    rng: random.Random
    skew: int = 6
    late: int = 9
    cycle: int = 0
    latencies: list[int] = field(default_factory=list)
    skews: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._next = {m: self._soon() for m in self.members}
        self._release: dict[int, int] = {}
        self._came: dict[int, int] = {}
        self._last = 0
        self._skew = 0

    def _soon(self) -> int:
        return self.cycle + self.rng.randint(0, self.skew)

    def step(self, *, stop: bool = False) -> tuple[int, int]:
        """Return what arrives and what is released in this cycle; with stop, none begins."""
        released = [m for m, at in self._release.items() if at == self.cycle]
        for m in released:
            del self._release[m]
            if m not in self._next:
                self._next[m] = self._soon()
        if released and not self._release:
            self.latencies.append(self.cycle - self._last)
            self.skews.append(self._skew)
        arriving = [
            m
            for m, at in self._next.items()
            if at <= self.cycle and not (stop and not self._came) and m not in self._release
        ]
        for m in arriving:
            del self._next[m]
            self._came[m] = self.cycle
        if len(self._came) == len(self.members):
            self._last = self.cycle
            self._skew = self.cycle - min(self._came.values())
            self._came.clear()
            self._release = {m: self.cycle + self.rng.randint(1, self.late) for m in self.members}
        self.cycle += 1
        return sum(1 << m for m in arriving), sum(1 << m for m in released)

    @property
    def idle(self) -> bool:
        """Whether none has arrived, and none waits."""
        return not self._came and not self._release

    @property
    def histogram(self) -> list[int]:
        """Episodes by skew."""
        edges = [0, *SKEW_BOUNDS, 1 << 40]
        return [
            sum(low <= skew < high for skew in self.skews)
            for low, high in itertools.pairwise(edges)
        ]
