"""The log of a run: a row for every packet, message and flit that a static network delivers."""

import csv
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, TextIO

from syncfabric.models.layout.engine import Kind
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.lanes import LaneMasks
from syncfabric.sim.drive.scenario import Outcome
from syncfabric.sim.drive.targets import name_of
from syncfabric.sim.drive.trace import Line, Rule, bits, flits_on
from syncfabric.sim.results import Mismatch


class _Hop(NamedTuple):
    """A link, and the receiver of a message there; routed ones have a class."""

    link: int
    channel_class: int
    router: int
    entry: int


class EngineMessages:
    """The messages of a plan's groups on every link.

    Parameters
    ----------
    plan : BarrierPlan
    """

    def __init__(self, plan: BarrierPlan) -> None:
        network = plan.spec.message_network
        self._shape, self._layout = network.shape, network.layout.sync
        self._routed = self._shape.router.layout.routed
        self._links = links_of(network)
        self._found: dict[_Hop, tuple[int, set[bool]]] = {}
        self._in_slot: dict[tuple[int, int], tuple[int, bool]] = {}
        for number, group in enumerate(plan.engine_groups):
            for hop, up in self._hops(group):
                if group.slot_register is None:
                    self._found.setdefault(hop, (number, set()))[1].add(up)
                else:  # a link of a tree of links leads up or down, never both
                    slot = hop.entry - self._shape.router.layout.entries
                    self._in_slot[hop.link, slot] = number, up
        self._risen = set[_Hop]()

    def read(self, link: int, channel_class: int, payload: int) -> tuple[int, bool]:
        """Return a message's group, by its place in the plan or -1, and whether it goes up.

        Its lane's class is given; slots count on from the classes.
        """
        slot = channel_class - self._links.classes
        if slot >= 0:
            return self.in_slot(link, slot)
        message = self._layout.unpack(payload & (1 << self._layout.width) - 1)
        router, grid = -1, self._shape.router.grid
        if self._routed and grid:
            router = grid.router([message[name] for name in grid.names]) or 0
            channel_class %= 2  # behind datelines it is 2 or 3
        hop = _Hop(link, channel_class, router, message["entry"])
        group, directions = self._found.get(hop, (-1, {False}))
        if len(directions) == 1:
            return group, True in directions
        # Routed from a child and from the parent to one port: by turns, the child first (L2.12).
        if message["kind"] in (Kind.GO, Kind.BROKEN):
            self._risen.discard(hop)
            return group, False
        self._risen ^= {hop}
        return group, hop in self._risen

    def in_slot(self, link: int, slot: int) -> tuple[int, bool]:
        """Return the same of what a slot, or its stream, has on a link."""
        return self._in_slot.get((link, slot), (-1, False))

    def _hops(self, group: GroupPlan) -> Iterator[tuple[_Hop, bool]]:
        """Yield where a group's messages pass, and whether upwards; slots have no class."""
        tree, outputs = group.tree, self._shape.router.links + self._shape.router.own
        for child, down, up in tree.edge_paths():
            turn = int(tree.classes[child]) if self._routed else 0
            for path, position, upward in (
                (down, child, False),
                (up, int(tree.parent[child]), True),
            ):
                for router, port in path:
                    link = outputs * router + port
                    yield self._hop(group, link, turn ^ upward, int(tree.routers[position])), upward
        for router, port in tree.nodes.tolist() if self._shape.interfaces else ():
            node = self._shape.node_at[router, port]
            yield self._hop(group, self._links.eject[node], 0, router), False
            yield self._hop(group, self._links.inject[node], 0, router), True

    def _hop(self, group: GroupPlan, link: int, channel_class: int, receiver: int) -> _Hop:
        entry = group.placement[receiver]
        return (
            _Hop(link, channel_class, receiver, entry) if self._routed else _Hop(link, 0, -1, entry)
        )


COLUMNS = ("kind", "group", "source", "destination", "cycle_in", "cycle_out")
"""``cycle_in``: head, or message, on its first link; ``cycle_out``: tail ejected, taken."""


@contextmanager
def log_file(path: str | None) -> Iterator[TextIO | None]:
    """Open a log with its head line; without a path there is none."""
    if path is None:
        yield None
        return
    with open(path, "w", newline="") as file:
        file.write(",".join(COLUMNS) + "\n")
        yield file


class Log(Rule):
    """Counts the messages of a run, and writes rows of them where a file is given.

    Parameters
    ----------
    file : text file, optional
        CSV; nodes are written as ``x,y`` or ``switch,port``, switches as ``switch``.

    Attributes
    ----------
    messages : int
        So far.
    """

    def __init__(self, file: TextIO | None) -> None:
        self._writer = csv.writer(file) if file else None
        self.messages = 0

    def report(self, outcome: Outcome) -> None:
        """Add how many messages there were."""
        outcome.messages = self.messages

    def _write(self, kind: str, group: str, ends: Iterable[str], begin: int, end: int) -> None:
        if self._writer:
            self._writer.writerow([kind, group, *ends, begin, end])


class EventLog(Log):
    """A row for a packet, and for a message on each link, from a node or router to the next.

    Packets are reported by the golden model.

    Parameters
    ----------
    plan : BarrierPlan
    file : text file, optional
        See `Log`.
    """

    def __init__(self, plan: BarrierPlan, file: TextIO | None = None) -> None:
        super().__init__(file)
        network = plan.spec.message_network
        self._links, self._name = links_of(network), partial(name_of, network)
        self._sync = LaneMasks(network).sync
        self._read, self._layout = EngineMessages(plan).read, network.layout.sync
        self._mask = (1 << self._layout.width) - 1
        self._gids = [*(str(group.id) for group in plan.groups), ""]  # the last: of no group
        self._ends = _ends(network.shape)

    def packet(
        self, source: int, destination: int, created: int, injected: int, ejected: int
    ) -> None:
        """Note a packet."""
        if self._writer:
            ends = self._name(source), self._name(destination)
            self._write("packet", "", ends, injected, ejected)

    def wires(self, line: Line) -> Sequence[Mismatch]:
        """Take in the messages on the links in a cycle."""
        self.messages += (line.record.valid & self._sync).bit_count()
        for lane, payload in flits_on(line.record, self._sync if self._writer else 0):
            link, channel = divmod(lane, self._links.width)
            of_class = channel - self._links.channels - self._links.setup
            group, up = self._read(link, of_class, payload)
            kind = "reduce" if up else "distribute"
            of_message = Kind(self._layout.unpack(payload & self._mask)["kind"])
            if of_message in (Kind.GO, Kind.BROKEN):
                kind = of_message.name.lower()
            source, target, delay = self._ends[link]
            ends = self._name(source), self._name(target)
            self._write(kind, self._gids[group], ends, line.cycle, line.cycle + delay)
        return ()


def _ends(shape: NetworkShape) -> dict[int, tuple[int, int, int]]:
    """Return the targets at the beginning and the end of each link of messages, and its delay."""
    outputs = shape.router.links + (not shape.interfaces)
    ends = {
        outputs * r + p: (shape.target_of(r), shape.target_of(other), shape.delay_of[r, p])
        for (r, p), (other, _) in shape.ends.items()
    }
    first = outputs * shape.routers
    for node, (router, port) in enumerate(shape.nodes):
        ends[outputs * router + port] = (shape.target_of(router), node, 0)
        ends[first + node] = (node, shape.target_of(router), 0)
    return ends


@dataclass
class _Reader:
    """A member: its stream is the root's, flit by flit."""

    group: GroupPlan
    node: Node
    sent: deque[int] = field(default_factory=deque)
    """Cycles in which flits left the root that this member has not yet read."""
    read: int = 0


class StaticLog(Log):
    """A row for every flit that a member of a static network reads.

    In a ring the kinds are ``notify``, ``release`` and ``filler``, in a tree ``flit``; ``cycle_in``
    is when it left the root, ``cycle_out`` when it was read.

    Parameters
    ----------
    network : StaticSpec
    groups : sequence of GroupPlan
    file : text file, optional
        See `Log`.
    """

    def __init__(
        self, network: StaticSpec, groups: Sequence[GroupPlan], file: TextIO | None = None
    ) -> None:
        super().__init__(file)
        self._fillers = network.core_buffer
        self._readers: dict[int, _Reader] = {}  # by the link to its core
        self._sources: dict[int, list[_Reader]] = {}  # by the root's injection link
        index, links = network.topology.index, links_of(network)
        for group in groups:
            readers = [_Reader(group, node) for node in group.members]
            if group.flits is not None:
                readers = [reader for reader in readers if reader.node != group.route.root]
            for reader in readers:
                self._readers[links.eject[index(reader.node)]] = reader
            self._sources[links.inject[index(group.route.root)]] = readers
        self._cores = sum(1 << link for link in self._readers)
        self._roots = sum(1 << link for link in self._sources)

    def wires(self, line: Line) -> Sequence[Mismatch]:
        """Take in the flits that roots send and members read in a cycle."""
        for link in bits(line.record.valid & self._roots):
            for reader in self._sources[link]:
                reader.sent.append(line.cycle)
        for link in bits(line.record.credit & self._cores):
            self._read(line.cycle, self._readers[link])
        return ()

    def _read(self, cycle: int, reader: _Reader) -> None:
        kind, number = "flit", reader.read - self._fillers
        if reader.group.flits is None:
            kind = "filler"
            if number >= 0 and number % (self._fillers + 2) < 2:
                kind = ("notify", "release")[number % (self._fillers + 2)]
        reader.read += 1
        if not reader.sent:
            return  # an extra flit: `FlowCheck` reports it
        self.messages += 1
        ends = ("{},{}".format(*node) for node in (reader.group.route.root, reader.node))
        self._write(kind, str(reader.group.id), ends, reader.sent.popleft(), cycle)
