"""The transfers that a task allows: from which node to which, along which path."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice

from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.exact.quotient import Quotient
from syncfabric.models.collectives.paths import Path, path_table, paths

__all__ = ["Way", "Ways"]


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
