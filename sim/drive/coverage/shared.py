"""What all kinds of network can meet: releases, arrivals, the config port, counters.

Everything is read off the wires. What a message meets in a register follows from what came
before: the arrivals, the messages, and the releases at its node.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter as Tally
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from syncfabric.models.messages import COUNTER_BASE, COUNTER_BITS, Counter
from syncfabric.models.networks.spec import RegisterSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.broken import BrokenSeats
from syncfabric.sim.drive.coverage.wires import WireCoverage, wire_universe
from syncfabric.sim.drive.driver import Arrival
from syncfabric.sim.drive.lanes import LaneMasks, bits
from syncfabric.sim.drive.lines import Line
from syncfabric.sim.drive.stepping import Chunk
from syncfabric.sim.drive.targets import Targets, targets_of
from syncfabric.sim.drive.wires.notes import WireNote

__all__ = ["Coverage", "RegisterState", "counted", "shared_universe"]


def shared_universe(spec: RegisterSpec) -> Iterator[str]:
    """Yield the bins that networks of all kinds have."""
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
    for counter in Counter:
        # Shared wires alone have no strays: what is no child's or parent's link carries nothing.
        strays = spec.has_messages or spec.wires == "separate"
        if counter is not Counter.OVERFLOW and (strays or counter is not Counter.STRAY):
            yield f"counted: {counter.name}"
    yield from wire_universe(spec)


def counted(targets: Targets, target: int, value: int) -> Iterator[str]:
    """Yield the bins of the counters that are not 0 in a target's ``observe``."""
    _, counters = targets.split(target, value)
    for counter in Counter:
        if counters >> counter * COUNTER_BITS & (1 << COUNTER_BITS) - 1:
            yield f"counted: {counter.name}"


@dataclass
class RegisterState:
    """What a group's register has seen of its episode."""

    children: int
    """How many it waits for, the local process apart."""
    root: bool
    arrived: set[int] = field(default_factory=set)
    """Ports of children whose REDUCE came in."""
    local: bool = False


class Coverage(ABC):
    """Watches one run; each kind of network has its own way to look at links.

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
        spec = plan.spec.register_network
        self.hits: Tally[str] = Tally()
        self.messages = 0
        self._plan, self._topology = plan, spec.topology
        self._links, self._masks, self._targets = links_of(spec), LaneMasks(spec), targets_of(spec)
        self._per_node = spec.port_registers
        self._sync_mask = (1 << spec.layout.sync.width) - 1
        self._head = 1 << spec.layout.flit.offsets["head"]
        self._tail = 1 << spec.layout.flit.offsets["tail"]
        self._registers: dict[tuple[int, int], RegisterState] = {}
        self._gid = {
            (self._topology.index(node), place): group.id
            for group in plan.groups
            for node, place in group.places.items()
            if place is not None
        }
        self._wires = WireCoverage(plan, self.hits) if spec.wire_plane else None
        self._broken = BrokenSeats(spec)
        self._notes: deque[WireNote] = deque()
        self._requests: deque[Stimulus] = deque()
        self._arrivals: deque[Arrival] = deque()
        self._open = 0  # lanes in the middle of a packet

    def begin(self, chunk: Chunk) -> None:
        """Take a chunk's stimuli in, before its lines."""
        self._arrivals.extend(chunk.arrivals)
        self._notes.extend(note for note in chunk.notes if isinstance(note, WireNote))
        self._requests.extend(
            stimulus
            for stimulus in chunk.stimuli
            if stimulus.kind is StimulusKind.CONFIG and stimulus.index >> 12 < len(self._targets)
        )

    def note(self, line: Line, full: int, observed: Line | None = None) -> None:
        """Take a line in.

        Parameters
        ----------
        line : Line
        full : int
            The lanes without a credit after it.
        observed : Line, optional
            The line that follows.
        """
        if line.answer is not None:
            self._answered(self._requests.popleft(), bool(line.answer[0]))
        for target, value in line.observed or ():
            self._counted(target, value)
        if line.record.release:
            self._released(line)
        if self._wires is not None:
            self._look_at_wires(self._wires, line, observed)
        while self._arrivals and self._arrivals[0].cycle <= line.cycle:
            self._arrived(self._arrivals.popleft(), line)
        if line.record.valid:
            self._on_links(line)
        if full:
            self._without_credit(full)

    def _look_at_wires(self, wires: WireCoverage, line: Line, observed: Line | None) -> None:
        while self._notes and self._notes[0].cycle <= line.cycle:
            wires.noted(self._notes.popleft())
        if line.record.release and observed is not None:
            self._broken.observe(observed)
        wires.look(line, self._broken.seats)

    @abstractmethod
    def _on_links(self, line: Line) -> None:
        """Look at what is on the links."""

    @abstractmethod
    def _without_credit(self, full: int) -> None:
        """Look at the lanes without a credit."""

    def _goes_on(self, lane: int, flit: int) -> None:
        """Note whether an ordinary flit leaves its lane in the middle of a packet."""
        self._open = self._open & ~(1 << lane) | (not flit & self._tail) << lane

    def _answered(self, request: Stimulus, refused: bool) -> None:
        address = request.index & 0xFFF
        place = "nowhere"
        if address < self._per_node * 8:
            place = "register"
        elif COUNTER_BASE <= address < COUNTER_BASE + len(Counter):
            place = "counter"
        what = "write" if request.extra else "read"
        self.hits[f"config: {what} {place} {'refused' if refused else 'ok'}"] += 1

    def _counted(self, target: int, value: int) -> None:
        self.hits.update(counted(self._targets, target, value))

    def _released(self, line: Line) -> None:
        nodes: Tally[int] = Tally()
        for bit in bits(line.record.release):
            node, register = divmod(bit, self._per_node)
            nodes[node] += 1
            self._over(node, self._gid.get((node, register), -1))
        if max(nodes.values(), default=0) > 1:
            self.hits["two registers of a node released in one cycle"] += 1

    def _over(self, node: int, gid: int) -> None:
        """Note that a group's episode is over at a node."""
        state = self._registers.get((node, gid))
        if state is not None:
            if state.root:
                self.hits[f"root released with {state.children} children"] += 1
            state.arrived.clear()
            state.local = False

    def _arrived(self, arrival: Arrival, line: Line) -> None:
        group = self._plan.groups[arrival.group]
        member = group.members[arrival.member]
        node = self._topology.index(member)
        if (node, group.id) in self._registers:
            self._registers[node, group.id].local = True
        if self._wires is not None:
            self._wires.arrived(arrival)
        register = group.places[member]
        if arrival.cycle != line.cycle:
            return
        if line.record.release >> node * self._per_node + register & 1:
            self.hits["arrival in the cycle of the release"] += 1
