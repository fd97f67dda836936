"""Loads and credits of all lanes at once: counters of all lanes as bit planes of big integers.

A lane is one bit of all links' `valid`: an ordinary channel or a class of messages of a link.
Plane i holds bit i of every lane's counter, so one addition counts for all lanes.
"""

from collections.abc import Iterator, Mapping, Sequence

from syncfabric.models.networks.spec import AnySpec, MessageSpec
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.checker import Names
from syncfabric.sim.drive.trace import Line, Report, Rule, bits
from syncfabric.sim.results import Mismatch


class LaneMasks:
    """The lanes of each kind.

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
    streams : int
        Lanes of streams' words.
    """

    def __init__(self, spec: MessageSpec) -> None:
        links = links_of(spec)
        self.width = links.width
        channels = (1 << links.channels) - 1
        every = sum(1 << link * links.width for link in range(links.count))
        packets = links.channels + links.setup
        self.ordinary = every * ((1 << packets) - 1)
        self.sync = every * ((1 << links.classes) - 1 << packets)
        self.streams = every * ((1 << links.streams) - 1 << links.first_stream)
        self.eject = sum(1 << link * links.width for link in links.eject) * channels
        self.inject = sum(1 << link * links.width for link in links.inject) * channels


class Load(Rule):
    """Counts the flits of every lane."""

    def __init__(self) -> None:
        self._planes: list[int] = []

    def wires(self, line: Line) -> Sequence[Mismatch]:
        """Count one for each valid lane."""
        planes, word = self._planes, line.record.valid
        for i, plane in enumerate(planes):
            if not word:
                return ()
            planes[i], word = plane ^ word, plane & word
        if word:
            planes.append(word)
        return ()

    def counts(self) -> dict[int, int]:
        """Return the count of every lane that has one."""
        return _counts(self._planes)


def _counts(planes: Sequence[int]) -> dict[int, int]:
    total: dict[int, int] = {}
    for i, plane in enumerate(planes):
        for lane in bits(plane):
            total[lane] = total.get(lane, 0) + (1 << i)
    return total


class CreditLedger(Rule):
    """No lane ever holds more flits than its buffer has places, nor gives a place back twice.

    It looks at the wires alone. A lane that breaks the rule is reported once; at the end every
    place must have been given back.

    Parameters
    ----------
    spec : AnySpec
        The network.
    places : mapping of int to int
        Places of the buffers behind a set of lanes; lanes in no set have no credits.

    Attributes
    ----------
    held, full : int
        Lanes with some, and with all of their places taken, after the cycle noted last.
    """

    def __init__(self, spec: AnySpec, places: Mapping[int, int]) -> None:
        self._names = Names(spec)
        size = max(places.values(), default=0).bit_length() + 1
        self._planes, self._places = [0] * size, [0] * size
        for lanes, count in places.items():
            for i in bits(count):
                self._places[i] |= lanes
        self._credited = sum(places)
        self._broken = self.held = self.full = 0

    def wires(self, line: Line) -> Iterator[Mismatch]:
        """Take a cycle's flits and credits in; a place given back is free in the next cycle."""
        sent, given = line.record.valid & self._credited, line.record.credit & self._credited
        if not sent | given:
            return
        for lanes, rule in (
            (given & ~self.held, "credit without a flit"),
            (sent & self.full, "flit sent without a credit"),
        ):
            for lane in bits(lanes & ~self._broken):
                yield self._names.broken(line.cycle, lane, rule)
            self._broken |= lanes
        planes, carry, borrow = self._planes, sent & ~given, given & ~sent
        for i, plane in enumerate(planes):
            planes[i], carry = plane ^ carry, plane & carry
        for i, plane in enumerate(planes):
            planes[i], borrow = plane ^ borrow, ~plane & borrow
        self.held, self.full = 0, self._credited
        for plane, places in zip(planes, self._places, strict=True):
            self.held |= plane
            self.full &= ~(plane ^ places)

    def outstanding(self) -> dict[int, int]:
        """Return the flits of each lane whose places have not been given back."""
        return _counts(self._planes)

    def close(self, cycle: int, report: Report = None) -> Iterator[Mismatch]:
        """Yield lanes that hold flits at the end."""
        for lane, count in self.outstanding().items():
            yield self._names.broken(cycle, lane, "credits outstanding at the end", count)


def ledger_of(spec: MessageSpec) -> CreditLedger:
    """Return the ledger of a network of engines; its messages have credits where routed.

    Guarded links of streams have counts in place of credits.
    """
    masks = LaneMasks(spec)
    sync = {masks.sync: 1} if links_of(spec).credited else {}
    stream = spec.shape.router.stream
    streams = {masks.streams: stream.places} if stream and not stream.check_bits else {}
    return CreditLedger(spec, {masks.ordinary: spec.buffer_flits, **sync, **streams})
