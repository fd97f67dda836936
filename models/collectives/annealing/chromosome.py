"""A task as a chromosome: genes, the options of each, and what an option takes, in flat arrays.

A gene is a message: origin and destination. Its two parts are those of the paper's Fig. 2, a path
and a step. In a broadcast the path is the last hop only, from a node that has the message; the rest
of the way, and its steps, are that node's own gene. So paths with a common beginning share it, as
the paper's set Com wants, and no node hears twice.

Source: paper EVO, section 3.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.annealing.kernel import Ints, Tables
from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.paths import PathTable, path_table
from syncfabric.models.collectives.schedule import Step, Task, Transfer
from syncfabric.models.collectives.symmetry import Symmetry
from syncfabric.models.collectives.ways import Quotient
from syncfabric.models.errors import SpecError

__all__ = ["Chromosome", "encode"]


@dataclass(frozen=True)
class Chromosome:
    """A task, what the kernel anneals of it, and the way back."""

    quotient: Quotient
    table: PathTable
    pairs: Ints
    """Origin and destination of each gene, of shape (genes, 2)."""
    number: Ints
    """The path of each option, by its number in ``table``."""
    tables: Tables

    @property
    def genes(self) -> int:
        """How many messages there are, or orbits of them."""
        return len(self.pairs)

    @property
    def relays(self) -> bool:
        """Whether some gene must come before another."""
        return bool((self.tables.parent >= 0).any())

    def holds(self, option: NDArray[Any], step: NDArray[Any]) -> bool:
        """Return whether these are options and steps of its genes, of shape (…, genes)."""
        if not all(a.dtype == np.int32 and a.shape[-1:] == (self.genes,) for a in (option, step)):
            return False
        first = self.tables.first_option
        return bool(
            ((first[:-1] <= option) & (option < first[1:])).all()
            and ((self.tables.low <= step) & (step <= self.tables.high)).all()
        )

    def decode(self, option: Ints, step: Ints) -> tuple[Step, ...]:
        """Return the schedule of a chromosome without conflicts.

        Parameters
        ----------
        option, step : int32, of shape (genes)
        """
        topology = self.quotient.task.topology
        steps: list[list[Transfer]] = [[] for _ in range(self.tables.steps)]
        for gene in np.flatnonzero(self._needed(option, step)):
            origin, target = self.pairs[gene].tolist()
            path = self.table.path(topology, int(self.number[option[gene]]))
            steps[step[gene]].append(Transfer((origin, target), path))
        return tuple(tuple(sorted(transfers)) for transfers in self.quotient.whole(steps))

    def _needed(self, option: Ints, step: Ints) -> NDArray[np.bool_]:
        """Return which genes are sent: receivers', and those that some of these come after."""
        needed = self.tables.high < self.tables.steps
        for gene in np.argsort(-step, kind="stable"):
            parent = self.tables.parent[option[gene]]
            if needed[gene] and parent >= 0:
                needed[parent] = True
        return needed


PATHS = 200_000
"""In all, so that a large broadcast fits the memory."""


class Gene(NamedTuple):
    """A message, and who may send it to its destination."""

    origin: int
    target: int
    sources: Sequence[int]


def encode(
    task: Task,
    steps: int,
    *,
    paths: int = 64,
    seed: int = 0,
    symmetry: Symmetry | None = None,
    printed: bool = False,
) -> Chromosome:
    """Return a task as the kernel anneals it.

    Parameters
    ----------
    task : Task
        A forward one.
    steps : int
    paths : int
        Between two nodes at most, of any or, with more, drawn; fewer where there are many pairs.
    seed : int
        Of the draw.
    symmetry : Symmetry, optional
        Only one message of each orbit is scheduled; its images go along.
    printed : bool
        Hop by hop, what an origin sends to its neighbours goes in step 1, as the paper prints it.

    Raises
    ------
    SpecError
        There are no steps, annealing cannot do such a task, or the symmetry is not one of it.
    """
    if steps < 1:
        raise SpecError(f"steps must be 1 or more, not {steps}")
    collective = task.collective
    if collective.reversal is not None:
        raise SpecError(f"annealing {collective.kind}: schedule the task that it reverses")
    if symmetry is not None and not symmetry.keeps(collective):
        raise SpecError(f"annealing {collective.kind}: the symmetry changes who sends and receives")
    return _Encoder(Quotient(task, symmetry), steps, printed).run(paths, seed)


@dataclass
class _Encoder:
    quotient: Quotient
    steps: int
    printed: bool
    first_option: list[int] = field(default_factory=lambda: [0])
    number: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    first_use: list[int] = field(default_factory=lambda: [0])
    use: list[int] = field(default_factory=list)
    first_share: list[int] = field(default_factory=lambda: [0])
    share: list[int] = field(default_factory=list)
    main: list[int] = field(default_factory=list)
    low: list[int] = field(default_factory=list)
    high: list[int] = field(default_factory=list)
    shares: dict[tuple[int, ...], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.task = task = self.quotient.task
        topology = task.topology
        broadcast = task.collective.broadcast
        many = task.collective.kind in ("AAB", "MNB")
        # The paper's own case: many broadcasts on a direct network, hop by hop however it switches.
        self.hop = broadcast and topology.switches == 0 and (task.rules.stores or many)
        if task.hop_by_hop and not broadcast:
            raise SpecError(
                f"annealing {task.collective.kind}: a scatter that is stored and forwarded is "
                "for the method exact"
            )
        if self.hop and task.rules.stores and 0 < task.extra < self.steps - 1:
            raise SpecError(
                f"annealing {task.collective.kind}: stored and forwarded by minimal routes, or by "
                f"any with {self.steps - 1} hops more; for others use the method exact"
            )
        self.channel = np.array(self.quotient.channel_class, dtype=np.int32)
        # The orbits of nodes, numbered.
        self.node = np.unique(self.quotient.node_class, return_inverse=True)[1]
        self.channels = int(self.channel.max()) + 1
        self.sole = broadcast and task.rules.single_use

    def run(self, paths: int, seed: int) -> Chromosome:
        task = self.task
        genes = list(self._broadcast() if task.collective.broadcast else self._scatter())
        at = {(gene.origin, gene.target): i for i, gene in enumerate(genes)}
        ends = sorted({(source, gene.target) for gene in genes for source in gene.sources})
        table = path_table(
            task.topology,
            ends,
            0 if self.hop else task.extra,
            min(paths, max(PATHS // max(len(ends), 1), 4)),
            seed,
        )
        row = {pair: i for i, pair in enumerate(ends)}
        for gene in genes:
            tick()
            for source in gene.sources:
                sent = -1 if source == gene.origin else at[gene.origin, source]
                here = row[source, gene.target]
                for path in range(table.first_path[here], table.first_path[here + 1]):
                    self._option(gene, path, table, sent)
            if len(self.number) == self.first_option[-1]:
                raise SpecError(
                    f"annealing {task.collective.kind}: message {gene.origin} to {gene.target} "
                    "has no path for one step"
                    + (" on which its images do not meet" if self.quotient.symmetry else "")
                )
            self.first_option.append(len(self.number))
            self._when(gene)
        k = task.rules.ports
        ports = [] if k == "all" else [k] * (2 * (int(self.node.max()) + 1))
        columns = (
            *(self.first_option, self.parent, self.first_use, self.use, self.first_share),
            *(self.share, self.main, [1] * self.channels + ports, self.low, self.high),
        )
        return Chromosome(
            self.quotient,
            table,
            np.array([gene[:2] for gene in genes], dtype=np.int32).reshape(-1, 2),
            np.array(self.number, dtype=np.int32),
            Tables(self.steps, *(np.array(column, dtype=np.int32) for column in columns)),
        )

    def _scatter(self) -> Iterator[Gene]:
        for origin, target in self.quotient.pairs():
            yield Gene(origin, target, (origin,))

    def _broadcast(self) -> Iterator[Gene]:
        topology, collective = self.task.topology, self.task.collective
        wide = self.hop or self.task.rules.stores
        for origin in self.quotient.origins():
            hops = topology.distances[origin]
            members = sorted({origin, *collective.receivers})
            for target in range(topology.nodes) if wide else members:
                sources: Iterable[int] = range(topology.nodes) if wide else members
                if self.hop:
                    most = hops[target] + self.task.extra - 1
                    sources = (v for v in topology.sources[target] if hops[v] <= most)
                if target != origin:
                    yield Gene(origin, target, [v for v in sources if v != target])

    def _when(self, gene: Gene) -> None:
        """Note in which steps a gene can be sent."""
        hops = int(self.task.topology.distances[gene.origin, gene.target]) if self.hop else 1
        self.low.append(min(hops, self.steps) - 1)
        last = self.steps - 1
        if self.task.collective.broadcast and gene.target not in self.task.collective.receivers:
            last = self.steps
        self.high.append(0 if self.printed and self.hop and hops == 1 else last)

    def _option(self, gene: Gene, path: int, table: PathTable, sent: int) -> None:
        """Note a path as an option of a gene, unless no schedule can have it."""
        rules, nodes = self.task.rules, self.task.topology.nodes
        along = table.channel[table.first_channel[path] : table.first_channel[path + 1]]
        uses: list[int] = self.channel[along].tolist()
        if len(set(uses)) < len(uses):
            return
        ends = self.task.topology.ends[along]
        if rules.stores and (ends[1:, 0] < nodes).any():
            return
        shared, source = 0, int(ends[0, 0])
        if self.sole and rules.stores:
            shared = len(uses) - 1
        elif self.sole and not self.task.topology.routers[source]:
            shared = 1
        for i in range(shared):
            self._share((gene.origin, source, *ends[: i + 1, 1].tolist()), uses[i])
        self.use += uses[shared:]
        if rules.ports != "all":
            inject = self.channels + 2 * int(self.node[source])
            if self.sole:
                self._share((gene.origin, source), inject)
            else:
                self.use.append(inject)
            self.use.append(self.channels + 2 * int(self.node[gene.target]) + 1)
        self.number.append(path)
        self.parent.append(sent)
        self.first_use.append(len(self.use))
        self.first_share.append(len(self.share))

    def _share(self, key: tuple[int, ...], resource: int) -> None:
        if key not in self.shares:
            self.shares[key] = len(self.main)
            self.main.append(resource)
        self.share.append(self.shares[key])
