"""Genes: compared, mutated and repaired; and the conflicts of a chromosome, gene by gene."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.dice import Random, below, two
from syncfabric.models.collectives.mboa.encoding import PATH, SOURCE, STEP, Instance
from syncfabric.models.compiled import inlined, uncounted

__all__ = [
    "added",
    "copy",
    "in_the_way",
    "mutate",
    "put",
    "repair",
    "replace_path",
    "take",
    "unlike",
    "values",
    "weigh",
]

Genes = NDArray[np.int16]
Used = NDArray[np.int32]
"""How many times each resource is taken in each step, and the numbers of the genes that take it,
added up: where that is one gene, it is this gene. Of shape (steps, resources, 2)."""


@inlined
def put(source: Genes, row: int, target: Genes, other: int) -> None:
    """Copy one gene of a table into one of another."""
    for item in range(3):
        target[other, item] = source[row, item]


@inlined
def copy(source: Genes, target: Genes) -> None:
    """Copy a table into one that is as large or larger."""
    for row in range(len(source)):
        put(source, row, target, row)


@inlined
def unlike(first: Genes, second: Genes, gene: int) -> bool:
    """Tell whether a gene differs."""
    return bool(
        first[gene, STEP] != second[gene, STEP]
        or first[gene, PATH] != second[gene, PATH]
        or first[gene, SOURCE] != second[gene, SOURCE]
    )


@inlined
def _path(instance: Instance, served: int, index: int) -> int:
    """Return a path of a pair. Its index counts modulo the paths that there are."""
    first = instance.first_path[served]
    ways = instance.first_path[served + 1] - first
    # Few are beyond, and a division takes long.
    return int(first + (index if index < ways else index % ways))


@inlined
def take(instance: Instance, genes: Genes, gene: int, used: Used, times: int) -> int:
    """Take what a gene's path takes, or give it back; return the conflicts that come or go.

    Two paths that share a channel in a step are a conflict, and so is each message beyond a node's
    ports with each that is too many.

    Parameters
    ----------
    instance : Instance
    genes : array of int, of shape (genes, 3)
        A chromosome.
    gene : int
    used : array of int, of shape (steps, resources, 2)
    times : int
        1 to take, -1 to give back.
    """
    served = instance.pair[gene, genes[gene, SOURCE]]
    path, step = _path(instance, served, genes[gene, PATH]), genes[gene, STEP]
    conflicts = 0
    for i in range(instance.first_use[path], instance.first_use[path + 1]):
        resource = instance.use[i]
        before = used[step, resource, 0]
        used[step, resource, 0] = before + times
        used[step, resource, 1] += times * gene
        conflicts += max(before + (times > 0) - instance.room[resource], 0)
    return conflicts


@inlined
def added(
    instance: Instance, genes: Genes, gene: int, index: int, step: int, used: Used, most: int
) -> int:
    """Return the conflicts that another path and step add to a scatter, if not above ``most``.

    The step is not the gene's own.
    """
    use, room, served = instance.use, instance.room, instance.pair[gene, 0]
    old, now = _path(instance, served, genes[gene, PATH]), genes[gene, STEP]
    conflicts = 0
    for i in range(instance.first_use[old], instance.first_use[old + 1]):
        conflicts -= max(used[now, use[i], 0] - room[use[i]], 0)
    path = _path(instance, served, index)
    for i in range(instance.first_use[path], instance.first_use[path + 1]):
        conflicts += max(used[step, use[i], 0] + 1 - room[use[i]], 0)
        if conflicts > most:
            break
    return conflicts


@inlined
def in_the_way(instance: Instance, gene: int, index: int, step: int, used: Used) -> int:
    """Return the gene alone at the first place that is taken on a path of a scatter; -1: none."""
    path = _path(instance, instance.pair[gene, 0], index)
    for i in range(instance.first_use[path], instance.first_use[path + 1]):
        resource = instance.use[i]
        if used[step, resource, 0] == 1 and instance.room[resource] == 1:
            return int(used[step, resource, 1])
    return -1


@inlined
def weigh(instance: Instance, genes: Genes, used: Used) -> int:
    """Return the conflicts of a chromosome, and note what it takes."""
    for step in range(used.shape[0]):
        for resource in range(used.shape[1]):
            used[step, resource, 0] = used[step, resource, 1] = 0
    conflicts = 0
    for gene in range(len(genes)):
        conflicts += take(instance, genes, gene, used, 1)
    return conflicts


@uncounted
def repair(
    steps: int, genes: NDArray[np.int16], informed: NDArray[np.int16], random: Random
) -> None:
    """Make a broadcast tree of a chromosome, step by step.

    A source that has not got the message before the step is replaced by a random one that has.

    Parameters
    ----------
    steps : int
    genes : array of int, of shape (genes, 3)
    informed : array of int, of shape (genes + 1)
        Room for those that have got the message.
    random : Random
    """
    informed[0], known = 0, 1
    for step in range(steps):
        before = known
        for gene in range(len(genes)):
            if genes[gene, STEP] == step:
                source = genes[gene, SOURCE]
                if source > 0 and genes[source - 1, STEP] >= step:
                    genes[gene, SOURCE] = informed[below(random, before)]
                informed[known] = gene + 1
                known += 1


@inlined
def mutate(bounds: NDArray[np.int32], genes: NDArray[np.int16], gene: int, random: Random) -> None:
    """Set the items of a gene to random values."""
    for item in range(3):
        if bounds[gene, item] > 1:
            genes[gene, item] = below(random, bounds[gene, item])


@inlined
def values(
    bounds: NDArray[np.int32], genes: NDArray[np.int16], gene: int, kind: int, random: Random
) -> tuple[int, int]:
    """Return a random path, a random step, or both, by a kind from 0 to 7."""
    path, step = two(random, 0, bounds[gene, PATH], bounds[gene, STEP])
    if kind < 2:
        step = int(genes[gene, STEP])
    elif kind < 4:
        path = int(genes[gene, PATH])
    return path, step


@inlined
def replace_path(
    instance: Instance, genes: NDArray[np.int16], used: NDArray[np.int32], random: Random
) -> int:
    """Replace a path by another one, of a message in conflict if one is found.

    Return the conflicts that this adds.
    """
    length = len(genes)
    for trial in range(4 * length):
        gene = below(random, length)
        most = instance.bounds[gene, PATH]
        if most == 1:
            continue
        gone = take(instance, genes, gene, used, -1)
        replaced = gone > 0 or trial >= 3 * length
        if replaced:
            path = below(random, most - 1)
            genes[gene, PATH] = path + (path >= genes[gene, PATH])
        come = take(instance, genes, gene, used, 1)
        if replaced:
            return int(come - gone)
    return 0
