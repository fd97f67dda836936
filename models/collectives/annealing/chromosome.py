"""A task as a chromosome: genes, the options of each, and what an option takes, in flat arrays.

A gene is a message: origin and destination. Its two parts are those of the paper's Fig. 2, a path
and a step. In a broadcast the path is the last hop only, from a node that has the message; the rest
of the way, and its steps, are that node's own gene. So paths with a common beginning share it, as
the paper's set Com wants, and no node hears twice.

Source: paper EVO, section 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.exact.symmetry import Symmetry
from syncfabric.models.collectives.paths import PathTable
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.task import Task

__all__ = ["Chromosome"]

Ints = NDArray[np.int32]


@dataclass(frozen=True)
class Chromosome:
    """What the kernel anneals.

    Options of gene g are ``first_option[g]`` to ``first_option[g + 1]`` - 1. Option o takes the
    resources ``use[first_use[o]:first_use[o + 1]]``, each for one step: channels and ports, or
    their orbits. It also takes the shares ``share[first_share[o]:first_share[o + 1]]``; of those
    that take share s in one step only the first counts, at resource ``main[s]``.
    """

    task: Task
    steps: int
    symmetry: Symmetry | None
    table: PathTable
    pairs: Ints
    """Origin and destination of each gene, of shape (genes, 2)."""
    first_option: Ints
    """Of shape (genes + 1)."""
    number: Ints
    """The path of each option, by its number in ``table``."""
    parent: Ints
    """The gene that brings an option's sender the message, so must come before; or -1."""
    first_use: Ints
    """Of shape (options + 1)."""
    use: Ints
    first_share: Ints
    """Of shape (options + 1)."""
    share: Ints
    main: Ints
    """Of shape (shares)."""
    most: Ints
    """How often each resource may be taken in a step."""
    low: Ints
    """The first step in which each gene can be sent, from 0."""
    high: Ints
    """The last; ``steps``, which is none, for a node that may do without the message."""

    @property
    def genes(self) -> int:
        """How many messages there are, or orbits of them."""
        return len(self.pairs)

    @property
    def relays(self) -> bool:
        """Whether some gene must come before another."""
        return bool((self.parent >= 0).any())

    def arrays(self) -> tuple[Ints, ...]:
        """Return what the kernel reads, in its order."""
        return (
            self.first_option,
            self.parent,
            self.first_use,
            self.use,
            self.first_share,
            self.share,
            self.main,
            self.most,
            self.low,
            self.high,
        )

    def holds(self, option: NDArray[Any], step: NDArray[Any]) -> bool:
        """Return whether these are options and steps of its genes, of shape (…, genes)."""
        if not all(a.dtype == np.int32 and a.shape[-1:] == (self.genes,) for a in (option, step)):
            return False
        first = self.first_option
        return bool(
            ((first[:-1] <= option) & (option < first[1:])).all()
            and ((self.low <= step) & (step <= self.high)).all()
        )

    def decode(self, option: Ints, step: Ints) -> tuple[Step, ...]:
        """Return the schedule of a chromosome without conflicts.

        Parameters
        ----------
        option, step : int32, of shape (genes)
        """
        topology = self.task.topology
        rows = np.arange(topology.vertices, dtype=np.int32)[np.newaxis]
        if self.symmetry is not None:
            rows = self.symmetry.vertices
        steps: list[list[Transfer]] = [[] for _ in range(self.steps)]
        for gene in np.flatnonzero(self._needed(option, step)):
            path = np.array(self.table.path(topology, int(self.number[option[gene]])))
            ends, images = rows[:, self.pairs[gene]].tolist(), rows[:, path].tolist()
            steps[step[gene]] += [
                Transfer((a, b), tuple(image)) for (a, b), image in zip(ends, images, strict=True)
            ]
        return tuple(tuple(sorted(transfers)) for transfers in steps)

    def _needed(self, option: Ints, step: Ints) -> NDArray[np.bool_]:
        """Return which genes are sent: receivers', and those that some of these come after."""
        needed = self.high < self.steps
        for gene in np.argsort(-step, kind="stable"):
            parent = self.parent[option[gene]]
            if needed[gene] and parent >= 0:
                needed[parent] = True
        return needed
