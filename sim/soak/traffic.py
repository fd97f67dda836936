"""Ordinary packets of a soak: from none to more than the network takes, in phases."""

from __future__ import annotations

import tempfile
from pathlib import Path

from syncfabric.models.traffic import WARM_CYCLES, rate_word
from syncfabric.sim.assemble.player import Stimulus, StimulusKind, script_text
from syncfabric.sim.fabric import Fabric
from syncfabric.sim.lifecycle.effects import HANG, FoundError
from syncfabric.sim.soak.result import SoakPhase

__all__ = ["QUEUE", "Phases"]

QUEUE = 64
"""Packets that wait at a source; what comes beyond that is not created."""
SATURATED, ABOVE = 1.0, 1.0
SHARES = (ABOVE, 0.0, 0.5, SATURATED)
"""The first phase is offered more than the network takes, which tells how much that is."""
LONGEST = 12_500
"""Episodes of a phase, at most, up to `MOST` rounds."""
MOST = 20


class Phases:
    """Switches the traffic, and sees that no packet is lost.

    Parameters
    ----------
    fabric : Fabric
    nodes : int
    packets : bool
        Whether the network has any.
    episodes : int
        Of the whole soak.
    seed : int

    Attributes
    ----------
    ended : list of SoakPhase
    draining : bool
        The sources are off, and their packets still under way.
    """

    def __init__(
        self, fabric: Fabric, nodes: int, *, packets: bool, episodes: int, seed: int
    ) -> None:
        self._fabric, self._nodes, self._packets, self._seed = fabric, nodes, packets, seed
        rounds = max(1, min(MOST, episodes // (len(SHARES) * LONGEST)))
        count = rounds * len(SHARES) if packets else 1
        self._ends = [episodes * (i + 1) // count for i in range(count)]
        self._number = -1
        self._rate = self._saturation = 0.0
        self._since = self._before = self._packets_before = 0
        self._moved = (0, 0)  # packets that have ended, and the cycle since which
        self.ended: list[SoakPhase] = []
        self.draining = False

    def begin(self, cycle: int) -> None:
        """Seed the sources, and begin with the first phase."""
        if self._packets:
            self._fabric.waits(HANG)
            self._give(Stimulus(cycle, StimulusKind.LOAD, data=self._seed))
            self._fabric.run(WARM_CYCLES + 1)
        self._next(cycle + WARM_CYCLES + 1)

    def step(self, cycle: int, done: int, *, quiet: bool) -> None:
        """Go on: after ``done`` episodes; ``quiet`` if nobody is being set up or torn down.

        Raises
        ------
        FoundError
            Packets are lost, or changed.
        """
        if not self._packets or self._number == len(self._ends):
            return
        rows = self._fabric.report()
        self._see_errors(rows)
        total = sum(row["packets"] for row in rows)
        if not self.draining:
            if done >= self._ends[self._number]:
                self._end(cycle, rows)
                self._switch(cycle, 0.0)
                self.draining, self._moved = True, (total, cycle)
            return
        under_way = sum(row["created"] - row["overflow"] for row in rows) - total
        if total != self._moved[0]:
            self._moved = (total, cycle)
        held = {link: flits for link, (flits, _) in self._fabric.held().items() if flits}
        if not under_way and quiet and not held:
            self.draining = False
            self._next(cycle)
        elif cycle - self._moved[1] > HANG:
            if under_way:
                raise FoundError(
                    f"{under_way} packets have not come out of a network without traffic"
                )
            if quiet:
                link, flits = next(iter(held.items()))
                raise FoundError(f"no packet is under way, and link {link} holds {flits} flits")

    @property
    def over(self) -> bool:
        """Whether the last phase has ended, and all its packets are there."""
        return not self._packets or self._number == len(self._ends)

    def _see_errors(self, rows: list[dict[str, int]]) -> None:
        for node, row in enumerate(rows):
            if row["errors"]:
                raise FoundError(
                    f"the packet sink of node {node} has counted {row['errors']} errors"
                )

    def _end(self, cycle: int, rows: list[dict[str, int]]) -> None:
        flits = sum(row["flits"] for row in rows) - self._before
        packets = sum(row["packets"] for row in rows) - self._packets_before
        cycles = cycle - self._since
        accepted = flits / self._nodes / max(1, cycles)
        if not self.ended:
            self._saturation = accepted
        self.ended.append(SoakPhase(self._rate, accepted, cycles, packets))

    def _next(self, cycle: int) -> None:
        self._number += 1
        if self._packets and self._number < len(self._ends):
            share = SHARES[self._number % len(SHARES)]
            place = self._number % len(SHARES)
            rate = ABOVE if place == 0 else share * self._saturation
            rows = self._fabric.report()
            self._since, self._before = cycle, sum(row["flits"] for row in rows)
            self._packets_before = sum(row["packets"] for row in rows)
            self._switch(cycle, rate)

    def _switch(self, cycle: int, rate: float) -> None:
        self._rate = rate
        word, on = rate_word(rate), int(rate > 0)
        self._give(Stimulus(cycle, StimulusKind.RATE, data=word, extra=on))

    def _give(self, stimulus: Stimulus) -> None:
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "script.txt"
            script.write_text(script_text([stimulus]))
            self._fabric.script(script)
