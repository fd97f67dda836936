"""The irregular network: k-port switches, the links between them, and the nodes on their ports."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.grid import Grid

Ints: TypeAlias = NDArray[np.int64]

Place: TypeAlias = tuple[int, int]
"""A port as ``(switch, port)``; also the node that sits there."""

Link: TypeAlias = tuple[Place, Place]
"""Two ports that a link joins, in both directions."""

MOST_SWITCHES = 1 << 17
"""Switches of the largest network that is read: it is drawn and planned in some ten seconds."""


class _Rows(NamedTuple):
    """The links seen from each switch, as compressed sparse rows."""

    indptr: Ints
    neighbour: Ints
    port: Ints
    far_port: Ints


@dataclass(frozen=True)
class Irregular:
    """Switches of ``ports`` ports, numbered from 0; node i is ``nodes[i]``.

    It is the graph of a mesh, too: ``columns`` are those of a mesh, else 0. With ``own`` node i is
    in switch i, at its last port; else nodes are node interfaces, each at the far end of a link of
    its switch. ``family`` is the name of its topology, if it has one, and ``grid`` has the
    coordinates of its routers, if they have any. ``extra`` are the registers on each link beyond
    those that all links have; if it is empty there are none. ``whole`` is the network whose longer
    links it has in pieces; its switches are the first ones.

    The arrays below say the same as ``links`` and ``nodes``, for planners of large networks: the
    links of switch s are the places ``indptr[s]:indptr[s + 1]`` of ``neighbour`` (the switch at the
    other end), ``port`` (its own end) and ``far_port`` (the other), ascending by neighbour, then
    by registers, then by own port.
    """

    NODE_FORM: ClassVar[str] = "[switch, port]"

    ports: int
    switches: int
    links: tuple[Link, ...]
    nodes: tuple[Place, ...]
    columns: int = 0
    own: bool = False
    family: str = ""
    grid: Grid | None = field(default=None, compare=False)
    extra: tuple[int, ...] = ()
    whole: Irregular | None = None

    def __len__(self) -> int:
        return self.switches

    def __str__(self) -> str:
        if self.family and self.own:
            return self.family
        switches = f"{self.switches} switch{'es' * (self.switches > 1)}"
        return f"{self.family or 'irregular network'} of {switches}"

    @property
    def graph(self) -> Irregular:
        """Routers and links by number: the same."""
        return self

    def index(self, node: Place) -> int:
        """Return the node's number: its place in ``nodes``."""
        return self._indices[node]

    def node(self, index: int) -> Place:
        """Return the node of a number; the inverse of ``index``."""
        return self.nodes[index]

    def contains(self, node: Place) -> bool:
        """Return whether there is such a node."""
        return node in self._indices

    def outside(self, node: Place) -> str:
        """Return why a place is not a node, and which nodes are near, for an error message."""
        if not 0 <= node[0] < self.switches:
            return f"not a node; switch must be 0..{self.switches - 1}"
        here = ", ".join(str(other) for other in self.nodes if other[0] == node[0])
        what = f"those of switch {node[0]} are {here}" if here else f"switch {node[0]} has none"
        return f"not a node; {what}"

    def across(self, switch: int, port: int) -> Place | None:
        """Return the switch and port at the other end of a port's link; None if it has none."""
        return self._ends.get((switch, port))

    def node_at(self, switch: int, port: int) -> int | None:
        """Return the number of the node on a port; None if there is none."""
        return self._indices.get((switch, port))

    @cached_property
    def links_array(self) -> Ints:
        """The links as rows ``[switch, port, far switch, far port]``, shape (m, 4)."""
        return np.array(self.links, dtype=np.int64).reshape(-1, 4)

    @cached_property
    def nodes_array(self) -> Ints:
        """The nodes as rows ``[switch, port]``, shape (n, 2)."""
        return np.array(self.nodes, dtype=np.int64).reshape(-1, 2)

    def without(self, dead: Collection[Place]) -> Irregular:
        """Return the network without the links that end at one of these (switch, port)."""
        if not dead:
            return self
        left = [n for n, ends in enumerate(self.links) if not any(end in dead for end in ends)]
        links, extra = tuple(self.links[n] for n in left), self.extra
        return replace(self, links=links, extra=extra and tuple(extra[n] for n in left))

    @cached_property
    def extra_at(self) -> Mapping[Place, int]:
        """The extra registers of the link at each of its ends; only those of longer links."""
        longer = [(ends, n) for ends, n in zip(self.links, self.extra, strict=False) if n]
        return {end: n for ends, n in longer for end in ends}

    @property
    def turns_back(self) -> bool:
        """Whether an output of a static network's switch can select the input of its own port.

        Those of a mesh cannot, as those of paper Reflex's TILE64.
        """
        return not self.columns

    @property
    def own_links(self) -> int:
        """Links between a member and its switch: 1 to a node interface, 0 to a node inside."""
        return 0 if self.own else 1

    def inside(self) -> Irregular:
        """Return the network with node i in switch i.

        Raises
        ------
        SpecError
            Some switch has not exactly one node.
        """
        count = Counter(switch for switch, _ in self.nodes)
        for switch in range(self.switches):
            if count[switch] != 1:
                raise SpecError(
                    f"network: interfaces = false puts a node into every switch, but switch"
                    f" {switch} has {count[switch]}; remove it"
                )
        nodes = tuple((switch, self.ports - 1) for switch in range(self.switches))
        return replace(self, nodes=nodes, own=True)

    def number(self, member: Place) -> int:
        """Return the number of a node from how the network file names it: (x, y), or its port."""
        return member[1] * self.columns + member[0] if self.columns else self.index(member)

    def port_of(self, member: Place) -> Place:
        """Return the switch and port of a node from how the network file names it."""
        return self.nodes[self.number(member)]

    def member(self, number: int) -> Place:
        """Return how the network file names a node; the inverse of ``number``."""
        if self.columns:
            return number % self.columns, number // self.columns
        return self.node(number)

    def name(self, switch: int) -> str:
        """Return what to call a switch in a message."""
        return f"router {self.member(switch)}" if self.columns else f"switch {switch}"

    def output(self, switch: int, port: int) -> tuple[int, str]:
        """Return the name of a switch's output: both numbers."""
        return switch, str(port)

    def shown(self, switch: int) -> int | list[int]:
        """Return a switch as JSON has it: [x, y] on a mesh, else its number."""
        return list(self.member(switch)) if self.columns else switch

    def switch(self, shown: int | list[int]) -> int:
        """Return a switch's number; the inverse of ``shown``."""
        return self.number((shown[0], shown[1])) if isinstance(shown, list) else shown

    @property
    def indptr(self) -> Ints:
        """Where each switch's links begin in the arrays by link, shape (switches + 1,)."""
        return self._rows.indptr

    @property
    def neighbour(self) -> Ints:
        """The switch at the other end, shape (2 m,)."""
        return self._rows.neighbour

    @property
    def port(self) -> Ints:
        """The port at the switch's own end, shape (2 m,)."""
        return self._rows.port

    @property
    def far_port(self) -> Ints:
        """The port at the other end, shape (2 m,)."""
        return self._rows.far_port

    def parts(self) -> Ints:
        """Return the number of the part, joined by links, that each switch is in."""
        # scipy takes a while to import, which most networks need not wait for.
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        ends, shape = self.links_array, (len(self), len(self))
        near = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 2])), shape=shape)
        found: Ints = connected_components(near, directed=False)[1]
        return found

    @cached_property
    def colours(self) -> Ints | None:
        """0 or 1 for each switch so that links join different ones; None: there are none such."""
        colours = self.levels(0) % 2
        ends = self.links_array
        return None if (colours[ends[:, 0]] == colours[ends[:, 2]]).any() else colours

    @cached_property
    def degree(self) -> Ints:
        """Links of each switch, shape (switches,)."""
        return np.diff(self.indptr)

    @cached_property
    def owner(self) -> Ints:
        """The switch whose link it is, shape (2 m,)."""
        return np.repeat(np.arange(len(self)), self.degree)

    @cached_property
    def near(self) -> tuple[tuple[int, ...], ...]:
        """The neighbours of each switch, ascending, each once."""
        neighbour, indptr = self.neighbour.tolist(), self.indptr.tolist()
        rows = (neighbour[a:b] for a, b in itertools.pairwise(indptr))
        return tuple(tuple(dict.fromkeys(row)) for row in rows)

    def ports_between(self, here: Ints, there: Ints) -> tuple[Ints, Ints]:
        """Return both ports of a link from each switch ``here`` to its neighbour ``there``.

        Of several such links it is the shortest one with the lowest port of ``here``.
        """
        keys = self.owner * len(self) + self.neighbour
        first = np.searchsorted(keys, here * len(self) + there)
        return self.port[first], self.far_port[first]

    def levels(self, root: int) -> Ints:
        """Return the links from a root to every switch; -1 at what cannot be reached."""
        level = np.full(len(self), -1, dtype=np.int64)
        place = np.empty(len(self), dtype=np.int64)
        level[root] = depth = 0
        front = np.array([root], dtype=np.int64)
        while len(front):
            depth += 1
            counts = self.degree[front]
            begins = np.repeat(self.indptr[front] - np.cumsum(counts) + counts, counts)
            below = self.neighbour[begins + np.arange(len(begins))]
            below = below[level[below] < 0]
            level[below] = depth
            place[below] = order = np.arange(len(below))
            front = below[place[below] == order]  # each once
        return level

    def spanning(self, root: int) -> Ints:
        """Return the parent of every switch in the BFS tree around a root.

        It is the lowest-numbered switch of the level above: what scanning each level's switches in
        order gives (paper BTIN, section 3.1). It is -1 at the root, and at what cannot be reached.
        """
        level = self.levels(root)
        up = np.flatnonzero(level[self.neighbour] == level[self.owner] - 1)[::-1]
        # Of several assignments to one place the last one stays: backwards, the first.
        parent = np.full(len(self), -1, dtype=np.int64)
        parent[self.owner[up]] = self.neighbour[up]
        return parent

    @cached_property
    def _rows(self) -> _Rows:
        forth = self.links_array
        ends = np.concatenate([forth, forth[:, [2, 3, 0, 1]]])
        longer = np.tile(np.array(self.extra or [0] * len(forth), dtype=np.int64), 2)
        ends = ends[np.lexsort((ends[:, 1], longer, ends[:, 2], ends[:, 0]))]
        count = np.bincount(ends[:, 0], minlength=self.switches)
        indptr = np.concatenate([[0], np.cumsum(count)])
        port, neighbour, far_port = np.ascontiguousarray(ends[:, 1:].T)
        return _Rows(indptr, neighbour, port, far_port)

    @cached_property
    def _indices(self) -> dict[Place, int]:
        return {node: i for i, node in enumerate(self.nodes)}

    @cached_property
    def _ends(self) -> dict[Place, Place]:
        ends = dict(self.links)
        ends.update((b, a) for a, b in self.links)
        return ends
