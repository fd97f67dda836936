"""What is on the links of a network in a cycle, in words of barriers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import LinkName, links_of
from syncfabric.sim.drive.log import EngineMessages
from syncfabric.sim.drive.trace import Line, bits
from syncfabric.sim.report.film import Kind

__all__ = ["KINDS", "Carried", "Carrier", "carrier_of"]

REDUCE = Kind("reduce: all below have arrived", "var(--up)")
DISTRIBUTE = Kind("distribute: go on", "var(--down)")
OTHER = Kind("flits of packets", "var(--packet)", "none")
NOTIFY = Kind("notify: all before have arrived", "var(--up)")
RELEASE = Kind("release: go on", "var(--down)")
FILLER = Kind("filler", "var(--packet)", "none")
FLIT = Kind("flit", "var(--up)")
LAST = Kind("last flit: go on", "var(--down)")
KINDS = (REDUCE, NOTIFY, FLIT, DISTRIBUTE, RELEASE, LAST, FILLER, OTHER)
"""In the order of a legend."""


class Carried(NamedTuple):
    """Something on a link; ``group`` is a group's place in the plan, -1 if it is of none."""

    link: LinkName
    kind: Kind
    group: int


class Carrier(Protocol):
    """Reads the lines of a run, all of them in order."""

    def note(self, line: Line) -> Iterator[Carried]:
        """Yield what a line shows."""


def carrier_of(plan: BarrierPlan) -> Carrier:
    """Return what reads the lines of a plan's network."""
    network = plan.spec.network
    if isinstance(network, StaticSpec):
        return _Flits(plan, network)
    return _Messages(plan)


class _Messages:
    """Packets' flits, and barrier messages: those between engines, and those in slots of wires."""

    def __init__(self, plan: BarrierPlan) -> None:
        network = plan.spec.message_network
        self._links = links_of(network)
        self._read = EngineMessages(plan).read

    def note(self, line: Line) -> Iterator[Carried]:
        links, seen = self._links, set()
        for lane, payload in zip(bits(line.record.valid), line.record.payloads, strict=True):
            link, channel = divmod(lane, links.width)
            name = links.names[link]
            if name is None:
                continue
            of_class = channel - links.channels - links.setup
            if of_class < 0:
                if link not in seen:  # one flit in sight is enough
                    yield Carried(name, OTHER, -1)
                seen.add(link)
                continue
            group, up = self._read(link, of_class, payload)
            yield Carried(name, REDUCE if up else DISTRIBUTE, group)


class _Flits:
    """Flits of rings and trees: what one is, its number on its link tells.

    A ring's stream is its first fillers, then notify, release and fillers for each episode (paper
    Reflex, Algorithm 1); a tree's the flits of each episode, the last of which releases.
    """

    def __init__(self, plan: BarrierPlan, network: StaticSpec) -> None:
        self._fillers, self._sent = network.core_buffer, Counter[int]()
        self._links = links_of(network)
        self._groups: dict[int, tuple[int, int | None]] = {}
        for number, group in enumerate(plan.groups):
            for x, y, port in group.routes():
                link = len(Port) * network.topology.index((x, y)) + port
                self._groups[link] = number, group.flits

    def note(self, line: Line) -> Iterator[Carried]:
        for link in bits(line.record.valid):
            name = self._links.names[link]
            if name is None or link not in self._groups:
                continue
            group, flits = self._groups[link]
            number = self._sent[link]
            self._sent[link] += 1
            yield Carried(name, self._kind(number, flits), group)

    def _kind(self, number: int, flits: int | None) -> Kind:
        if flits is not None:
            return LAST if number % flits == flits - 1 else FLIT
        if number < self._fillers:
            return FILLER
        return (NOTIFY, RELEASE, *[FILLER] * self._fillers)[
            (number - self._fillers) % (self._fillers + 2)
        ]
