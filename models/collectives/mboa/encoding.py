"""A task as chromosomes: what a gene says, and what of the network it takes.

A gene is three whole numbers. Of a scatter (Fig. 4 of paper EVO) there is a gene a message, which
names a path and a step; the genes of all senders, one sender after the other, are the rows of the
matrix that stands for an all-to-all scatter. Of a broadcast (Fig. 5) there is a gene a destination,
which also names the node that sends to it: the origin or another destination.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.paths import PathTable, path_table
from syncfabric.models.collectives.schedule import Step, Task, Transfer
from syncfabric.models.collectives.symmetry import Symmetry
from syncfabric.models.collectives.symmetry import translations as translations_of
from syncfabric.models.collectives.ways import Quotient
from syncfabric.models.errors import SpecError

__all__ = ["PATH", "SOURCE", "STEP", "Encoding", "Instance", "encode"]

SOURCE, PATH, STEP = 0, 1, 2
"""The items of a gene."""

KINDS = ("OAB", "multicast", "OAS", "AAS", "MNS", "permutation")

ROOM = 1_000_000
"""Channels that all listed paths together may have, at about."""


class Instance(NamedTuple):
    """A task in flat arrays, as the compiled search wants it.

    What a path takes are channels, and where ports are few, the ports of its sender and of its
    receiver: *resources*, each of which can be taken so many times a step.
    """

    grows: bool
    """Whether it is a broadcast."""
    steps: int
    bounds: NDArray[np.int32]
    """How many values each item has, of shape (genes, 3)."""
    pair: NDArray[np.int32]
    """The pair of a gene and a source, of shape (genes, sources); -1: its own destination."""
    first_path: NDArray[np.int64]
    """The paths of each pair, of shape (pairs + 1)."""
    first_use: NDArray[np.int64]
    """What each path takes, of shape (paths + 1)."""
    use: NDArray[np.int32]
    """Resources."""
    room: NDArray[np.int16]
    """How many times a step each resource can be taken, of shape (resources)."""


class Encoding(NamedTuple):
    """A task as chromosomes, and the way back."""

    quotient: Quotient
    """A gene stands for all images of its message."""
    instance: Instance
    table: PathTable
    sources: tuple[int, ...]
    """Nodes by the numbers that a broadcast's genes have for them, the origin first."""

    def schedule(self, genes: NDArray[np.int16]) -> tuple[Step, ...]:
        """Return the steps that a chromosome stands for.

        Parameters
        ----------
        genes : array of int, of shape (genes, 3)
            Repaired.
        """
        made: list[list[Transfer]] = [[] for _ in range(self.instance.steps)]
        for gene, (source, path, step) in enumerate(genes.tolist()):
            pair = int(self.instance.pair[gene, source])
            first, end = self.table.first_path[pair : pair + 2]
            number = int(first + path % (end - first))
            way = self.table.path(self.quotient.task.topology, number)
            origin = self.sources[0] if self.instance.grows else way[0]
            made[step].append(Transfer((origin, way[-1]), way))
        return self.quotient.whole(made)


def encode(task: Task, steps: int, most: int, translations: int = 1) -> Encoding:
    """Return a task as chromosomes.

    Parameters
    ----------
    task : Task
    steps : int
        1 or more.
    most : int
        Paths a pair at most; fewer where they would be too many in all.
    translations : int
        Of the network that schedules are the same under, at most: of a scatter there is a gene for
        a message and its images. 1: none is asked for.

    Raises
    ------
    SpecError
        It is not one of the collectives that MBOA does, or not wormhole switching, or there are no
        translations under which what must be served stays the same.
    """
    kind, grows = task.collective.kind, task.collective.broadcast
    if kind not in KINDS or task.rules.stores:
        what = f"{kind} with store and forward" if task.rules.stores else kind
        raise SpecError(
            f"method mboa: it cannot do {what}; it does {', '.join(KINDS)} with wormhole "
            f"switching; for broadcasts of many and for store and forward take hgsa or exact"
        )
    quotient = Quotient(task, _symmetry(task, translations) if translations > 1 else None)
    sources = task.collective.senders
    if grows:
        targets = [target for _, target in task.collective.pairs]
        sources = (*sources, *targets)
        pairs = [(s, target) for target in targets for s in sources if s != target]
        pair = np.full((len(targets), len(sources)), -1, np.int32)
        pair[np.array([[s != t for s in sources] for t in targets])] = range(len(pairs))
    else:
        pairs = list(quotient.pairs())
        pair = np.arange(len(pairs), dtype=np.int32).reshape(-1, 1)
    far = int(task.topology.distances.max())
    most = max(4, min(most, ROOM // max(1, len(pairs) * far)))
    table = path_table(task.topology, pairs, task.extra, most)
    bounds = np.ones((len(pair), 3), np.int32)
    bounds[:, SOURCE] = len(sources) if grows else 1
    ways = np.diff(table.first_path)
    bounds[:, PATH] = [max(ways[p] for p in row if p >= 0) for row in pair]
    bounds[:, STEP] = steps
    first_use, use, room = _resources(quotient, table)
    instance = Instance(grows, steps, bounds, pair, table.first_path, first_use, use, room)
    return Encoding(quotient, instance, table, sources)


def _symmetry(task: Task, most: int) -> Symmetry:
    """Return the most translations, up to a number, under which what must be served is the same."""
    for group in translations_of(task.topology):
        if group.size <= most and not task.collective.broadcast and group.keeps(task.collective):
            return group
    raise SpecError(
        f"mboa: there are no translations of {task.topology.name}, {most} at most, under which "
        f"what {task.collective.kind} must serve stays the same; leave out translations"
    )


def _resources(
    quotient: Quotient, table: PathTable
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int16]]:
    """Return what each path and its images take, and how many times a step that can be taken.

    In a broadcast no node ejects twice. If copies of one origin count once, a node injects one
    message a step, however many copies it sends, and a processor's own channel carries them all:
    neither can run short.
    """
    task, symmetry = quotient.task, quotient.symmetry
    topology, rules, broadcast = task.topology, task.rules, task.collective.broadcast
    shared = broadcast and rules.single_use
    lengths = np.diff(table.first_channel)
    number = np.arange(len(lengths))
    path, channel = np.repeat(number, lengths), table.channel
    begins = topology.ends[channel[table.first_channel[:-1]], 0]
    ends = topology.ends[channel[table.first_channel[1:] - 1], 1]
    if shared:
        kept = np.array(topology.routers)[topology.ends[channel, 0]]
        path, channel = path[kept], channel[kept]
    nodes = np.arange(topology.vertices)[np.newaxis] if symmetry is None else symmetry.vertices
    channels = (
        np.arange(len(topology.channels))[np.newaxis] if symmetry is None else symmetry.channels
    )
    users, taken = [np.tile(path, len(channels))], [channels[:, channel].ravel()]
    room = [1] * len(topology.channels)
    if rules.ports != "all":
        for node in ([] if shared else [begins]) + ([] if broadcast else [ends]):
            users.append(np.tile(number, len(nodes)))
            taken.append(len(room) + nodes[:, node].ravel())
            room += [rules.ports] * topology.nodes
    user, resource = np.concatenate(users), np.concatenate(taken)
    first = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(np.bincount(user, minlength=len(lengths)), out=first[1:])
    order = np.argsort(user, kind="stable")
    return first, resource[order].astype(np.int32), np.array(room, np.int16)
