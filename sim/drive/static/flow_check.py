"""What must hold of flits on a static network, checked by the wires alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.free_links import Output
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.sim.assemble.links import links_of
from syncfabric.sim.drive.lanes import CreditLedger
from syncfabric.sim.drive.trace import Line, Report, bits
from syncfabric.sim.results import Mismatch


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
    """A group's members, and the episodes that a member has left."""

    members: list[tuple[Node, _Member]] = field(default_factory=list)
    left: int = 0


class FlowCheck(CreditLedger):
    """No buffer holds more than its places, and no member leaves an episode too early.

    A member leaves after every other has read a flit of the episode, and so has arrived, and after
    a ring's root has read its notify. The B fillers of a member that has not arrived fill its core
    buffer and hold the notify back; one read lets it pass (paper Reflex, section III.A). At the end
    a ring holds B fillers in each member's core buffer and nothing else, and every way to a member
    of a tree has as many flits as fit on the shortest.

    Parameters
    ----------
    network : StaticSpec
    groups : sequence of GroupPlan
    """

    def __init__(self, network: StaticSpec, groups: Sequence[GroupPlan]) -> None:
        self._network, self._groups = network, groups
        links = links_of(network)
        self._links = links
        self._buffers = [network.switch_buffer] * links.count
        for eject, inject in zip(links.eject, links.inject, strict=True):
            self._buffers[eject], self._buffers[inject] = (
                network.core_buffer,
                network.injection_buffer,
            )
        places: dict[int, int] = {}
        for buffer in {*self._buffers}:
            every = sum(1 << link for link, count in enumerate(self._buffers) if count == buffer)
            places[every] = buffer
        super().__init__(network, places)
        self._cores = sum(1 << link for link in links.eject)
        self._read = dict.fromkeys(links.eject, 0)
        self._members: dict[int, tuple[int, _Member]] = {}
        self._courses = [_Episodes() for _ in groups]
        for number, group in enumerate(groups):
            routes = group.routes()
            for node in group.members:
                member = self._member(group, node, routes)
                self._members[network.topology.index(node)] = number, member
                self._courses[number].members.append((node, member))

    def _member(self, group: GroupPlan, node: Node, routes: Mapping[Output, int]) -> _Member:
        core = self._links.eject[self._network.topology.index(node)]
        if len(group.members) == 1:
            return _Member(core, 0, 0)
        if group.flits is None:
            fillers = self._network.core_buffer
            return _Member(core, fillers + 2, 1 + fillers * (node == group.way.root))
        if node == group.way.root:
            return _Member(core, 0, 0)
        return _Member(core, group.flits, 1, self._way(node, routes))

    def _way(self, node: Node, routes: Mapping[Output, int]) -> list[int]:
        """Return the links to a member's core, the last first."""
        graph, way = self._network.graph, list[int]()
        switch, port = graph.seat(node)
        while True:
            way.append(graph.ports * switch + port)
            source = routes[switch, port]
            before, sender = graph.across(switch, source), graph.node_at(switch, source)
            if before is None:
                assert sender is not None
                return [*way, self._links.inject[sender]]
            switch, port = before

    def wires(self, line: Line) -> Iterator[Mismatch]:
        """Check a cycle's releases, then its flits and credits."""
        for node in bits(line.record.release):
            yield from self._release(line.cycle, node)
        yield from super().wires(line)
        for link in bits(line.record.credit & self._cores):
            self._read[link] += 1

    def _release(self, cycle: int, node: int) -> Iterator[Mismatch]:
        """Check the first release of an episode: yield the members that have not read enough."""
        if node not in self._members:
            return
        number, leaver = self._members[node]
        course, episode = self._courses[number], leaver.released
        leaver.released += 1
        if episode < course.left:
            return
        course.left += 1
        for other, member in course.members:
            wanted, read = episode * member.reads + member.notified, self._read[member.core]
            if read < wanted:
                yield Mismatch(cycle, other, "flits read before a member leaves Wait", read, wanted)

    def close(self, cycle: int, report: Report = None) -> Iterator[Mismatch]:
        """Yield links, and members' ways, that hold other flits than they must.

        Links from nodes in no group are free.
        """
        holds, wanted = self.outstanding(), dict[int, int]()
        ways: list[list[tuple[int, _Member]]] = [[] for _ in self._groups]
        for number, member in self._members.values():
            if len(self._groups[number].members) == 1:
                continue
            if self._groups[number].flits is None:
                wanted[member.core] = self._network.core_buffer
            elif member.way:
                slots = sum(self._buffers[link] for link in member.way)
                ways[number].append((slots, member))
        found: list[tuple[int, int, int]] = []
        on_ways: set[int] = set()
        for group in ways:
            for _, member in group:
                on_ways.update(member.way)
                least = min(slots for slots, _ in group)
                found.append((member.core, sum(holds.get(link, 0) for link in member.way), least))
        for link in sorted(holds.keys() | wanted.keys()):
            first = self._links.inject[0]
            own = link < first or link - first in self._members
            if own and link not in on_ways:
                found.append((link, holds.get(link, 0), wanted.get(link, 0)))
        for link, held, places in found:
            if held != places:
                yield self._names.broken(cycle, link, "flits held at the end", held, places)
