"""What drives a network besides its barriers: programs of nodes, traffic, and illegal stimuli.

A program is stepped with what the model shows. What it does goes to hardware and model alike, and
takes no time but that of the ports: it can act upon what is ejected or answered in a cycle in the
next one, and upon a release in the same.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from syncfabric.models.golden.record import ConfigRequest, Record
from syncfabric.sim.drive.inbox import Packet
from syncfabric.sim.drive.put_port import Put

__all__ = ["Agenda", "Inputs", "Program"]


@dataclass
class Inputs:
    """All inputs of the network in one cycle; the last three are a static network's.

    ``hold`` has the nodes where it changes.
    """

    arrive: dict[tuple[int, int], int] = field(default_factory=dict)
    last: set[tuple[int, int]] = field(default_factory=set)
    config: ConfigRequest | None = None
    load: int | None = None
    puts: list[Put] = field(default_factory=list)
    hold: dict[int, bool] = field(default_factory=dict)
    send: dict[int, int] = field(default_factory=dict)
    take: list[int] = field(default_factory=list)


class Program:
    """Does nothing; what a program does, it overrides."""

    keeps = False
    """Whether groups have further barriers until it is finished."""

    @property
    def finished(self) -> bool:
        """Whether it has nothing more to do, whatever comes."""
        return True

    @property
    def prepares(self) -> bool:
        """Whether groups must not begin yet."""
        return False

    @property
    def progress(self) -> tuple[int, int]:
        """How much of what is asked for is over, and how much that is."""
        return 0, 0

    def unfinished(self) -> Collection[int]:
        """Return its groups that are not done."""
        return ()

    def stuck(self) -> str | None:
        """Return what hangs although something still moves."""
        return None

    def start(self, now: int) -> int:
        """Begin with the groups; return the first cycle in which they may."""
        return now

    def next_cycle(self, now: int) -> int | None:
        """Return the first cycle from ``now`` on in which it acts without an event."""
        return None

    def step(self, now: int, packets: Sequence[Packet]) -> None:
        """Act in a cycle, upon the packets that were ejected in the one before."""

    def arrive(self, now: int, number: int, member: int) -> bool:
        """Take over a member's arrival; False: it is the barrier's."""
        return False

    def act(self, now: int, inputs: Inputs) -> None:
        """Add to a cycle's inputs, after the arrivals of all groups."""

    def note(self, record: Record) -> None:
        """Take in what is on the wires in a cycle."""


Deed = Callable[[int], None]
"""Receives the cycle in which it is done."""


class Agenda:
    """Deeds by their cycles; those of a cycle in the order in which they were entered."""

    def __init__(self) -> None:
        self._deeds: list[tuple[int, int, Deed]] = []
        self._entered = 0

    @property
    def next_cycle(self) -> int | None:
        """The first cycle in which something is to be done."""
        return self._deeds[0][0] if self._deeds else None

    def at(self, cycle: int, deed: Deed) -> None:
        """Enter a deed."""
        self._entered += 1
        heapq.heappush(self._deeds, (cycle, self._entered, deed))

    def step(self, now: int) -> None:
        """Do what is due, and what becomes due by that."""
        while self._deeds and self._deeds[0][0] <= now:
            heapq.heappop(self._deeds)[2](now)
