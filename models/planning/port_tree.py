"""A group's tree as ports: of every router with an entry, those to parent, children and members.

A link tree has an entry at every router on its path, and each edge is a link. Where messages are
routed, entries are at members (and at relays) alone, and an edge takes several links: the parent's
message leaves by the child's port, in the class that takes this port's dimension before the others
in which they differ; the child's goes back over the same links by the other class, and so comes to
the parent by the same port. Source: docs/microarchitecture-engine.md, L1 and L2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.irregular import Ints, Irregular, Place
from syncfabric.models.networks.mesh import Node
from syncfabric.models.planning.btm import Tree
from syncfabric.models.planning.graph import path_sums


def _grid(graph: Irregular) -> Grid:
    assert graph.grid
    return graph.grid


def _classes(grid: Grid) -> Ints:
    """Return by port the class of messages to a child there: 1 in the second half of dimensions."""
    count = len(grid.sides)
    return np.array([2 * (grid.axis_of(p) or 0) >= count for p in range(grid.ports)], np.int64)


@dataclass(frozen=True, eq=False)
class PortTree:
    """Routers with an entry of a group, each with the ports by which it is joined to others.

    Parameters
    ----------
    graph : Irregular
        The network.
    root : int
        The root's router.
    routers : array of int64, shape (t,)
        All routers of the tree, ascending.
    parent : array of int64, shape (t,)
        Position of each one's parent among them; -1 at the root.
    parent_port, far_port : array of int64, shape (t,)
        Port of the router to its parent, and of the parent to the router; -1 at the root.
    child_mask : array of int64, shape (t,)
        Ports of children and of member nodes, a bit each.
    nodes : array of int64, shape (n, 2)
        Router and port of each member node, in the group's order.
    hops : array of int64, shape (t,)
        Links from each router to its parent; 0 at the root.
    """

    graph: Irregular
    root: int
    routers: Ints
    parent: Ints
    parent_port: Ints
    far_port: Ints
    child_mask: Ints
    nodes: Ints
    hops: Ints

    @classmethod
    def of(cls, graph: Irregular, ports: Mapping[int, int], nodes: Iterable[Place]) -> PortTree:
        """Follow each router's port to its parent over the link, and check that it is a tree.

        Parameters
        ----------
        graph : Irregular
        ports : mapping of int to int
            The port to the parent of each router of the tree; -1 at the root.
        nodes : iterable of Place
            Router and port of each member.

        Raises
        ------
        PlanError
            There is not one root, a port has no link, a link leaves the tree, routers do not lead
            to the root, a member is outside the tree or is no node, or a leaf has no member.
        """
        topology, listed = graph, sorted(ports)
        position = {router: i for i, router in enumerate(listed)}
        roots = [router for router in listed if ports[router] < 0]
        if len(roots) != 1:
            raise PlanError(f"Tree must have one root, not {len(roots)}")
        ends = []
        for router in listed:
            end = (-1, -1) if ports[router] < 0 else topology.across(router, ports[router])
            if end is None:
                raise PlanError(f"Tree goes by port {ports[router]} of {router}, which has no link")
            if ports[router] >= 0 and end[0] not in position:
                raise PlanError(f"Tree goes from {router} to {end[0]}, which is not in it")
            ends.append((position.get(end[0], -1), ports[router], end[1]))
        table = np.array(ends, dtype=np.int64).reshape(-1, 3)
        parent, parent_port, far_port = np.ascontiguousarray(table.T)
        members = list(nodes)
        for place in members:
            if place[0] not in position or not topology.contains(place):
                raise PlanError(f"Tree must lead to a node at {place}, and does not")
        routers = np.array(listed, dtype=np.int64)
        return cls._joined(graph, roots[0], routers, parent, parent_port, far_port, members)

    @classmethod
    def spanned(cls, graph: Irregular, routers: Ints, parents: Ints) -> PortTree:
        """Join routers to their parents, by the lowest port of the parent's: routers alone.

        Parameters
        ----------
        graph : Irregular
        routers : array of int64, shape (t,)
            Ascending.
        parents : array of int64, shape (t,)
            The parent of each, a neighbour's number; -1 at the root.
        """
        below = np.flatnonzero(parents >= 0)
        parent, up, down = (np.full(len(routers), -1, dtype=np.int64) for _ in range(3))
        parent[below] = np.searchsorted(routers, parents[below])
        down[below], up[below] = graph.ports_between(parents[below], routers[below])
        root = int(routers[parents < 0][0])
        return cls._joined(graph, root, routers, parent, up, down, [])

    def serving(self, nodes: Iterable[Place]) -> PortTree:
        """Return a tree of routers alone with these member nodes, by router and port."""
        ends = self.parent, self.parent_port, self.far_port
        return self._joined(self.graph, self.root, self.routers, *ends, list(nodes))

    @classmethod
    def pruned(cls, graph: Irregular, parents: Ints, members: Ints) -> PortTree:
        """Keep of a spanning tree what leads to a member, up to its root: a tree of routers alone.

        Parameters
        ----------
        graph : Irregular
        parents : array of int64, shape (q,)
            The parent of every router.
        members : array of int64
            The routers that stay, with all above them.
        """
        kept = np.zeros(len(graph), dtype=bool)
        front = members
        while len(front):
            kept[front] = True
            above = parents[front]
            front = np.unique(above[(above >= 0) & ~kept[above]])
        routers = np.flatnonzero(kept)
        return cls.spanned(graph, routers, parents[routers])

    @classmethod
    def routed(cls, tree: Tree, graph: Irregular) -> PortTree:
        """Take a tree of members and relays on a grid.

        Parameters
        ----------
        tree : Tree
        graph : Irregular
            With that grid, and a node in each router.
        """
        grid = _grid(graph)
        strides = np.cumprod([1, *grid.sides[:-1]])
        numbers = (tree.places * strides).sum(axis=1)
        order = np.argsort(numbers)
        place = np.argsort(order)
        parent = np.where(tree.parent[order] < 0, -1, place[tree.parent[order]])
        down = np.where(parent < 0, -1, tree.port[order])
        steps = grid.steps(tree.places[order][np.maximum(parent, 0)], tree.places[order])
        steps[parent < 0] = 0
        # Down by the first dimension in which they differ, in the class's order, up by the last.
        differs, last = steps != 0, steps.shape[1] - 1
        ends = differs.argmax(axis=1), last - differs[:, ::-1].argmax(axis=1)
        backwards = _classes(grid)[down] > 0
        first, final = np.where(backwards, ends[::-1], ends)
        rows = np.arange(len(steps))
        ports = np.array(grid.axes)
        reached = ports[first, (steps[rows, first] < 0).astype(np.int64)]
        if ((reached != down) & (parent >= 0)).any():
            raise PlanError("Tree must reach each child by a port that leads towards it")
        up = ports[final, (steps[rows, final] > 0).astype(np.int64)]
        up[parent < 0] = -1
        members = numbers[: len(tree) - tree.relays].tolist()
        nodes = [(router, graph.ports - 1) for router in members]
        root, hops = int(numbers[tree.root_position]), np.abs(steps).sum(axis=1)
        return cls._joined(graph, root, numbers[order], parent, up, down, nodes, hops)

    @classmethod
    def _joined(
        cls,
        graph: Irregular,
        root: int,
        routers: Ints,
        parent: Ints,
        up: Ints,
        down: Ints,
        nodes: list[Place],
        hops: Ints | None = None,
    ) -> PortTree:
        places = np.array(nodes, dtype=np.int64).reshape(-1, 2)
        mask = np.zeros(len(routers), dtype=np.int64)
        below = np.flatnonzero(parent >= 0)
        np.bitwise_or.at(mask, parent[below], np.int64(1) << down[below])
        at = np.searchsorted(routers, places[:, 0])
        np.bitwise_or.at(mask, at, np.int64(1) << places[:, 1])
        links = np.minimum(parent, 0) + 1 if hops is None else hops
        tree = cls(graph, root, routers, parent, up, down, mask, places, links)
        # Its depths are refused of what is no tree.
        if len(tree.depth) and nodes and not mask.all():
            raise PlanError("Tree must end at members")
        if np.bitwise_count(mask).sum() != len(below) + len(places):
            raise PlanError("Tree must use each port of a router for one child")
        return tree

    def __len__(self) -> int:
        return len(self.routers)

    def __repr__(self) -> str:
        return f"PortTree(root={self.root}, routers={len(self)}, height={self.height})"

    @cached_property
    def depth(self) -> Ints:
        """Edges from the root to each router, shape (t,)."""
        return path_sums(self.parent, (self.parent >= 0).astype(np.int64))

    @property
    def height(self) -> int:
        """Edges on the longest path down."""
        return int(self.depth.max())

    @cached_property
    def radius(self) -> int:
        """Links between routers from the root to the farthest member's."""
        return int(path_sums(self.parent, self.hops).max())

    @cached_property
    def extra(self) -> Ints:
        """Extra registers on the links from each router to its parent or back, shape (t,)."""
        found, at = np.zeros(len(self), dtype=np.int64), self.graph.extra_at
        for child, *paths in self.edge_paths() if at else ():
            # Halfway around a ring the path back may be by other links: the slower one counts.
            found[child] = max(sum(at.get(place, 0) for place in path) for path in paths)
        return found

    def reach(self, hop: int, register: int = 1) -> int:
        """Return the cycles from the root to the farthest router.

        Parameters
        ----------
        hop : int
            Cycles of a link as most are.
        register : int
            Cycles of each register that a link has more.
        """
        return int(path_sums(self.parent, self.hops * hop + self.extra * register).max())

    @cached_property
    def position(self) -> Mapping[int, int]:
        """Position of each router in the arrays."""
        return {router: i for i, router in enumerate(self.routers.tolist())}

    @cached_property
    def member_positions(self) -> Ints:
        """Position of each member's router, shape (n,)."""
        return np.searchsorted(self.routers, self.nodes[:, 0])

    @cached_property
    def member_count(self) -> Ints:
        """Member nodes at each router, shape (t,)."""
        return np.bincount(self.member_positions, minlength=len(self))

    def edge_paths(self) -> Iterator[tuple[int, list[Place], list[Place]]]:
        """Yield each child's position, and the routers and outputs down to it and up from it."""
        for child, above in enumerate(self.parent.tolist()):
            if above < 0:
                continue
            ends = int(self.routers[above]), int(self.routers[child])
            down, up = int(self.far_port[child]), int(self.parent_port[child])
            if self.hops[child] == 1:
                yield child, [(ends[0], down)], [(ends[1], up)]
                continue
            grid, backwards = _grid(self.graph), self.classes[child]
            order = range(len(grid.sides))[:: -1 if backwards else 1]
            yield child, grid.path(*ends, order), grid.path(*ends[::-1], order[::-1])

    @property
    def classes(self) -> Ints:
        """Class of routed messages down to each router, shape (t,); up it is the other one."""
        return _classes(_grid(self.graph))[self.far_port]

    def path_links(self) -> list[Place]:
        """Return the routers and outputs that messages take, down and up."""
        return [place for _, down, up in self.edge_paths() for place in (*down, *up)]

    @property
    def root_node(self) -> Node | None:
        """The member at the root's lowest port, as the network file names it; None without any."""
        ports = self.nodes[self.nodes[:, 0] == self.root, 1]
        if not len(ports):
            return None
        return self.graph.member(self.graph.index((self.root, int(ports.min()))))

    @cached_property
    def child_count(self) -> Ints:
        """Routers just below each, shape (t,)."""
        return np.bincount(self.parent[self.parent >= 0], minlength=len(self))

    @property
    def edges(self) -> list[tuple[int, int]]:
        """Every (child, parent), as routers, in order of the children."""
        below = np.flatnonzero(self.parent >= 0)
        pairs = zip(
            self.routers[below].tolist(), self.routers[self.parent[below]].tolist(), strict=True
        )
        return list(pairs)

    def children(self, position: int) -> tuple[int, ...]:
        """Return the ports to children and members of the router at a position, ascending."""
        mask = int(self.child_mask[position])
        return tuple(port for port in range(mask.bit_length()) if mask >> port & 1)
