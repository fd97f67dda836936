"""What runs on a static network can meet, read off the wires; see `sim.drive.coverage`."""

from __future__ import annotations

from collections import Counter as Tally
from collections import defaultdict, deque
from collections.abc import Iterator

from syncfabric.models.golden.record import Record
from syncfabric.models.messages import COUNTER_BASE, COUNTER_BITS, Counter
from syncfabric.models.messages.static import LoaderWord, Role, StaticWord
from syncfabric.models.networks.mesh import Port
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.models.planning.static_images import role_of
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.driving import Arrival
from syncfabric.sim.drive.lanes import bits
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.static.flow_check import FlowCheck
from syncfabric.sim.drive.static.operations import groups_of, network_of
from syncfabric.sim.drive.stepping import Chunk
from syncfabric.sim.drive.targets import targets_of

__all__ = ["StaticCoverage", "static_universe"]

PORTS = len(Port)
LONE = "an input feeds one output"
BUFFERS = ("switch", "core", "injection")


def static_universe() -> Iterator[str]:
    """Yield every bin of a static network of at least 3x3 nodes, with rings and trees."""
    yield LONE
    yield from (f"an input feeds {count} outputs" for count in (2, 3, 4))
    yield "one of several outputs without a credit"
    yield from (f"full: {buffer} buffer" for buffer in BUFFERS)
    yield "two groups in a switch in one cycle"
    yield "both ways between two switches in one cycle"
    yield from (f"passing a nonmember: {way}" for way in ("ring", "tree"))
    yield from (f"released: {role.name}" for role in Role if role is not Role.NONE)
    yield "arrival in the cycle of the release"
    for what in (
        *(f"write {word} {answer}" for word in ("ROLE", "COMMAND") for answer in ("ok", "refused")),
        *(f"{how} ok" for how in ("read ROLE", "read STATUS", "read counter", "write SHIFT")),
        *(f"{how} ok" for how in ("write STROBE", "read LENGTH")),
        *(f"{how} refused" for how in ("read COMMAND", "write STATUS", "write counter")),
        *(f"{how} refused" for how in ("read nowhere", "write nowhere", "read SHIFT")),
        *(f"read {word} refused" for word in ("STROBE", "PATIENCE")),
    ):
        yield f"config: {what}"
    yield from (f"counted: {c.name}" for c in Counter if c is not Counter.OVERFLOW)


class StaticCoverage:
    """Watches one run on a static network.

    Parameters
    ----------
    plan : BarrierPlan
    flow : FlowCheck
        The books of its links.

    Attributes
    ----------
    hits : Counter of str
        How often each bin was met.
    """

    def __init__(self, plan: BarrierPlan, flow: FlowCheck) -> None:
        network, groups = network_of(plan), groups_of(plan)
        self.hits: Tally[str] = Tally()
        self._flow, self._targets = flow, targets_of(network)
        mesh = network.topology
        self._nodes = nodes = len(mesh.nodes)
        self._role: dict[int, Role] = {}
        self._places = [[mesh.index(node) for node in group.members] for group in groups]
        self._fed: list[tuple[int, tuple[int, ...]]] = []
        """Of every input that feeds any: the link into it, and those that it leads on by."""
        self._group: dict[int, int] = {}
        """By link between switches, and into cores: its group."""
        self._passing: dict[int, str] = {}
        """Links that leave switches of nonmembers: what passes."""
        for number, group in enumerate(groups):
            self._role |= {mesh.index(node): role_of(group, node) for node in group.members}
            fed: defaultdict[int, list[int]] = defaultdict(list)
            for (x, y, port), source in group.routes().items():
                switch = mesh.index((x, y))
                link = PORTS * switch + port
                before = mesh.neighbour((x, y), source)
                into = PORTS * nodes + switch
                if source is not Port.LOCAL:
                    assert before is not None
                    into = PORTS * mesh.index(before) + source.opposite
                fed[into].append(link)
                self._group[link] = number
                if (x, y) not in group.members:
                    self._passing[link] = "ring" if group.flits is None else "tree"
            self._fed += [(into, tuple(links)) for into, links in fed.items()]
        step = {Port.EAST: 1, Port.NORTH: mesh.width}
        self._pairs = [
            (PORTS * switch + port, PORTS * (switch + ahead) + port.opposite)
            for switch, (x, y) in enumerate(mesh.nodes)
            for port, ahead in step.items()
            if mesh.neighbour((x, y), port) is not None
        ]
        self._requests: deque[Stimulus] = deque()
        self._arrivals: deque[Arrival] = deque()

    def begin(self, chunk: Chunk) -> None:
        """Take a chunk's stimuli in, before its lines."""
        self._arrivals.extend(chunk.arrivals)
        self._requests.extend(
            stimulus for stimulus in chunk.stimuli if stimulus.kind is StimulusKind.CONFIG
        )

    def note(self, line: Line) -> None:
        """Take a line in, when the books have it."""
        if line.answer is not None:
            self._answered(self._requests.popleft(), bool(line.answer[0]))
        for _, value in line.observed or ():
            _, counters = self._targets.split(value)
            for counter in Counter:
                if counters >> counter * COUNTER_BITS & (1 << COUNTER_BITS) - 1:
                    self.hits[f"counted: {counter.name}"] += 1
        for node in bits(line.record.release):
            self.hits[f"released: {self._role.get(node, Role.NONE).name}"] += 1
        while self._arrivals and self._arrivals[0].cycle <= line.cycle:
            self._arrived(self._arrivals.popleft(), line)
        if line.record.valid:
            self._on_links(line.record)

    def _on_links(self, record: Record) -> None:
        valid, hits = record.valid, self.hits
        for into, links in self._fed:
            moved = sum(valid >> link & 1 for link in links)
            if moved == len(links):
                hits[LONE if moved == 1 else f"an input feeds {moved} outputs"] += 1
            elif self._flow.held(into):
                full = sum(map(self._flow.full, links))
                hits["one of several outputs without a credit"] += 0 < full < len(links)
        switches: defaultdict[int, set[int]] = defaultdict(set)
        for link in bits(valid):
            if self._flow.full(link):
                core = link % PORTS == Port.LOCAL and link < PORTS * self._nodes
                buffer = "core" if core else "switch"
                hits[f"full: {'injection' if link >= PORTS * self._nodes else buffer} buffer"] += 1
            if link in self._group:
                switches[link // PORTS].add(self._group[link])
            if link in self._passing:
                hits[f"passing a nonmember: {self._passing[link]}"] += 1
        if any(len(groups) > 1 for groups in switches.values()):
            hits["two groups in a switch in one cycle"] += 1
        if any(valid >> there & valid >> back & 1 for there, back in self._pairs):
            hits["both ways between two switches in one cycle"] += 1

    def _answered(self, request: Stimulus, refused: bool) -> None:
        target, address = request.index >> 12, request.index & 0xFFF
        words = StaticWord if target < self._nodes else LoaderWord
        place = "nowhere"
        if address < len(words):
            place = words(address).name
        elif target < self._nodes and COUNTER_BASE <= address < COUNTER_BASE + len(Counter):
            place = "counter"
        what = "write" if request.extra else "read"
        self.hits[f"config: {what} {place} {'refused' if refused else 'ok'}"] += 1

    def _arrived(self, arrival: Arrival, line: Line) -> None:
        node = self._places[arrival.group][arrival.member]
        if arrival.cycle == line.cycle and line.record.release >> node & 1:
            self.hits["arrival in the cycle of the release"] += 1
