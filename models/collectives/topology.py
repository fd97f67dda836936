"""A network to schedule on: nodes, switches, and the directed channels between them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import count, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.errors import SpecError
from syncfabric.models.parsed import written

Channel = tuple[int, int]
"""From one vertex to another."""


class Link(NamedTuple):
    """What a channel costs: a transfer of n bytes holds one of its lanes for alpha + beta n."""

    alpha: Fraction
    """Latency, in nanoseconds."""
    beta: Fraction
    """Time of a byte on a lane, in nanoseconds."""
    lanes: int = 1
    """Transfers that it carries side by side, as parallel links do."""

    @property
    def rate(self) -> Fraction:
        """Bytes a nanosecond, on all lanes together."""
        return self.lanes / self.beta


@dataclass(frozen=True)
class Topology:
    """A network as a directed graph.

    The vertices are the nodes 0 to ``nodes`` - 1, which send and receive, and after them the
    switches, which only pass messages on. A node whose channels all join it with one switch is a
    processor behind that switch: no path leads through it. Every other node has a router of its
    own, which passes messages on as a switch does.

    Parameters
    ----------
    name : str
    nodes, switches : int
        At least 1, and at least 0.
    channels : tuple of (from, to)
        Each at most once. A channel's number is its place here.
    links : tuple of Link, optional
        What each channel costs, if they are not all alike.

    Raises
    ------
    SpecError
        There is no node, a channel is not between two vertices or is there twice, the network is
        not connected, or links are not one a channel, with alpha from 0, beta above 0 and a lane.
    """

    name: str
    nodes: int
    switches: int
    channels: tuple[Channel, ...]
    links: tuple[Link, ...] = ()

    def __post_init__(self) -> None:
        if not self.name.isprintable():
            raise SpecError(
                f"topology: its name must be printable, in one line, not {self.name[:40]!r}"
            )
        if self.nodes < 1 or self.switches < 0:
            raise SpecError(
                f"topology {self.name}: it must have a node at least, not "
                f"{self.nodes} nodes and {self.switches} switches"
            )
        for a, b in self.channels:
            if not (0 <= a < self.vertices and 0 <= b < self.vertices):
                raise SpecError(
                    f"topology {self.name}: channel [{a}, {b}] leads out of it; "
                    f"nodes and switches are 0 to {self.vertices - 1}"
                )
            if a == b:
                raise SpecError(f"topology {self.name}: channel [{a}, {b}] leads nowhere")
        for (a, b), times in Counter(self.channels).items():
            if times > 1:
                raise SpecError(
                    f"topology {self.name}: channel [{a}, {b}] is there {times} times; list it once"
                    " in links with as many lanes"
                )
        if self.links and len(self.links) != len(self.channels):
            raise SpecError(
                f"topology {self.name}: links must be as many as channels, {len(self.channels)},"
                f" not {len(self.links)}"
            )
        for i, link in enumerate(self.links):
            if link.alpha < 0 or link.beta <= 0 or link.lanes < 1:
                raise SpecError(
                    f"topology {self.name}: links[{i}]: alpha must be 0 or more, beta above 0 and"
                    f" lanes 1 or more, not {float(link.alpha):g}, {float(link.beta):g} and"
                    f" {link.lanes}"
                )
        # A file may say that there are very many: lists of all are made when all have channels.
        joined = {0, *(end for channel in self.channels for end in channel)}
        if len(joined) < self.vertices:
            first = next(v for v in count() if v not in joined)
            raise self._apart(first, self.vertices - len(joined), "cannot be reached from")
        sides = ((self.successors, "cannot be reached from"), (self.sources, "has no path to"))
        for near, how in sides:
            if lost := set(range(self.vertices)) - predecessors(near, 0).keys():
                raise self._apart(min(lost), len(lost), how)

    def _apart(self, first: int, lost: int, how: str) -> SpecError:
        kind = "node" if first < self.nodes else "switch"
        return SpecError(
            f"topology {self.name}: it is not connected: {kind} {first} {how} node 0"
            + (f", and {lost - 1:,} more" if lost > 1 else "")
        )

    @property
    def vertices(self) -> int:
        """Nodes and switches."""
        return self.nodes + self.switches

    @cached_property
    def number(self) -> dict[Channel, int]:
        """The number of each channel."""
        return {channel: i for i, channel in enumerate(self.channels)}

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """Where the channels out of each vertex lead, rising."""
        return _neighbours(self.vertices, self.channels)

    @cached_property
    def sources(self) -> tuple[tuple[int, ...], ...]:
        """Where the channels into each vertex come from, rising."""
        return _neighbours(self.vertices, ((b, a) for a, b in self.channels))

    @cached_property
    def routers(self) -> tuple[bool, ...]:
        """Whether paths may lead through each vertex: switches, and nodes with a router."""
        return tuple(
            v >= self.nodes
            or len(near := {*self.successors[v], *self.sources[v]}) != 1
            or min(near) < self.nodes
            for v in range(self.vertices)
        )

    @cached_property
    def ends(self) -> NDArray[np.int32]:
        """The channels as an array of shape (channels, 2)."""
        return np.array(self.channels, dtype=np.int32).reshape(-1, 2)

    @cached_property
    def distances(self) -> NDArray[np.int16]:
        """Least channels on a path from each vertex to each, of shape (vertices, vertices).

        A processor is never on a path between others: it would pass its switch twice.
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        size, ends = self.vertices, self.ends
        graph = csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(size, size))
        hops: NDArray[np.int16] = dijkstra(graph, unweighted=True).astype(np.int16)
        hops.setflags(write=False)
        return hops

    def to_go(self, target: int) -> list[int]:
        """Return the distance from each vertex to one of them: a column of ``distances``."""
        if target not in self._columns:
            self._columns[target] = self.distances[:, target].tolist()
        return self._columns[target]

    @cached_property
    def _columns(self) -> dict[int, list[int]]:
        return {}

    def reversed(self) -> Topology:
        """Return the network with every channel turned round, and its number kept."""
        return replace(self, channels=tuple((b, a) for a, b in self.channels))

    @property
    def rates(self) -> list[Fraction]:
        """The bytes a nanosecond of each channel, all lanes together."""
        return [link.rate for link in self.links]

    def along(self, path: Sequence[int]) -> list[int]:
        """Return the numbers of the channels along a path of vertices.

        Raises
        ------
        KeyError
            Two vertices of the path are not joined; the channel is its argument.
        """
        return [self.number[a, b] for a, b in pairwise(path)]

    def held(self, path: Sequence[int], size: Fraction) -> Fraction:
        """Return how many nanoseconds a send of some bytes holds a lane of each of its channels."""
        links = [self.links[channel] for channel in self.along(path)]
        return sum((link.alpha for link in links), max(link.beta for link in links) * size)

    def to_json(self) -> dict[str, object]:
        """Return the topology as a schedule file holds it."""
        values: dict[str, object] = {
            "name": self.name,
            "nodes": self.nodes,
            "switches": self.switches,
            "channels": [list(channel) for channel in self.channels],
        }
        if self.links:
            values["links"] = [[*map(written, cost), lanes] for *cost, lanes in self.links]
        return values


def linked(topology: Topology, alpha: Fraction, beta: Fraction) -> Topology:
    """Return a topology whose links have costs: its own, else these everywhere.

    Raises
    ------
    SpecError
        ``beta`` is not above 0, or ``alpha`` is below.
    """
    return replace(topology, links=topology.links or (Link(alpha, beta),) * len(topology.channels))


def full_duplex(links: Iterable[Channel]) -> tuple[Channel, ...]:
    """Return the channels of full-duplex links: of each, first there, then back."""
    return tuple(channel for a, b in links for channel in ((a, b), (b, a)))


def _neighbours(vertices: int, channels: Iterable[Channel]) -> tuple[tuple[int, ...], ...]:
    near: list[list[int]] = [[] for _ in range(vertices)]
    for a, b in channels:
        near[a].append(b)
    return tuple(tuple(sorted(others)) for others in near)


def predecessors(
    near: Sequence[Sequence[int]] | Mapping[int, Sequence[int]],
    root: int,
    through: Callable[[int], bool] = lambda _: True,
) -> dict[int, int]:
    """Return by vertex the one before it on a shortest path from a root, the nearest first.

    Parameters
    ----------
    near : by vertex, where it leads
    root : int
        Its own is itself.
    through : callable, optional
        Whether a path leads on from another vertex.
    """
    before, queue = {root: root}, deque([root])
    while queue:
        here = queue.popleft()
        for there in near[here] if here == root or through(here) else ():
            if there not in before:
                before[there] = here
                queue.append(there)
    return before
