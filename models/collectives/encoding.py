"""A task as genes: the options of each, and what an option takes, in flat arrays, for every method.

A gene is a message: origin and destination. Its two parts are those of the paper's Fig. 2, a path
and a step. In a broadcast the path is the last hop only, from a node that has the message; the rest
of the path, and its steps, are that node's own gene. So paths with a common beginning share it, as
the paper's set Com wants: no node receives twice. The same holds of a scatter that is stored and
forwarded: each node on the path of a message has a gene of it.

Source: paper EVO, section 3.1.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.clock import tick
from syncfabric.models.collectives.moves import Ints, Tables
from syncfabric.models.collectives.paths import Path, PathTable, path_table
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.symmetry import Quotient, Symmetry
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import SpecError, check_range

PATHS = 200_000
"""In all, so that a large broadcast fits the memory."""


class TooLargeError(Exception):
    """There are more options than a method can take."""


@dataclass(frozen=True)
class Encoding:
    """A task as the methods take it, and the inverse."""

    quotient: Quotient
    table: PathTable
    messages: Ints
    """Origin and destination of each gene's message, of shape (genes, 2)."""
    number: Ints
    """The path of each option, by its number in ``table``."""
    tables: Tables

    @property
    def genes(self) -> int:
        """How many messages there are, or orbits of them."""
        return len(self.messages)

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

    def path(self, option: int) -> Path:
        """Return the vertices that an option passes."""
        return self.table.path(self.quotient.task.topology, int(self.number[option]))

    def decode(self, option: Ints, step: Ints) -> tuple[Step, ...]:
        """Return the schedule of genes without conflicts.

        Parameters
        ----------
        option, step : int32, of shape (genes)
        """
        steps: list[list[Transfer]] = [[] for _ in range(self.tables.steps)]
        for gene in np.flatnonzero(self._needed(option, step)):
            origin, target = self.messages[gene].tolist()
            steps[step[gene]].append(Transfer((origin, target), self.path(option[gene])))
        return tuple(tuple(sorted(transfers)) for transfers in self.quotient.whole(steps))

    def _needed(self, option: Ints, step: Ints) -> NDArray[np.bool_]:
        """Return which genes are sent: receivers', and those that some of these come after."""
        needed = self.tables.high < self.tables.steps
        for gene in np.argsort(-step, kind="stable"):
            parent = self.tables.parent[option[gene]]
            if needed[gene] and parent >= 0:
                needed[parent] = True
        return needed


class _Gene(NamedTuple):
    """A message, a node that gets it, and who may send it there."""

    message: tuple[int, int]
    node: int
    sources: Sequence[int]
    hops: int = 1
    """Steps that it takes at least."""
    must: bool = True
    """Whether the node is a receiver; others may do without the message."""


class _Route(NamedTuple):
    """A path as orbits of channels, and as vertices."""

    classes: list[int]
    vertices: list[int]


def encode(
    task: Task,
    steps: int,
    *,
    paths: int = 64,
    seed: int = 0,
    symmetry: Symmetry | None = None,
    printed: bool = False,
    whole: bool = False,
    most: int | None = None,
) -> Encoding:
    """Return a task as genes.

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
    whole : bool
        All that the task allows. Else broadcasts of many go from neighbour to neighbour on direct
        networks, others are passed on by their receivers, and scatters by nodes between switches
        not at all.
    most : int, optional
        Options.

    Raises
    ------
    SpecError
        There are no steps, the task is to be reversed, a message has no path, or the symmetry is
        not one of the task.
    TooLargeError
        There are more than ``most`` options.
    """
    kind = task.collective.name
    check_range("steps", steps, 1)
    if task.collective.reversal is not None:
        raise SpecError(f"{kind}: schedule the task that it reverses")
    if symmetry is not None and not symmetry.keeps(task.collective):
        raise SpecError(f"{kind}: the symmetry changes who sends and receives")
    return _Encoder(Quotient(task, symmetry), steps, printed, whole, most).run(paths, seed)


@dataclass
class _Encoder:
    quotient: Quotient
    steps: int
    printed: bool
    whole: bool
    most: int | None
    number: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    first_use: list[int] = field(default_factory=lambda: [0])
    use: list[int] = field(default_factory=list)
    first_share: list[int] = field(default_factory=lambda: [0])
    share: list[int] = field(default_factory=list)
    main: list[int] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    shares: dict[tuple[int, ...], int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.task = task = self.quotient.task
        broadcast, self.stores = task.collective.broadcast, task.rules.stores
        # The paper's own case: many broadcasts on a direct network, hop by hop however it switches.
        many = task.collective.kind in ("AAB", "MNB") and not self.whole
        self.hop = task.topology.switches == 0 and (self.stores or many)
        self.wide = self.hop or self.stores or self.whole
        self.passes = broadcast or task.hop_by_hop or (self.stores and self.whole)
        self.channel: list[int] = self.quotient.channel_class
        # The orbits of nodes, numbered.
        self.node = np.unique(self.quotient.node_class, return_inverse=True)[1].tolist()
        self.channels = max(self.channel) + 1
        self.sole = broadcast and task.rules.single_use

    def run(self, paths: int, seed: int) -> Encoding:
        task, most = self.task, self.most
        genes = list(self._genes())
        at = {self._key(gene, gene.node): i for i, gene in enumerate(genes)}
        ends = sorted({(source, gene.node) for gene in genes for source in gene.sources})
        if most is not None and len(ends) > most:
            raise TooLargeError
        extra, few = 0 if self.hop else task.extra, max(PATHS // max(len(ends), 1), 4)
        table = path_table(task.topology, ends, extra, min(paths, few), seed)
        row, routes = {pair: i for i, pair in enumerate(ends)}, self._routes(table)
        first_option, first_sender = [0], [0]
        for gene in genes:
            tick()
            for source in gene.sources:
                self.sent.append(len(self.number))
                sent = -1 if source == gene.message[0] else at[self._key(gene, source)]
                here = row[source, gene.node]
                for path in range(table.first_path[here], table.first_path[here + 1]):
                    if (route := routes[path]) is not None:
                        self._option(gene, path, route, sent)
                if self.sent[-1] == len(self.number):
                    self.sent.pop()
            if len(self.number) == first_option[-1]:
                raise SpecError(
                    f"{task.collective.name}: message {gene.message[0]} to {gene.message[1]} "
                    "has no path for one step"
                    + (" on which its images do not meet" if self.quotient.symmetry else "")
                )
            if most is not None and len(self.number) > most:
                raise TooLargeError
            first_option.append(len(self.number))
            first_sender.append(len(self.sent))
        last = [self.steps - gene.must for gene in genes]
        if self.printed and self.hop:
            last = [0 if gene.hops == 1 else high for gene, high in zip(genes, last, strict=True)]
        k = task.rules.ports
        ports = [] if k == "all" else [k] * (2 * (max(self.node) + 1))
        columns = (
            *(first_option, self.parent, self.first_use, self.use, self.first_share, self.share),
            *(self.main, first_sender, [*self.sent, len(self.number)]),
            [1] * self.channels + ports,
            *([min(gene.hops, self.steps) - 1 for gene in genes], last),
        )
        return Encoding(
            self.quotient,
            table,
            np.array([gene.message for gene in genes], dtype=np.int32).reshape(-1, 2),
            np.array(self.number, dtype=np.int32),
            Tables(self.steps, *(np.array(column, dtype=np.int32) for column in columns)),
        )

    def _key(self, gene: _Gene, node: int) -> tuple[int, ...]:
        """Return what a gene is found by: in a broadcast all that an origin sends is alike."""
        return (gene.message[0], node) if self.task.collective.broadcast else (*gene.message, node)

    def _genes(self) -> Iterator[_Gene]:
        collective, topology, extra = self.task.collective, self.task.topology, self.task.extra
        every = range(topology.nodes)
        if not self.passes:
            yield from (_Gene(pair, pair[1], pair[:1]) for pair in self.quotient.pairs())
            return
        messages: Iterable[tuple[int, int | None]] = self.quotient.pairs()
        if collective.broadcast:
            messages = ((origin, None) for origin in self.quotient.origins())
        for origin, goal in messages:
            hops = topology.distances[origin].tolist()
            to_go = [0] * len(hops) if goal is None else topology.to_go(goal)
            members = sorted({origin, *collective.receivers})
            for node in every if self.wide else members:
                sources: Iterable[int] = every if self.wide else members
                if self.hop:
                    whole = hops[node if goal is None else goal] + extra - 1 - to_go[node]
                    sources = (v for v in topology.sources[node] if hops[v] <= whole)
                made = [v for v in sources if v != node]
                if node != origin and (made or goal in (None, node)):
                    message = (origin, node if goal is None else goal)
                    must = node in collective.receivers if goal is None else node == goal
                    yield _Gene(message, node, made, hops[node] if self.hop else 1, must)

    def _routes(self, table: PathTable) -> list[_Route | None]:
        """Return the routes of paths; None for one that cannot be."""
        found: list[_Route | None] = []
        ends, nodes = self.task.topology.ends.tolist(), self.task.topology.nodes
        bounds, channel = table.first_channel.tolist(), table.channel.tolist()
        for begin, end in pairwise(bounds):
            along = channel[begin:end]
            classes = [self.channel[c] for c in along]
            vertices = [ends[along[0]][0], *(ends[c][1] for c in along)]
            right = len(set(classes)) == len(classes)
            right &= not (self.stores and min(vertices[1:-1], default=nodes) < nodes)
            found.append(_Route(classes, vertices) if right else None)
        return found

    def _option(self, gene: _Gene, path: int, route: _Route, sent: int) -> None:
        """Note a path as an option of a gene, with what it takes."""
        classes, vertices = route
        rules, origin, source = self.task.rules, gene.message[0], vertices[0]
        shared = 0
        if self.sole and self.stores:
            shared = len(classes) - 1
        elif self.sole and not self.task.topology.routers[source]:
            shared = 1
        for i in range(shared):
            self._share((origin, *vertices[: i + 2]), classes[i])
        self.use += classes[shared:]
        if rules.ports != "all":
            inject = self.channels + 2 * self.node[source]
            if self.sole:
                self._share((origin, source), inject)
            else:
                self.use.append(inject)
            self.use.append(self.channels + 2 * self.node[gene.node] + 1)
        self.number.append(path)
        self.parent.append(sent)
        self.first_use.append(len(self.use))
        self.first_share.append(len(self.share))

    def _share(self, key: tuple[int, ...], resource: int) -> None:
        if key not in self.shares:
            self.shares[key] = len(self.main)
            self.main.append(resource)
        self.share.append(self.shares[key])
