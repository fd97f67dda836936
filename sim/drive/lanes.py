"""Counting what passes on every lane at once: counters stood on end in big integers.

A lane is one bit of all links' `valid`: an ordinary channel or a synchronization class of a link.
Plane i holds bit i of every lane's counter, so one addition counts for all lanes.
"""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.assemble.links import links_of

__all__ = ["CreditLedger", "LaneCounter", "LaneMasks", "bits"]


def bits(word: int) -> Iterator[int]:
    """Yield the numbers of the bits that are set, rising."""
    while word:
        low = word & -word
        yield low.bit_length() - 1
        word ^= low


class LaneMasks:
    """Which lanes are of what kind.

    Parameters
    ----------
    spec : MessageSpec
        The network.

    Attributes
    ----------
    width : int
        Lanes of a link.
    ordinary, sync : int
        Lanes of packets (set-up packets' channel included), and of synchronization.
    eject, inject : int
        Ordinary lanes to and from the nodes.
    first_injection : int
        Lowest lane of the links from the nodes, which come last.
    """

    def __init__(self, spec: MessageSpec) -> None:
        links = links_of(spec)
        self.width = links.width
        channels = (1 << links.channels) - 1
        every = sum(1 << link * links.width for link in range(links.count))
        packets = links.channels + links.setup
        self.ordinary = every * ((1 << packets) - 1)
        self.sync = every * ((1 << links.classes) - 1 << packets)
        self.eject = sum(1 << link * links.width for link in links.eject) * channels
        self.inject = sum(1 << link * links.width for link in links.inject) * channels
        self.first_injection = (links.count - len(links.inject)) * links.width


class LaneCounter:
    """Counts set bits, lane by lane."""

    def __init__(self) -> None:
        self._planes: list[int] = []

    def add(self, word: int) -> None:
        """Count one for each lane of ``word``."""
        planes = self._planes
        for i, plane in enumerate(planes):
            if not word:
                return
            planes[i], word = plane ^ word, plane & word
        if word:
            planes.append(word)

    def counts(self) -> dict[int, int]:
        """Return the count of every lane that has one."""
        total: dict[int, int] = {}
        for i, plane in enumerate(self._planes):
            for lane in bits(plane):
                total[lane] = total.get(lane, 0) + (1 << i)
        return total


class CreditLedger:
    """Keeps the books of all links: flits sent and places given back, never more than there are.

    It looks at the wires alone. A lane that breaks the rule is reported once.

    Parameters
    ----------
    spec : MessageSpec
        The network: its buffers hold ``buffer_flits``, a synchronization slot one. Without such
        slots its synchronization has no books.

    Attributes
    ----------
    full : int
        Lanes all of whose places are taken after the cycle noted last.
    """

    def __init__(self, spec: MessageSpec) -> None:
        masks = LaneMasks(spec)
        self._ordinary = masks.ordinary
        self._sync = masks.sync if links_of(spec).credited else 0
        self._kept = self._ordinary | self._sync
        self._places = spec.buffer_flits
        self._planes = [0] * (spec.buffer_flits.bit_length() + 1)
        self._broken = 0
        self.full = 0

    def note(self, valid: int, credit: int) -> Iterator[tuple[int, str]]:
        """Take a cycle in; yield (lane, rule) for every rule that is broken in it."""
        planes, valid = self._planes, valid & self._kept
        carry, borrow = valid & ~credit, credit & ~valid  # one of each cancel out
        for i, plane in enumerate(planes):
            planes[i], carry = plane ^ carry, plane & carry
        for i, plane in enumerate(planes):
            planes[i], borrow = plane ^ borrow, ~plane & borrow
        above, equal = 0, self._ordinary
        for i in reversed(range(len(planes))):
            if self._places >> i & 1:
                equal &= planes[i]
            else:
                above |= equal & planes[i]
                equal &= ~planes[i]
        for plane in planes[1:]:
            above |= plane & self._sync
        self.full = equal | planes[0] & self._sync
        if above | borrow:
            yield from self._report(borrow, "credit without a flit")
            yield from self._report(above, "flit sent without a credit")

    def _report(self, lanes: int, rule: str) -> Iterator[tuple[int, str]]:
        yield from ((lane, rule) for lane in bits(lanes & ~self._broken))
        self._broken |= lanes

    def outstanding(self) -> dict[int, int]:
        """Return the flits of each lane whose places have not been given back."""
        total: dict[int, int] = {}
        for i, plane in enumerate(self._planes):
            for lane in bits(plane):
                total[lane] = total.get(lane, 0) + (1 << i)
        return total
