"""Ordinary packets of a soak: from none to more than the network takes, in phases."""

from __future__ import annotations

from syncfabric.models.traffic import WARM_CYCLES
from syncfabric.sim.lifecycle.effects import HANG, FoundError
from syncfabric.sim.soak.bench import Bench
from syncfabric.sim.soak.result import SoakPhase

__all__ = ["QUEUE", "Phases"]

QUEUE = 64
"""Packets that wait at a source; what comes beyond that is not created."""
ABOVE = 1.0
"""Flits a node a cycle: more than any network takes."""
SHARES = (None, 0.0, 0.5, 1.0)
"""Of saturation, by phase; the first is offered `ABOVE`, which tells how much saturation is."""
LONGEST = 12_500
"""Episodes of a phase, at most, up to `MOST` rounds."""
MOST = 20


class Phases:
    """Switches the traffic, and checks that no packet is lost.

    Parameters
    ----------
    episodes : int
        Of the whole soak.

    Attributes
    ----------
    draining : bool
        The sources are off, and their packets still under way.
    """

    def __init__(self, bench: Bench, *, episodes: int, seed: int) -> None:
        self._bench, self._seed = bench, seed
        rounds = max(1, min(MOST, episodes // (len(SHARES) * LONGEST)))
        count = rounds * len(SHARES) if bench.packets else 1
        self._ends = [episodes * (i + 1) // count for i in range(count)]
        self._number = -1
        self._rate = self._saturation = 0.0
        self._begin = (0, 0, 0)  # of the phase: cycle, flits and packets so far
        self._moved = (0, 0)  # packets that have ended, and the cycle since which
        self.ended: list[SoakPhase] = []
        self.draining = False

    def begin(self) -> None:
        """Seed the sources, and begin with the first phase."""
        if self._bench.packets:
            self._bench.fabric.waits(HANG)
            self._bench.seed_packets(self._seed)
            self._bench.wait(WARM_CYCLES + 1)
        self._next()

    @property
    def over(self) -> bool:
        """Whether the last phase has ended, and all its packets have come."""
        return not self._bench.packets or self._number == len(self._ends)

    def step(self, done: int, *, quiet: bool) -> None:
        """Go on after ``done`` episodes; ``quiet`` if no group is being set up or torn down.

        Raises
        ------
        FoundError
            Packets are lost, or changed.
        """
        if self.over:
            return
        cycle, rows = self._bench.cycle, self._bench.fabric.report()
        for node, row in enumerate(rows):
            if row["errors"]:
                raise FoundError(
                    f"the packet sink of node {node} has counted {row['errors']} errors"
                )
        total = sum(row["packets"] for row in rows)
        if not self.draining:
            if done >= self._ends[self._number]:
                self._end()
                self._switch(0.0)
                self.draining, self._moved = True, (total, cycle)
            return
        under_way = self._bench.under_way(rows)
        if total != self._moved[0]:
            self._moved = (total, cycle)
        held = {link: flits for link, (flits, _) in self._bench.fabric.held().items() if flits}
        if not under_way and quiet and not held:
            self.draining = False
            self._next()
        elif cycle - self._moved[1] > HANG:
            if under_way:
                raise FoundError(
                    f"{under_way} packets have not come out of a network without traffic"
                )
            if quiet:
                link, flits = next(iter(held.items()))
                raise FoundError(f"no packet is under way, and link {link} holds {flits} flits")

    def _counts(self) -> tuple[int, int, int]:
        rows = self._bench.fabric.report()
        flits, packets = (sum(row[name] for row in rows) for name in ("flits", "packets"))
        return self._bench.cycle, flits, packets

    def _end(self) -> None:
        pairs = zip(self._counts(), self._begin, strict=True)
        cycles, flits, packets = (now - then for now, then in pairs)
        accepted = flits / len(self._bench.network.topology.nodes) / max(1, cycles)
        if not self.ended:
            self._saturation = accepted
        self.ended.append(SoakPhase(self._rate, accepted, cycles, packets))

    def _next(self) -> None:
        self._number += 1
        if not self.over:
            share = SHARES[self._number % len(SHARES)]
            self._begin = self._counts()
            self._switch(ABOVE if share is None else share * self._saturation)

    def _switch(self, rate: float) -> None:
        self._rate = rate
        self._bench.set_rate(rate)
