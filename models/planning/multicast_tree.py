"""Planner ``tree``: a multicast tree over directed links, from the root's switch to all members.

Ours, not the paper's: every switch of the tree copies what comes in by one link to those it leads
on by, and to its core if that is a member. Every member's path is as short as the free links allow,
and of such trees one with few links is taken.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.mesh import Node
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.btm import by_centrality
from syncfabric.models.planning.free_links import FreeLinks, Output, Routes


class Multicast(NamedTuple):
    """A multicast tree from the switch of the member ``root``.

    ``outputs`` are those by which it leaves switches, from the root outwards; ``height`` is the
    hops to the farthest member, and ``least`` what it is where all links are free.
    """

    graph: Irregular
    root: Node
    outputs: list[Output]
    height: int
    least: int

    @property
    def ring(self) -> None:
        """None: it is no ring."""

    @property
    def edges(self) -> list[tuple[int, int]]:
        """Pairs (switch, the one above it), from the root outwards."""
        ends = ((self.graph.across(*output), output[0]) for output in self.outputs)
        return [(far[0], above) for far, above in ends if far is not None]

    @property
    def radius(self) -> int:
        """The hops to the farthest member."""
        return self.height

    @property
    def length(self) -> int:
        """Links."""
        return len(self.outputs)

    @property
    def excess(self) -> int:
        """Hops more than the least."""
        return self.height - self.least

    def routes(self, members: Iterable[Node]) -> Routes:
        """Return the routes of the tree from its root's core to the members'."""
        inputs = dict(filter(None, (self.graph.across(*output) for output in self.outputs)))
        home, inputs[home] = self.graph.port_of(self.root)
        leaves = [self.graph.port_of(member) for member in members if member != self.root]
        return {output: inputs[output[0]] for output in (*self.outputs, *leaves)}


def best_tree(
    graph: Irregular, members: Sequence[Node], taken: Iterable[Output] = ()
) -> Multicast | None:
    """Return a tree of least depth over the links that are left, or None if there is none.

    The root is the member that gives the least depth; of several, on a mesh, the one that planner
    ``btm`` would take: nearest the centroid; else the first.

    Parameters
    ----------
    graph : Irregular
    members : sequence of Node
        One or more.
    taken : iterable of Output
        Links that others use, by where they leave.
    """
    links = FreeLinks(graph, taken)
    rank = {member: place for place, member in enumerate(members)}
    if graph.columns:
        rank = {members[i]: place for place, i in enumerate(by_centrality(members).tolist())}
    wanted = {graph.port_of(member)[0] for member in members}
    far = _distances(graph, members)
    best: tuple[int, Node] | None = None
    levels: list[list[int]] = []
    for root in sorted(members, key=lambda member: (far[member], rank[member])):
        if best is not None and (far[root], rank[root]) >= (best[0], rank[best[1]]):
            break
        found = _levels(links, graph.port_of(root)[0], wanted)
        if found is None:
            continue
        depth = len(found) - 1
        if best is None or (depth, rank[root]) < (best[0], rank[best[1]]):
            best, levels = (depth, root), found
    if best is None:
        return None
    outputs = links.outputs(_prune(links, levels, wanted))
    return Multicast(graph, best[1], outputs, best[0], min(far.values()))


def least_depth(graph: Irregular, members: Sequence[Node]) -> int:
    """Return the hops to the farthest member from that which is best placed."""
    return min(_distances(graph, members).values())


def _distances(graph: Irregular, members: Sequence[Node]) -> dict[Node, int]:
    """Return the hops from each member to the farthest."""
    if not graph.columns:
        homes = [graph.port_of(member)[0] for member in members]
        far = {home: int(graph.levels(home)[homes].max()) for home in {*homes}}
        return {member: far[home] for member, home in zip(members, homes, strict=True)}
    sums, differences = [x + y for x, y in members], [x - y for x, y in members]
    north_east, south_west = max(sums), min(sums)
    south_east, north_west = max(differences), min(differences)
    return {
        (x, y): max(north_east - x - y, x + y - south_west, south_east - x + y, x - y - north_west)
        for x, y in members
    }


def _levels(links: FreeLinks, root: int, wanted: set[int]) -> list[list[int]] | None:
    """Return the switches by their distance from a root, down to the farthest wanted; else None."""
    levels, seen = [[root]], {root}
    left = len(wanted) - 1
    while left:
        level = []
        for switch in levels[-1]:
            for link in links.of(switch):
                if links.free[link] and (after := links.head(link)) not in seen:
                    seen.add(after)
                    level.append(after)
                    left -= after in wanted
        if not level:
            return None
        levels.append(level)
    return levels


def _prune(links: FreeLinks, levels: list[list[int]], wanted: set[int]) -> list[int]:
    """Return the links down that the tree needs, from the root outwards.

    From the farthest level inwards: what is needed anyway leads on to all that it can, and then
    whatever leads on to most of the others, one by one.
    """
    down: list[int] = []
    needed: set[int] = set()
    for level, before in zip(levels[:0:-1], levels[-2::-1], strict=True):
        inner = set(before)
        left = {
            switch: {
                link // links.ports: link
                for link in sorted(links.into(switch), reverse=True)
                if link // links.ports in inner
            }
            for switch in sorted(level, reverse=True)
            if switch in wanted or switch in needed
        }
        needed = inner & wanted
        while left:
            for switch, ups in list(left.items()):
                parent = next((up for up in sorted(ups) if up in needed), None)
                if parent is not None:
                    down.append(ups[parent])
                    del left[switch]
            if left:
                served = Counter(up for ups in left.values() for up in ups)
                needed.add(min(served, key=lambda up: (-served[up], up)))
    return down[::-1]


def tree_flits(longest: int, network: StaticSpec) -> int:
    """Return the flits of an episode of a tree: one more than its longest path stores.

    Then the last can only be sent when every member has read one. With one fewer it is released
    early.

    Parameters
    ----------
    longest : int
        Links from the root's switch to that of the farthest member.
    network : StaticSpec
    """
    stored = network.injection_buffer + longest * network.switch_buffer + network.core_buffer
    return stored + 1
