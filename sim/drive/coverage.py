"""Functional coverage: what the runs of a bench have met, of all that they could.

Everything is read off the wires. What a message meets in a register follows from what came
before: the arrivals, the messages, and the releases at its node.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from syncfabric.models.messages import COUNTER_BASE, COUNTER_BITS, SPILL_BASE, Counter, Kind
from syncfabric.models.networks.mesh import Port, Turn
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.driver import Arrival
from syncfabric.sim.drive.lanes import LaneMasks, bits
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.session import Chunk

__all__ = ["Coverage", "holes", "percent", "universe"]

_PORTS = (Port.EAST, Port.NORTH, Port.WEST, Port.SOUTH)
_STATES = ("idle", "children", "local", "children and local")


def universe(spec: MeshSpec) -> Iterator[str]:
    """Yield every bin that a network can reach, given groups and traffic of all kinds.

    Parameters
    ----------
    spec : MeshSpec
        The network; a mesh of at least 3x3 nodes.
    """
    shared = spec.sync_links == "shared"
    for port in _PORTS:
        across = port in (Port.EAST, Port.WEST)
        for turn in Turn:
            if spec.reduction_route == "paper" or across == (turn == Turn.Y_FIRST):
                yield _met(Kind.REDUCE, port, turn, "here")
            yield _met(Kind.DISTRIBUTE, port, turn, "here")
            for kind in (Kind.REDUCE, Kind.DISTRIBUTE):
                yield _met(kind, port, turn, "passing")
            yield f"no credit: {port.name} class {turn:d}"
        yield from (f"REDUCE by {port.name} meets {state}" for state in _STATES)
        yield f"no credit: {port.name} ordinary"
        word = "inside a packet" if shared else "beside a flit"
        yield f"message {word}: {port.name}"
    yield from (f"two heads for {port.name} in one cycle" for port in Port)
    yield "no credit: inject"
    for children in range(5):
        yield f"DISTRIBUTE with {children} children"
        yield f"root released with {children} children"
    yield from (f"{count} messages to a node in one cycle" for count in (2, 3, 4))
    yield "two registers of a node released in one cycle"
    yield "arrival in the cycle of the release"
    for what in (
        "write register ok",
        "write register refused",
        "read register ok",
        "write counter refused",
        "read counter ok",
        "write nowhere refused",
        "read nowhere refused",
    ):
        yield f"config: {what}"
    yield from (f"counted: {c.name}" for c in Counter if c is not Counter.OVERFLOW)
    if spec.spill:
        yield from (f"spilled {kind.name}" for kind in (Kind.REDUCE, Kind.DISTRIBUTE))
        yield "spilled release"
        yield "spilled and other release of a node in one cycle"
        yield "config: write spilled ok"
        yield "config: read spilled ok"


def percent(hits: Mapping[str, int], bins: set[str]) -> float:
    """Return how much of ``bins`` was hit."""
    return 100 * sum(hits.get(name, 0) > 0 for name in bins) / len(bins)


def holes(hits: Mapping[str, int], bins: set[str]) -> list[str]:
    """Return the bins never hit, in alphabetical order."""
    return sorted(name for name in bins if not hits.get(name, 0))


def _met(kind: Kind, port: Port, turn: int, where: str) -> str:
    return f"{kind.name} {where} by {port.name} class {turn}"


@dataclass
class _Register:
    """What a group's register at a node has seen of its episode."""

    children: int
    root: bool
    spilled: bool
    arrived: set[Port] = field(default_factory=set)
    local: bool = False


class Coverage:
    """Watches one run.

    Parameters
    ----------
    plan : BarrierPlan

    Attributes
    ----------
    hits : Counter of str
        How often each bin was met; all its names are of ``universe`` or need no looking for.
    messages : int
        Synchronization messages that came to their destination.
    """

    def __init__(self, plan: BarrierPlan) -> None:
        spec = self._spec = plan.spec.network
        self._plan, self._mesh, self._masks = plan, spec.mesh, LaneMasks(spec)
        self._sync_mask = (1 << spec.layout.sync.width) - 1
        self._head = 1 << spec.layout.flit.offsets["head"]
        self._tail = 1 << spec.layout.flit.offsets["tail"]
        self.hits: Tally[str] = Tally()
        self.messages = 0
        self._registers: dict[tuple[int, int], _Register] = {}
        self._gid: dict[tuple[int, int], int] = {}
        for group in plan.groups:
            for register in group.registers():
                node = self._mesh.index(register.node)
                place = group.places[register.node]
                children = sum(child is not None for child in register.children)
                self._registers[node, group.id] = _Register(
                    children, register.parent is None, place is None
                )
                if place is not None:
                    self._gid[node, place] = group.id
        self._requests: deque[Stimulus] = deque()
        self._arrivals: deque[Arrival] = deque()
        self._open = 0  # lanes in the middle of a packet

    def begin(self, chunk: Chunk) -> None:
        """Take a chunk's stimuli in, before its lines."""
        nodes = len(self._mesh.nodes)
        self._arrivals.extend(chunk.arrivals)
        self._requests.extend(
            stimulus
            for stimulus in chunk.stimuli
            if stimulus.kind is StimulusKind.CONFIG and stimulus.index >> 12 < nodes
        )

    def note(self, line: Line, full: int) -> None:
        """Take a line in; ``full`` are the lanes without a credit after it."""
        if line.answer is not None:
            self._answered(self._requests.popleft(), bool(line.answer[0]))
        for node, value in line.observed or ():
            self._counted(node, value)
        if line.record.release or line.record.spill:
            self._released(line)
        while self._arrivals and self._arrivals[0].cycle <= line.cycle:
            self._arrived(self._arrivals.popleft(), line)
        if line.record.valid:
            self._links(line)
        if full:
            self._without_credit(full)

    def _answered(self, request: Stimulus, refused: bool) -> None:
        address = request.index & 0xFFF
        place = "nowhere"
        if address < self._spec.barrier_registers * 8:
            place = "register"
        elif COUNTER_BASE <= address < COUNTER_BASE + len(Counter):
            place = "counter"
        elif address >= SPILL_BASE and self._spec.spill:
            place = "spilled"
        what = "write" if request.extra else "read"
        self.hits[f"config: {what} {place} {'refused' if refused else 'ok'}"] += 1

    def _counted(self, node: int, value: int) -> None:
        value >>= self._spec.barrier_registers * (12 + 2 * self._spec.data_bits)
        for counter in Counter:
            if value >> counter * COUNTER_BITS & (1 << COUNTER_BITS) - 1:
                self.hits[f"counted: {counter.name}"] += 1

    def _released(self, line: Line) -> None:
        nodes: Tally[int] = Tally()
        for bit in bits(line.record.release):
            node, register = divmod(bit, self._spec.barrier_registers)
            nodes[node] += 1
            self._over(node, self._gid.get((node, register), -1))
        if max(nodes.values(), default=0) > 1:
            self.hits["two registers of a node released in one cycle"] += 1
        for node, gid, _ in line.record.spill:
            self.hits["spilled release"] += 1
            if nodes[node]:
                self.hits["spilled and other release of a node in one cycle"] += 1
            self._over(node, gid)

    def _over(self, node: int, gid: int) -> None:
        state = self._registers.get((node, gid))
        if state is not None:
            if state.root:
                self.hits[f"root released with {state.children} children"] += 1
            state.arrived.clear()
            state.local = False

    def _arrived(self, arrival: Arrival, line: Line) -> None:
        group = self._plan.groups[arrival.group]
        node = self._mesh.index(group.members[arrival.member])
        self._registers[node, group.id].local = True
        register = group.places[group.members[arrival.member]]
        if arrival.cycle == line.cycle and register is not None:
            bit = node * self._spec.barrier_registers + register
            if line.record.release >> bit & 1:
                self.hits["arrival in the cycle of the release"] += 1

    def _links(self, line: Line) -> None:
        valid, channels = line.record.valid, self._spec.channels
        messages: Tally[int] = Tally()
        heads: Tally[tuple[int, Port]] = Tally()
        beside = valid & self._masks.ordinary
        for lane, flit in zip(bits(valid), line.record.payloads, strict=True):
            link, channel = divmod(lane, self._masks.width)
            node, port = self._arrives(link)
            if channel < channels:
                if flit & self._head and node is not None:
                    heads[node, self._route(node, flit)] += 1
                self._open = self._open & ~(1 << lane) | (not flit & self._tail) << lane
                continue
            out = Port(link % 5)
            others = ((1 << channels) - 1) << link * self._masks.width
            if self._spec.sync_links == "own":
                if beside & others:
                    self.hits[f"message beside a flit: {out.name}"] += 1
            elif self._open & others:
                self.hits[f"message inside a packet: {out.name}"] += 1
            if node is not None:
                messages[node] += 1
                self._message(node, port, flit & self._sync_mask)
        for count in messages.values():
            if count > 1:
                self.hits[f"{count} messages to a node in one cycle"] += 1
        for (_, wanted), count in heads.items():
            if count > 1:
                self.hits[f"two heads for {wanted.name} in one cycle"] += 1

    def _arrives(self, link: int) -> tuple[int | None, Port]:
        """Return the router that a link leads to (None: it leads to a node), and by which port."""
        nodes = len(self._mesh.nodes)
        if link >= 5 * nodes:
            return link - 5 * nodes, Port.LOCAL
        out = Port(link % 5)
        to = self._mesh.neighbour(self._mesh.node(link // 5), out)
        return (None if out is Port.LOCAL or to is None else self._mesh.index(to)), out.opposite

    def _route(self, node: int, flit: int) -> Port:
        layout = self._spec.layout
        x = flit & (1 << layout.x_bits) - 1
        y = flit >> layout.x_bits & (1 << layout.y_bits) - 1
        return self._mesh.first_port(self._mesh.node(node), (x, y), Turn.X_FIRST)

    def _message(self, node: int, port: Port, raw: int) -> None:
        message = self._spec.layout.sync.unpack(raw)
        kind = Kind(message["kind"])
        if self._mesh.index((message["x"], message["y"])) != node:
            self.hits[_met(kind, port, message["turn"], "passing")] += 1
            return
        self.messages += 1
        self.hits[_met(kind, port, message["turn"], "here")] += 1
        state = self._registers.get((node, message["gid"]))
        if state is None:
            return
        if state.spilled:
            self.hits[f"spilled {kind.name}"] += 1
        if kind is Kind.DISTRIBUTE:
            self.hits[f"DISTRIBUTE with {state.children} children"] += 1
        else:
            meets = _STATES[bool(state.arrived) + 2 * state.local]
            self.hits[f"REDUCE by {port.name} meets {meets}"] += 1
            state.arrived.add(port)

    def _without_credit(self, full: int) -> None:
        nodes = len(self._mesh.nodes)
        for lane in bits(full):
            link, channel = divmod(lane, self._masks.width)
            if link >= 5 * nodes:
                self.hits["no credit: inject"] += 1
                continue
            kind = channel - self._spec.channels
            what = "ordinary" if kind < 0 else f"class {kind}"
            self.hits[f"no credit: {Port(link % 5).name} {what}"] += 1
