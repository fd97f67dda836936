"""What a task allows to be sent: messages and paths, with what is alike under a symmetry together.

Only one message of each orbit is scheduled. Its images never meet if in no step two channels of an
orbit are taken, and if the nodes of an orbit together do not send more than one node may.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice

from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.paths import Path, path_table, paths
from syncfabric.models.collectives.schedule import Step, Task, Transfer
from syncfabric.models.collectives.symmetry import Symmetry

__all__ = ["Quotient", "Way", "Ways"]


class Quotient:
    """Orbits of nodes, channels and messages.

    Parameters
    ----------
    task : Task
    symmetry : Symmetry, optional
        It keeps the task's collective. Without it every orbit has one element.
    """

    def __init__(self, task: Task, symmetry: Symmetry | None = None) -> None:
        topology = task.topology
        self.task, self.symmetry = task, symmetry
        self.node_class = list(range(topology.nodes))
        self.channel_class = list(range(len(topology.channels)))
        if symmetry is not None:
            for orbit in symmetry.node_orbits:
                for node in orbit:
                    self.node_class[node] = orbit[0]
            self.channel_class = symmetry.channel_orbit.tolist()

    def classes(self, path: Path) -> tuple[int, ...] | None:
        """Return the orbits of a path's channels, or None if it meets an image of itself."""
        found = tuple(self.channel_class[c] for c in self.task.topology.along(path))
        return found if len(set(found)) == len(found) else None

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield one pair of each orbit: that whose source is the lowest of its orbit."""
        for source, target in self.task.collective.pairs:
            if self.node_class[source] == source:
                yield source, target

    def origins(self) -> list[int]:
        """Return one sender of each orbit."""
        senders = self.task.collective.senders
        return [s for s in senders if self.node_class[s] == s]

    def whole(self, steps: Iterable[Iterable[Transfer]]) -> tuple[Step, ...]:
        """Return steps with all images of the transfers in them."""
        if self.symmetry is None:
            return tuple(tuple(step) for step in steps)
        images = self.symmetry.vertices

        def orbit(transfer: Transfer) -> Iterator[Transfer]:
            origin, target, *path = images[:, [*transfer.message, *transfer.path]].T.tolist()
            return map(Transfer, zip(origin, target, strict=True), zip(*path, strict=True))

        return tuple(tuple(chain.from_iterable(map(orbit, step))) for step in steps)


@dataclass(frozen=True)
class Way:
    """One path from node to node."""

    path: Path
    classes: tuple[int, ...]
    """The orbits of its channels."""

    @property
    def source(self) -> int:
        """The node that sends."""
        return self.path[0]

    @property
    def target(self) -> int:
        """The node that hears."""
        return self.path[-1]


class Ways:
    """All ways of a task, found when asked for.

    Parameters
    ----------
    quotient : Quotient
    most : int
        Paths a pair of nodes.
    near : bool
        Only between nodes that are joined by a channel, or by switches alone.
    """

    def __init__(self, quotient: Quotient, most: int, near: bool = False) -> None:
        self.quotient, self.most = quotient, most
        self.task = quotient.task
        self.near = near or self.task.rules.stores
        self.whole = not (near and not self.task.rules.stores)
        """Whether nothing that the task allows was left out."""
        self._known: dict[tuple[int, int], list[Way]] = {}

    def between(self, source: int, target: int) -> list[Way]:
        """Return the ways from one node to another."""
        tick()
        key = source, target
        if key not in self._known:
            self._known[key] = self._find(source, target)
        return self._known[key]

    def _find(self, source: int, target: int) -> list[Way]:
        task = self.task
        if self.near and task.topology.switches == 0:
            joined = (source, target) in task.topology.number
            found: list[Path] = [(source, target)] if joined else []
        else:
            found = self._some(source, target)
            if self.near:
                nodes = task.topology.nodes
                found = [path for path in found if min(path[1:-1], default=nodes) >= nodes]
        ways = []
        for path in found:
            classes = self.quotient.classes(path)
            if classes is not None:
                ways.append(Way(path, classes))
        return ways

    def _some(self, source: int, target: int) -> list[Path]:
        """Return all paths, or where there are too many of them some, drawn by chance."""
        topology, extra = self.task.topology, self.task.extra
        found = list(islice(paths(topology, source, target, extra), self.most + 1))
        if len(found) <= self.most:
            return found
        self.whole = False
        table = path_table(topology, [(source, target)], extra, self.most)
        return [table.path(topology, number) for number in range(self.most)]
