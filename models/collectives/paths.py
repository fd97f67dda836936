"""Paths between two vertices: the shortest ones, and others up to some hops longer."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.topology import Topology

Path = tuple[int, ...]
"""Every vertex passed, both ends included."""


def paths(topology: Topology, source: int, target: int, extra: int = 0) -> Iterator[Path]:
    """Yield the paths from one vertex to another, shorter ones first, then by their vertices.

    Parameters
    ----------
    topology : Topology
    source, target : int
        Two different vertices.
    extra : int
        How many hops longer than the shortest ones they may be. No vertex is passed twice.
    """
    least = topology.to_go(target)[source]
    for length in range(least, least + extra + 1):
        yield from _of_length(topology, target, length, (source,))


def _of_length(topology: Topology, target: int, left: int, begun: Path) -> Iterator[Path]:
    here = begun[-1]
    if here == target:
        if left == 0:
            yield begun
        return
    to_go = topology.to_go(target)
    for near in topology.successors[here]:
        if to_go[near] < left and near not in begun:
            yield from _of_length(topology, target, left - 1, (*begun, near))


class _Shortest:
    """All shortest paths to one vertex, counted."""

    def __init__(self, topology: Topology, target: int) -> None:
        to_go = topology.to_go(target)
        self.target = target
        self.count = [0] * topology.vertices
        self.count[target] = 1
        self.nearer: list[list[int]] = [[] for _ in to_go]
        """The next vertices on the shortest paths from each, rising."""
        for here in sorted(range(topology.vertices), key=to_go.__getitem__):
            if here != target:
                near = [v for v in topology.successors[here] if to_go[v] < to_go[here]]
                self.nearer[here] = near
                self.count[here] = sum(self.count[v] for v in near)

    def path(self, source: int, rank: int) -> Path:
        """Return one of the paths by its rank among them, 0 being the least by its vertices."""
        vertices, here = [source], source
        while here != self.target:
            for near in self.nearer[here]:
                if rank < self.count[near]:
                    break
                rank -= self.count[near]
            here = near
            vertices.append(here)
        return tuple(vertices)


@dataclass(frozen=True)
class PathTable:
    """The paths that each pair may take, in flat arrays, as a compiled kernel wants them.

    The paths of pair i are ``first_path[i]`` to ``first_path[i + 1]`` - 1. The channels of path p
    are ``channel[first_channel[p]:first_channel[p + 1]]``, in the order in which it takes them.
    """

    pairs: NDArray[np.int32]
    """Source and target, of shape (pairs, 2)."""
    first_path: NDArray[np.int64]
    """Of shape (pairs + 1)."""
    first_channel: NDArray[np.int64]
    """Of shape (paths + 1)."""
    channel: NDArray[np.int32]
    """Numbers of channels, of all paths one after the other."""
    whole: bool
    """Whether no path was left out."""

    def path(self, topology: Topology, number: int) -> Path:
        """Return a path as the vertices that it passes."""
        begin, end = self.first_channel[number : number + 2]
        ends = topology.ends[self.channel[begin:end]]
        return (int(ends[0, 0]), *map(int, ends[:, 1]))


def path_table(
    topology: Topology,
    pairs: Iterable[tuple[int, int]],
    extra: int = 0,
    most: int = 64,
    seed: int = 0,
) -> PathTable:
    """List the paths of many pairs.

    Parameters
    ----------
    topology : Topology
    pairs : iterable of (source, target)
    extra : int
        How many hops longer than the shortest ones paths may be.
    most : int
        Paths a pair. Where there are more shortest ones, this many different ones are drawn,
        each as likely as the others; longer ones fill up the rest in their order.
    seed : int
        The same seed draws the same paths.
    """
    rng = Random(seed)
    shortest: dict[int, _Shortest] = {}
    ends, first_path, first_channel, channel, whole = [], [0], [0], list[int](), True
    for source, target in pairs:
        tick()
        ends.append((source, target))
        if target not in shortest:
            shortest[target] = _Shortest(topology, target)
        some = _some(topology, source, shortest[target], extra, most, rng)
        whole &= shortest[target].count[source] <= most
        for number, path in enumerate(some):
            if number == most:
                whole = False
                break
            channel += topology.along(path)
            first_channel.append(len(channel))
        first_path.append(len(first_channel) - 1)
    return PathTable(
        np.array(ends, dtype=np.int32).reshape(-1, 2),
        np.array(first_path, dtype=np.int64),
        np.array(first_channel, dtype=np.int64),
        np.array(channel, dtype=np.int32),
        whole,
    )


def _some(
    topology: Topology, source: int, shortest: _Shortest, extra: int, most: int, rng: Random
) -> Iterable[Path]:
    """Return so many of the shortest paths, drawn at random, or all paths, one more at least."""
    count = shortest.count[source]
    if count > most:
        ranks = set[int]()
        while len(ranks) < most:
            ranks.add(rng.randrange(count))
        return (shortest.path(source, rank) for rank in sorted(ranks))
    if extra == 0:
        return (shortest.path(source, rank) for rank in range(count))
    return paths(topology, source, shortest.target, extra)
