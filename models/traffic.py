"""The one traffic generator of hardware, models and benches, worked out in blocks of cycles.

What it creates does not depend on the network, so numpy can run ahead for all nodes at once.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.patterns import Pattern

Words: TypeAlias = NDArray[np.uint32]
Events: TypeAlias = list[tuple[int, int]]

WARM_CYCLES = 64
"""Steps of both generators after a load, in which nothing is created."""

FLITS = 5
STRIDE = 0x9E3779B9
WORD = (1 << 32) - 1


def rate_word(rate: float) -> int:
    """Return the 24-bit ``traffic_rate`` of a rate in flits a node a cycle.

    Parameters
    ----------
    rate : float
        0 to 5; the greatest word stands for all of them that do not fit.
    """
    return min(round(rate / FLITS * (1 << 24)), (1 << 24) - 1)


def xorshift32(state: Words) -> Words:
    """Return the next state of each generator (Marsaglia's triple 13, 17, 5)."""
    state = state ^ state << np.uint32(13)
    state = state ^ state >> np.uint32(17)
    return state ^ state << np.uint32(5)


def seeds(nodes: int, seed: int) -> tuple[Words, Words]:
    """Return the states a and b of every node just after a load, shape (nodes,) each."""
    keys = (np.arange(nodes, dtype=np.uint64) * np.uint64(STRIDE)).astype(np.uint32)
    a, b = keys ^ np.uint32(seed & WORD), keys ^ np.uint32(~seed & WORD)
    return np.maximum(a, np.uint32(1)), np.maximum(b, np.uint32(1))


class TrafficGenerator:
    """All nodes' generators (docs/microarchitecture.md, Traffic).

    Parameters
    ----------
    nodes : int
        Number of nodes; a network of one creates nothing.
    block : int
        Cycles worked out at a time.
    """

    def __init__(self, nodes: int, block: int = 256) -> None:
        self.nodes, self.block = nodes, block
        self.warm = 0
        self._a: Words = np.zeros(nodes, np.uint32)
        self._b: Words = np.zeros(nodes, np.uint32)
        self._rate = -1
        self._at = 0
        self._created: dict[int, Events] = {}
        self._goals, self._share = np.full(nodes, -1), 0
        self._states = np.zeros((1, nodes), np.uint32)
        self._draws = np.zeros((1, nodes), np.uint32)
        self._hits = np.zeros((1, nodes), np.bool_)

    def aim(self, pattern: Pattern) -> None:
        """Set where packets go, before the load; at first all are for random nodes."""
        self._goals, self._share = np.array(pattern.goals), pattern.share

    def step(self, *, load: int | None = None, enable: bool = False, rate: int = 0) -> Events:
        """Advance one cycle.

        Parameters
        ----------
        load : int or None
            Seed, in a cycle with ``traffic_load``: both states are set after this cycle.
        enable : bool
            ``traffic_enable``.
        rate : int
            ``traffic_rate``, 24 bits.

        Returns
        -------
        list of (source, destination)
            The packets created in this cycle, by rising source.
        """
        created: Events = []
        if self.warm:
            self.warm -= 1
        elif enable and self.nodes > 1:
            if rate != self._rate or self._at == self.block:
                self._work_out(rate)
            created = self._created.get(self._at, created)
            self._at += 1
        if load is not None:
            self._load(load)
        return created

    def idle(self, *, enable: bool = False, rate: int = 0) -> int | None:
        """Return how many cycles nothing is created in; None for no end of them.

        The answer may stop short of the next creation, but never beyond it.
        """
        if not enable or self.nodes == 1:
            return None
        if self.warm:
            return self.warm
        if rate != self._rate or self._at == self.block:
            self._work_out(rate)
        return min((at for at in self._created if at >= self._at), default=self.block) - self._at

    def skip(self, cycles: int, *, enable: bool = False) -> None:
        """Advance by cycles without a load, at the last rate, of which ``idle`` said so."""
        warm = min(cycles, self.warm)
        self.warm -= warm
        if enable and self.nodes > 1:
            self._at += cycles - warm

    def _load(self, seed: int) -> None:
        self._a, self._b = seeds(self.nodes, seed)
        for _ in range(WARM_CYCLES):
            self._a, self._b = xorshift32(self._a), xorshift32(self._b)
        self.warm = WARM_CYCLES
        self._rate, self._at = -1, 0

    def _work_out(self, rate: int) -> None:
        """Work out a block from the present cycle on."""
        if self._rate >= 0 and self._at:
            hits = self._hits[: self._at].sum(axis=0)
            self._a = self._states[self._at - 1]
            self._b = self._draws[hits, np.arange(self.nodes)]
        self._rate, self._at = rate, 0
        states, state = [], self._a
        for _ in range(self.block):
            state = xorshift32(state)
            states.append(state)
        self._states = np.stack(states)
        sends = self._goals != np.arange(self.nodes)
        self._hits = (self._states >> np.uint32(8) < np.uint32(rate)) & sends
        most = int(self._hits.sum(axis=0).max())
        draws = [self._b]
        for _ in range(most):
            draws.append(xorshift32(draws[-1]))
        self._draws = np.stack(draws)
        self._created = {}
        number = np.cumsum(self._hits, axis=0)
        at, source = np.nonzero(self._hits)
        word, goal = self._draws[number[at, source], source], self._goals[source]
        draw = (word >> np.uint32(16)) * np.uint32(self.nodes - 1)
        destination = (draw >> np.uint32(16)).astype(np.int64)
        destination += destination >= source
        aimed = (goal >= 0) & ((word & np.uint32(0xFFFF)) < self._share)
        destination = np.where(aimed, goal, destination)
        for cycle, *packet in zip(at.tolist(), source.tolist(), destination.tolist(), strict=True):
            self._created.setdefault(cycle, []).append((packet[0], packet[1]))
