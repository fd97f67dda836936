"""Planner ``tree``: a multicast tree over directed links, from the root's switch to all members.

Ours, not the paper's: every switch of the tree copies what comes in by one link to those it leads
on by, and to its core if that is a member. Every member's way is as short as the free links allow,
and of such trees one with few links is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from syncfabric.models.networks.mesh import Mesh, Node, Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.btm import by_centrality
from syncfabric.models.planning.mesh_links import MeshLinks, Routes, link_numbers, port_to

__all__ = ["Multicast", "best_tree", "least_depth", "tree_flits"]


class Multicast(NamedTuple):
    """A multicast tree.

    ``edges`` are pairs (switch, the one above it), neighbours all, from the root outwards;
    ``height`` is the hops to the farthest member, and ``least`` what it is where all links are
    free.
    """

    root: Node
    edges: list[tuple[Node, Node]]
    height: int
    least: int

    @property
    def ring(self) -> None:
        """None: it is no ring."""

    @property
    def radius(self) -> int:
        """The hops to the farthest member."""
        return self.height

    @property
    def length(self) -> int:
        """Links."""
        return len(self.edges)

    @property
    def excess(self) -> int:
        """Hops more than the least."""
        return self.height - self.least

    def routes(self, members: Iterable[Node]) -> Routes:
        """Return the routes of the tree from its root's core to the members'."""
        inputs = {switch: port_to(switch, above) for switch, above in self.edges}
        inputs[self.root] = Port.LOCAL
        routes = {(*above, port_to(above, switch)): inputs[above] for switch, above in self.edges}
        return routes | {(*m, Port.LOCAL): inputs[m] for m in members if m != self.root}

    def links(self, mesh: Mesh) -> list[int]:
        """Return its links, by their numbers in ``MeshLinks``."""
        return link_numbers(mesh, ((parent, switch) for switch, parent in self.edges))


def best_tree(mesh: Mesh, members: Sequence[Node], taken: Iterable[int] = ()) -> Multicast | None:
    """Return a tree of least depth over the links that are left, or None if there is none.

    The root is the member that gives the least depth; of several the one that planner ``btm``
    would take: nearest the centroid.

    Parameters
    ----------
    mesh : Mesh
    members : sequence of Node
        One or more.
    taken : iterable of int
        Links that others use, by their numbers in ``MeshLinks``.
    """
    links = MeshLinks(mesh, taken)
    rank = {members[i]: place for place, i in enumerate(by_centrality(members).tolist())}
    wanted = {mesh.index(member) for member in members}
    far = _distances(members)
    best: tuple[int, Node] | None = None
    levels: list[list[int]] = []
    for root in sorted(members, key=lambda member: (far[member], rank[member])):
        if best is not None and (far[root], rank[root]) >= (best[0], rank[best[1]]):
            break
        found = _levels(links, mesh.index(root), wanted)
        if found is None:
            continue
        depth = len(found) - 1
        if best is None or (depth, rank[root]) < (best[0], rank[best[1]]):
            best, levels = (depth, root), found
    if best is None:
        return None
    above = _prune(links, levels, wanted)
    edges = [(mesh.node(switch), mesh.node(parent)) for switch, parent in above.items()]
    return Multicast(best[1], edges, best[0], min(far.values()))


def least_depth(members: Sequence[Node]) -> int:
    """Return the hops to the farthest member from that which is best placed."""
    return min(_distances(members).values())


def _distances(members: Sequence[Node]) -> dict[Node, int]:
    """Return the hops from each member to the farthest."""
    sums, differences = [x + y for x, y in members], [x - y for x, y in members]
    north_east, south_west = max(sums), min(sums)
    south_east, north_west = max(differences), min(differences)
    return {
        (x, y): max(north_east - x - y, x + y - south_west, south_east - x + y, x - y - north_west)
        for x, y in members
    }


def _levels(links: MeshLinks, root: int, wanted: set[int]) -> list[list[int]] | None:
    """Return the switches by their distance from a root, down to the farthest wanted; else None."""
    levels, seen = [[root]], {root}
    left = len(wanted) - 1
    while left:
        level = []
        for switch in levels[-1]:
            for side in range(4):
                link = 4 * switch + side
                if links.free[link] and (after := links.head(link)) not in seen:
                    seen.add(after)
                    level.append(after)
                    left -= after in wanted
        if not level:
            return None
        levels.append(level)
    return levels


def _prune(links: MeshLinks, levels: list[list[int]], wanted: set[int]) -> dict[int, int]:
    """Return the switch above each that the tree needs, from the root outwards.

    From the farthest level inwards: what is needed anyway leads on to all that it can, and then
    whatever leads on to most of the others, one by one.
    """
    above: dict[int, int] = {}
    needed: set[int] = set()
    for level, before in zip(levels[:0:-1], levels[-2::-1], strict=True):
        inner = set(before)
        left = {
            switch: sorted(link >> 2 for link in links.into(switch) if link >> 2 in inner)
            for switch in sorted(level, reverse=True)
            if switch in wanted or switch in needed
        }
        needed = inner & wanted
        while left:
            for switch, ways in list(left.items()):
                parent = next((way for way in ways if way in needed), None)
                if parent is not None:
                    above[switch] = parent
                    del left[switch]
            if left:
                served = Counter(way for ways in left.values() for way in ways)
                needed.add(min(served, key=lambda way: (-served[way], way)))
    return dict(reversed(above.items()))


def tree_flits(longest: int, network: StaticSpec) -> int:
    """Return the flits of an episode of a tree: one more than its longest way stores.

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
