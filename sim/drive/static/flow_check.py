"""What must hold of flits on a static network, judged by the wires alone: no model is asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from syncfabric.models.golden.record import Record
from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.route_chain import Output
from syncfabric.models.planning.static_images import StaticGroup
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.lanes import bits

__all__ = ["FlowCheck"]

PORTS = len(Port)


@dataclass
class _Member:
    """A member's core link, and what it reads of an episode: in all, and before any leaves."""

    core: int
    reads: int
    notified: int
    way: list[int] = field(default_factory=list)
    """Of a tree, the links from the root's injection to the member's core."""
    released: int = 0


@dataclass
class _Episodes:
    """A group's members, and the episodes that somebody has left."""

    members: list[tuple[Node, _Member]] = field(default_factory=list)
    left: int = 0


class FlowCheck:
    """Keeps the books of all links, and of what each member has read.

    No buffer ever holds more than it has places for. No member leaves an episode before every other
    has read a flit of it, and so has arrived, and before a ring's root has read its notify. The
    B fillers of a member that has not arrived fill its core buffer and hold the notify back; one
    read lets it pass (paper Reflex, section III.A). At the end a ring holds B fillers in each
    member's core buffer and nothing else, and every way to a member of a tree has as many flits as
    fit on the shortest.

    Parameters
    ----------
    network : StaticSpec
    groups : sequence of StaticGroup
    """

    def __init__(self, network: StaticSpec, groups: Sequence[StaticGroup]) -> None:
        self._network, self._groups = network, groups
        links = links_of(network)
        nodes = len(network.topology.nodes)
        self._places = [network.switch_buffer] * (PORTS * nodes)
        self._places += [network.injection_buffer] * nodes
        for link in links.eject:
            self._places[link] = network.core_buffer
        self._held = [0] * links.count
        self._read = [0] * links.count
        self._broken: set[int] = set()
        self._members: dict[int, tuple[int, _Member]] = {}
        self._courses = [_Episodes() for _ in groups]
        for number, group in enumerate(groups):
            routes = group.routes()
            for node in group.members:
                member = self._member(group, node, routes)
                self._members[network.topology.index(node)] = number, member
                self._courses[number].members.append((node, member))

    def _member(self, group: StaticGroup, node: Node, routes: Mapping[Output, Port]) -> _Member:
        core = PORTS * self._network.topology.index(node) + Port.LOCAL
        if len(group.members) == 1:
            return _Member(core, 0, 0)
        if group.flits is None:
            fillers = self._network.core_buffer
            return _Member(core, fillers + 2, 1 + fillers * (node == group.root))
        if node == group.root:
            return _Member(core, 0, 0)
        return _Member(core, group.flits, 1, self._way(node, routes))

    def _way(self, node: Node, routes: Mapping[Output, Port]) -> list[int]:
        """Return the links to a member's core, the last first."""
        mesh = self._network.topology
        here, port, way = node, Port.LOCAL, []
        while True:
            way.append(PORTS * mesh.index(here) + port)
            source = routes[(*here, port)]
            if source is Port.LOCAL:
                return [*way, PORTS * len(mesh.nodes) + mesh.index(here)]
            before = mesh.neighbour(here, source)
            assert before is not None
            here, port = before, source.opposite

    def held(self, link: int) -> int:
        """Return the flits in the buffer behind a link."""
        return self._held[link]

    def full(self, link: int) -> bool:
        """Return whether that buffer has no place left."""
        return self._held[link] >= self._places[link]

    def note(self, record: Record) -> Iterator[tuple[int, str]]:
        """Take a cycle's wires in; yield (link, rule) for every rule that is broken."""
        held, places = self._held, self._places
        for link in bits(record.valid):
            if held[link] >= places[link]:
                yield from self._report(link, "flit sent without a credit")
        for link in bits(record.credit):
            if not held[link]:
                yield from self._report(link, "credit without a flit")
            held[link] -= 1
            self._read[link] += 1
        for link in bits(record.valid):
            held[link] += 1

    def _report(self, link: int, rule: str) -> Iterator[tuple[int, str]]:
        if link not in self._broken:
            self._broken.add(link)
            yield link, rule

    def release(self, node: int) -> Iterator[tuple[Node, int, int]]:
        """Judge the first release of an episode, before its cycle's wires.

        Yields
        ------
        (node, int, int)
            A member that has not read enough, what it has read, and what it should have.
        """
        if node not in self._members:
            return
        number, leaver = self._members[node]
        course, episode = self._courses[number], leaver.released
        leaver.released += 1
        if episode < course.left:
            return
        course.left += 1
        for other, member in course.members:
            wanted = episode * member.reads + member.notified
            if self._read[member.core] < wanted:
                yield other, self._read[member.core], wanted

    def close(self) -> Iterator[tuple[int, int, int]]:
        """Judge the end; yield link, flits held there (or on a member's way), and how many should.

        The links from nodes in no group are nobody's.
        """
        wanted: dict[int, int] = {}
        ways: list[list[tuple[int, _Member]]] = [[] for _ in self._groups]
        for number, member in self._members.values():
            if len(self._groups[number].members) == 1:
                continue
            if self._groups[number].flits is None:
                wanted[member.core] = self._network.core_buffer
            elif member.way:
                slots = sum(self._places[link] for link in member.way)
                ways[number].append((slots, member))
        on_ways: set[int] = set()
        for group in ways:
            for _, member in group:
                on_ways.update(member.way)
                least = min(slots for slots, _ in group)
                held = sum(self._held[link] for link in member.way)
                if held != least:
                    yield member.core, held, least
        first = PORTS * len(self._network.topology.nodes)
        for link, held in enumerate(self._held):
            own = link < first or link - first in self._members
            if own and link not in on_ways and held != wanted.get(link, 0):
                yield link, held, wanted.get(link, 0)
