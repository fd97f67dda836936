"""Counting what passes on every lane at once: counters stood on end in big integers.

A lane is one bit of all links' `valid`: an ordinary channel or a synchronization class of a link.
Plane i holds bit i of every lane's counter, so one addition counts for all lanes.
"""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.sim.assemble.probe import bits_a_link, link_count

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
    spec : MeshSpec
        The network.

    Attributes
    ----------
    ordinary, sync : int
        Lanes of ordinary channels and of synchronization.
    eject, inject : int
        Ordinary lanes to and from the nodes.
    """

    def __init__(self, spec: MeshSpec) -> None:
        width, links = bits_a_link(spec), link_count(spec)
        nodes = links // 6
        channels = (1 << spec.channels) - 1
        every = sum(1 << link * width for link in range(links))
        outputs = sum(1 << (5 * node + Port.LOCAL) * width for node in range(nodes))
        self.ordinary = every * channels
        self.sync = every * (3 << spec.channels)
        self.eject = outputs * channels
        self.first_injection = 5 * nodes * width
        self.inject = self.ordinary >> self.first_injection << self.first_injection
        self.width = width


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
    spec : MeshSpec
        The network: its buffers hold ``buffer_flits``, a synchronization slot one.

    Attributes
    ----------
    full : int
        Lanes all of whose places are taken after the cycle noted last.
    """

    def __init__(self, spec: MeshSpec) -> None:
        self._masks = LaneMasks(spec)
        self._places = spec.buffer_flits
        self._planes = [0] * (spec.buffer_flits.bit_length() + 1)
        self._broken = 0
        self.full = 0

    def note(self, valid: int, credit: int) -> Iterator[tuple[int, str]]:
        """Take a cycle in; yield (lane, rule) for every rule that is broken in it."""
        planes = self._planes
        carry, borrow = valid & ~credit, credit & ~valid  # one of each cancel out
        for i, plane in enumerate(planes):
            planes[i], carry = plane ^ carry, plane & carry
        for i, plane in enumerate(planes):
            planes[i], borrow = plane ^ borrow, ~plane & borrow
        above, equal = 0, self._masks.ordinary
        for i in reversed(range(len(planes))):
            if self._places >> i & 1:
                equal &= planes[i]
            else:
                above |= equal & planes[i]
                equal &= ~planes[i]
        sync = self._masks.sync
        for plane in planes[1:]:
            above |= plane & sync
        self.full = equal | planes[0] & sync
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
