"""What must hold of packets, checked by what was put and the injection and ejection links alone."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from syncfabric.models.networks.irregular import Place
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.lanes import LaneMasks
from syncfabric.sim.drive.packets import Assembler, Inbox, OnLane, Packet
from syncfabric.sim.drive.scenario import NUMBER_BITS, Crossing, Outcome
from syncfabric.sim.drive.trace import Act, Line, MemberStep, Put, Report, Rule, StepKind
from syncfabric.sim.results import Mismatch

FLITS = 5
"""Of the generator's packets: header, source, cycle of creation, number, and a check word."""
NOWHERE = -1


class Delivery(NamedTuple):
    """Where a packet comes out.

    Parameters
    ----------
    node : int or None
        Number of the node; None if it ends in a switch's sink, or nowhere.
    flits : tuple of int
        What comes out, as on the wires.
    steps : tuple
        The ports on the path, as far as the packet chooses them.
    """

    node: int | None
    flits: tuple[int, ...]
    steps: tuple[Place, ...]


def delivery_of(spec: MessageSpec, node: int, flits: Sequence[int]) -> Delivery:
    """Return the delivery of a packet that a node sends (docs/microarchitecture-networks.md).

    ``flits`` are those on its link.
    """
    find = {"source": _routed}.get(spec.shape.router.routing, _addressed)
    return find(spec, node, flits)


def _addressed(spec: MessageSpec, node: int, flits: Sequence[int]) -> Delivery:
    """Return the delivery of a packet that names its destination."""
    header = flits[0] & (1 << spec.layout.header.width) - 1
    end = spec.shape.node_of(header)
    steps = () if end is None else (spec.shape.nodes[end],)
    return Delivery(end, tuple(flits), steps)


def _routed(spec: MessageSpec, node: int, flits: Sequence[int]) -> Delivery:
    """Return the delivery of a source-routed packet (docs/microarchitecture-engine.md, R3)."""
    shape, width = spec.shape, spec.layout.header.fields[0].width
    left = flits[0] & (1 << spec.flit_bits) - 1
    beside = flits[0] ^ left
    place, steps = shape.nodes[node], list[Place]()
    while left or place not in steps:  # without a route it goes round
        router, entered = place
        outputs, output = shape.router.outputs[entered], left & (1 << width) - 1
        output, left = output if output in outputs else outputs[-1], left >> width
        place = router, output
        if place in shape.node_at:
            return Delivery(shape.node_at[place], (beside | left, *flits[1:]), (*steps, place))
        if place not in shape.ends:
            break
        steps.append(place)
        place = shape.ends[place]
    return Delivery(None, (), tuple(steps))


@dataclass
class _Put:
    """A packet of software, as far as it has been put."""

    channel: int
    flits: list[int] = field(default_factory=list)


@dataclass
class _Sent:
    """A packet that has been injected, and what shall come out of it."""

    source: int
    line: tuple[object, ...]
    """Packets with the same one stay in order: source, channel, path."""
    flits: tuple[int, ...]
    injected: int
    created: int | None
    """By the generator; None: software put it."""


class PacketCheck(Rule):
    """Every packet comes out once, whole, in order, unchanged, at the right node.

    With adaptive routing packets may overtake each other. Packets of nodes' software are those that
    were put; all others must be the generator's.

    Parameters
    ----------
    spec : MessageSpec
        The network.

    Attributes
    ----------
    injected, put : int
        Packets of the generator, and of software, that were injected.
    ejected, flits_out : int
        Packets that came out as they must, and flits ejected.
    latency, network_latency : list of int
        Of each packet of the generator: created to tail ejected, and head injected to tail ejected.
    """

    def __init__(self, spec: MessageSpec) -> None:
        masks, links = LaneMasks(spec), links_of(spec)
        self._spec, self._eject, self._links = spec, masks.eject, links
        self._ordered = spec.shape.router.routing != "adaptive"
        self._entering, self._leaving = (
            Assembler(spec, lanes) for lanes in (masks.inject, masks.eject)
        )
        self._node_of = {link: node for node, link in enumerate(links.eject)}
        self._payload = (1 << spec.flit_bits) - 1
        self._head = 1 << spec.layout.flit.offsets["head"]
        # A flit may be narrower than a cycle's number: times are told apart modulo this.
        self._wrap = 1 << min(32, spec.flit_bits)
        self._waiting: dict[int, deque[_Put]] = {}
        self._unclosed: dict[int, _Put] = {}
        self._sent: dict[int, list[_Sent]] = {}
        self._numbers = set[tuple[int, int]]()  # source and number of the generator's in flight
        self._used = False
        self.injected = self.put = self.ejected = self.flits_out = 0
        self.latency: list[int] = []
        self.network_latency: list[int] = []

    def act(self, act: Act) -> Sequence[Mismatch]:
        """Take a flit in that is put."""
        if isinstance(act, Put):
            self._used = True
            packet = self._unclosed.get(act.node)
            if packet is None:
                packet = self._unclosed[act.node] = _Put(act.channel)
                self._waiting.setdefault(act.node, deque()).append(packet)
            fields = {"payload": act.payload & self._payload, "head": act.head, "tail": act.tail}
            packet.flits.append(self._spec.layout.flit.pack(fields))
            if act.tail:
                del self._unclosed[act.node]
        return ()

    def wires(self, line: Line) -> Iterator[Mismatch]:
        """Follow the packets that enter and leave in a cycle."""
        self.flits_out += (line.record.valid & self._eject).bit_count()
        for packet in self._entering.note(line.cycle, line.record):
            yield from self._inject(packet)
        for packet in self._leaving.note(line.cycle, line.record):
            yield from self._ejected(packet)

    def _inject(self, packet: OnLane) -> Iterator[Mismatch]:
        """Put a packet in flight; the source is hardware too, and is not trusted."""
        lane, first, last, flits = packet
        link, channel = divmod(lane, self._links.width)
        node, created = link - self._links.inject[0], None
        waiting = self._waiting.get(node)
        if waiting and (waiting[0].channel, tuple(waiting[0].flits)) == (channel, flits):
            waiting.popleft()
            self.put += 1
        else:
            heads = [bool(flit & self._head) for flit in flits]
            if heads != [True] + [False] * (FLITS - 1):
                yield self._wrong(last, node, "injected: head first, tail fifth", _text(flits))
                return
            _, source, created, number = (word & self._payload for word in flits[:4])
            created = last - (last - created) % self._wrap
            if source != node:
                yield self._wrong(last, node, "injected: word 1 is the source", source)
            if (node, number) in self._numbers:
                yield self._wrong(last, node, "injected: packet's number is new", number)
            self._numbers.add((node, number))
            self.injected += 1
        end = delivery_of(self._spec, node, flits)
        if end.node is not None or created is not None:
            to = NOWHERE if end.node is None else end.node
            sent = _Sent(node, (node, channel, end.steps), end.flits, first, created)
            self._sent.setdefault(to, []).append(sent)

    def _ejected(self, packet: OnLane) -> Iterator[Mismatch]:
        lane, _, cycle, flits = packet
        node = self._node_of[lane // self._links.width]
        expected = self._sent.get(node, [])
        place = next((i for i, sent in enumerate(expected) if sent.flits == flits), None)
        if place is None:
            yield self._wrong(cycle, node, "ejected: a packet on its way here", _text(flits))
            return
        sent = expected.pop(place)
        if self._ordered and any(other.line == sent.line for other in expected[:place]):
            yield self._wrong(cycle, node, "ejected: in order", _text(flits))
        self.ejected += 1
        if sent.created is not None:
            self._numbers.discard((sent.source, flits[3] & self._payload))
            self.latency.append(cycle - sent.created)
            self.network_latency.append(cycle - sent.injected)

    def _wrong(self, cycle: int, node: int, rule: str, seen: int | str) -> Mismatch:
        return Mismatch(cycle, self._spec.topology.node(node), rule, seen, None)

    def lost(self) -> Iterator[tuple[int, int]]:
        """Yield (source, destination) of packets that went in, or were put, and never came out."""
        for node, expected in self._sent.items():
            yield from ((sent.source, node) for sent in expected)
        for lane in self._entering.open:
            yield lane // self._links.width - self._links.inject[0], NOWHERE
        for source, waiting in self._waiting.items():
            yield from ((source, NOWHERE) for _ in waiting)

    def close(self, cycle: int, report: Report = None) -> Iterator[Mismatch]:
        """Yield the packets lost, and what the sources and sinks counted otherwise."""
        for source, destination in self.lost():
            yield self._wrong(cycle, source, "lost packet's destination", destination)
        if report is None or not self._spec.channels:
            return
        created, sent, overflow, packets, flits, errors = (
            -1 if -1 in column else sum(column)
            for column in zip(*(row[:6] for row in report), strict=True)
        )
        for name, seen, wanted in (
            ("packets sent, of those created", sent, created - overflow),
            ("packets that did not fit a source's queue", overflow, 0),
            ("packets that the sinks counted", packets, self.ejected),
            ("flits that the sinks counted", flits, self.flits_out),
            # The sinks know the generator's packets only.
            ("flits that the sinks found wrong", min(errors, 0) if self._used else errors, 0),
        ):
            if seen != wanted or seen < 0:
                yield Mismatch(cycle, None, name, seen if seen >= 0 else "unknown bits", wanted)


def _text(flits: Sequence[int]) -> str:
    return " ".join(map(hex, flits))


class CauseCheck(Rule):
    """A member goes on only when it can know that all have arrived, and once an episode.

    It can know of an arrival that is its own, or that a packet has reported: one that went, on
    the wires, from a node where the arrival was known already. So a program that waits for too
    few packets is found out even when it goes on late enough by chance.

    Parameters
    ----------
    plan : BarrierPlan
        With one group.
    """

    def __init__(self, plan: BarrierPlan) -> None:
        network = plan.spec.message_network
        self._inbox = Inbox(network)
        self._mask = (1 << min(32, network.flit_bits)) - 1
        self._members = members = plan.groups[0].members
        self._member_at = {network.topology.index(node): i for i, node in enumerate(members)}
        self._known = [[0] * len(members) for _ in members]
        """By member: of each member's arrivals, how many it can know of."""
        self._released = [0] * len(members)
        self._unclosed: dict[int, list[int]] = {}
        self._fresh: deque[Packet] = deque()
        self._carried: dict[tuple[int, ...], deque[tuple[int, ...]]] = {}

    def act(self, act: Act) -> Iterator[Mismatch]:
        """Take in a flit that is put, or a member's step; in a cycle, steps come first."""
        if isinstance(act, Put):
            self._put(act)
        elif isinstance(act, MemberStep):
            yield from self._step(act)

    def _put(self, put: Put) -> None:
        """Take in a flit that is put: a packet carries what its node knows at the tail."""
        self._receive(put.cycle)
        payloads = self._unclosed.setdefault(put.node, [])
        payloads.append(put.payload & self._mask)
        if put.tail:
            packet = tuple(self._unclosed.pop(put.node))
            if put.node in self._member_at:
                known = tuple(self._known[self._member_at[put.node]])
                self._carried.setdefault(packet, deque()).append(known)

    def wires(self, line: Line) -> Sequence[Mismatch]:
        """Take in what has come out in a cycle."""
        self._inbox.note(line.cycle, line.record)
        self._fresh.extend(self._inbox.take())
        return ()

    def _receive(self, now: int) -> None:
        """Let members know what came out before a cycle."""
        while self._fresh and self._fresh[0].cycle < now:
            packet = self._fresh.popleft()
            carried, member = self._carried.get(packet.payloads), self._member_at.get(packet.node)
            if carried and member is not None:
                self._learn(member, carried.popleft())

    def _learn(self, member: int, known: tuple[int, ...]) -> None:
        self._known[member] = list(map(max, self._known[member], known))

    def _step(self, step: MemberStep) -> Iterator[Mismatch]:
        """Take in a member's step; yield what breaks a rule."""
        self._receive(step.cycle)
        member = step.member
        known = self._known[member]
        if step.kind is StepKind.ARRIVE:
            known[member] += 1
        elif step.kind is StepKind.NOTIFY:
            for other in range(len(self._members)):
                self._learn(other, tuple(known))
        else:
            self._released[member] += 1
            episode, node = self._released[member], self._members[member]
            if episode > known[member]:
                rule = "releases of a member, of its arrivals"
                yield Mismatch(step.cycle, node, rule, episode, known[member])
            elif min(known) < episode:
                rule = "arrivals that a released member can have received"
                seen = sum(count >= episode for count in known)
                yield Mismatch(step.cycle, node, rule, seen, len(known))

    def close(self, cycle: int, report: Report = None) -> Iterator[Mismatch]:
        """Check the end: every process that arrived has been released."""
        for member, (node, released) in enumerate(zip(self._members, self._released, strict=True)):
            if released < self._known[member][member]:
                rule = "releases of a member at the end"
                yield Mismatch(cycle, node, rule, released, self._known[member][member])


class PacketTrace(Rule):
    """Collects the crossings of packets that have their number in their last flit.

    Parameters
    ----------
    spec : MessageSpec

    Attributes
    ----------
    seen : list of Crossing
        In the order of their tails.
    """

    def __init__(self, spec: MessageSpec) -> None:
        masks = LaneMasks(spec)
        self._width, self._packets = masks.width, Assembler(spec, masks.ordinary)
        self.seen: list[Crossing] = []

    def wires(self, line: Line) -> Sequence[Mismatch]:
        """Take a cycle in."""
        for lane, first, last, flits in self._packets.note(line.cycle, line.record):
            number = flits[-1] & (1 << NUMBER_BITS) - 1
            self.seen.append(Crossing(number, lane // self._width, first, last))
        return ()

    def report(self, outcome: Outcome) -> None:
        """Add the crossings."""
        if outcome.replay is not None:
            outcome.replay.crossings = self.seen
