"""Functional coverage: what the runs of a bench have met, of all that they could.

Everything is read off the wires, the releases and the answers of the config port.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterator, Mapping

from syncfabric.models.layout.engine import COMMIT, Code, Kind
from syncfabric.models.messages import Counter
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.set_up import COMMIT_ADDRESS
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.lanes import LaneMasks, bits
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.recording import EngineMessages
from syncfabric.sim.drive.stepping import Chunk
from syncfabric.sim.drive.targets import targets_of

__all__ = ["Coverage", "holes", "percent", "universe"]

MOST_TOGETHER = 4


def universe(spec: MessageSpec) -> Iterator[str]:
    """Yield every bin that a network of several routers can reach, given all kinds of groups."""
    links = links_of(spec)
    for of_class in range(links.classes):
        yield from (f"{way} of class {of_class}" for way in ("up", "down", "GO"))
    shared = spec.shape.router.shared
    if links.channels:
        yield f"message {'inside a packet' if shared else 'beside a flit'}"
        yield "packets' lane without a credit"
        yield "node's link without a credit"
    if links.slots:
        yield from ("slot: message", "slots: two of a link in one cycle")
        # An engine tells its process one thing a cycle; a slot is beside it.
        yield "two registers of a node released in one cycle"
    yield from (f"{count} messages to a router in one cycle" for count in range(2, MOST_TOGETHER))
    yield "arrival in the cycle of the release"
    for what in ("SETUP", "GO"):
        if not spec.managed:
            yield f"config: {what} ok"
        yield f"config: {what} refused"
    yield from (f"config: {what} ok" for what in ("READ", "read"))
    yield from ("config: read refused", "config: write refused")
    yield from (f"counted: {name}" for name in ("REFUSED_ARRIVE", "REFUSED_WRITE"))


class Coverage:
    """Watches one run.

    Parameters
    ----------
    plan : BarrierPlan

    Attributes
    ----------
    hits : Counter of str
        How often each bin was met.
    """

    def __init__(self, plan: BarrierPlan) -> None:
        network = plan.spec.message_network
        self.hits: Tally[str] = Tally()
        self._plan, self._links, self._masks = plan, links_of(network), LaneMasks(network)
        self._registers, self._shared = network.port_registers, network.shape.router.shared
        self._layout, self._read = network.layout.sync, EngineMessages(plan).read
        self._tail = 1 << network.layout.flit.offsets["tail"]
        self._arrivals: set[tuple[int, int]] = set()  # cycle and bit of a release
        self._counts = {
            (target, address): kind
            for target, reads in enumerate(targets_of(network).reads)
            for address, kind in reads
        }
        self._chunk = Chunk(0)
        self._open = 0  # lanes in the middle of a packet

    def begin(self, chunk: Chunk) -> None:
        """Take a chunk in, before its lines."""
        self._chunk, index = chunk, self._plan.spec.network.topology.index
        for arrival in chunk.arrivals:
            if arrival.group < len(self._plan.groups):  # else it is a life's
                group = self._plan.groups[arrival.group]
                node = group.members[arrival.member]
                bit = index(node) * self._registers + group.places[node]
                self._arrivals.add((arrival.cycle, bit))

    def note(self, line: Line, full: int) -> None:
        """Take a line in; ``full`` are the lanes without a credit after it."""
        if line.answer is not None:
            self._answered(line)
        released = Tally[int]()
        for bit in bits(line.record.release):
            released[bit // self._registers] += 1
            self.hits["arrival in the cycle of the release"] += (line.cycle, bit) in self._arrivals
        if max(released.values(), default=0) > 1:
            self.hits["two registers of a node released in one cycle"] += 1
        if line.record.valid:
            self._on_links(line)
        if full & self._masks.ordinary:
            self.hits["packets' lane without a credit"] += 1
        if full & self._masks.inject:
            self.hits["node's link without a credit"] += 1

    def _on_links(self, line: Line) -> None:
        links, together, slots = self._links, Tally[int](), Tally[int]()
        valid, packets = line.record.valid, links.channels + links.setup
        for lane, payload in zip(bits(valid), line.record.payloads, strict=True):
            link, channel = divmod(lane, links.width)
            others = ((1 << links.channels) - 1) << link * links.width
            if channel < packets:
                self._open = self._open & ~(1 << lane) | (not payload & self._tail) << lane
            elif channel < packets + links.classes:
                if (self._open if self._shared else valid) & others:
                    where = "inside a packet" if self._shared else "beside a flit"
                    self.hits[f"message {where}"] += 1
                self._message(link, channel - packets, payload)
                if (end := links.ends[link]) is not None:
                    together[end[0]] += 1
            else:
                self.hits["slot: message"] += 1
                slots[link] += 1
        for count in together.values():
            if count > 1:
                self.hits[f"{count} messages to a router in one cycle"] += 1
        if max(slots.values(), default=0) > 1:
            self.hits["slots: two of a link in one cycle"] += 1

    def _message(self, link: int, of_class: int, payload: int) -> None:
        kind = Kind(self._layout.unpack(payload & (1 << self._layout.width) - 1)["kind"])
        _, up = self._read(link, of_class, payload)
        way = kind.name if kind in (Kind.GO, Kind.BROKEN) else "up" if up else "down"
        self.hits[f"{way} of class {of_class}"] += 1

    def _answered(self, line: Line) -> None:
        request = self._chunk.answered.get(line.cycle)
        if request is None or line.answer is None:
            return
        refused, data = line.answer
        what = "write" if request.write else "read"
        if request.write and request.address == COMMIT_ADDRESS:
            what = Code(COMMIT.unpack(request.data)["code"]).name
        self.hits[f"config: {what} {'refused' if refused else 'ok'}"] += 1
        kind = self._counts.get((request.node, request.address))
        if data and not refused and not request.write and kind is not None:
            self.hits[f"counted: {Counter(kind).name}"] += 1


def percent(hits: Mapping[str, int], bins: set[str]) -> float:
    """Return how much of ``bins`` was hit."""
    return 100 * sum(hits.get(name, 0) > 0 for name in bins) / len(bins)


def holes(hits: Mapping[str, int], bins: set[str]) -> list[str]:
    """Return the bins never hit, in alphabetical order."""
    return sorted(name for name in bins if not hits.get(name, 0))
