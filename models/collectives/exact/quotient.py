"""A task with what is alike under a symmetry taken together.

Only one message of each orbit is scheduled. Its images never meet if in no step two channels of an
orbit are taken, and if the nodes of an orbit together do not send more than one node may.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from syncfabric.models.collectives.exact.symmetry import Symmetry
from syncfabric.models.collectives.paths import Path
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.task import Task

__all__ = ["Quotient"]


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
