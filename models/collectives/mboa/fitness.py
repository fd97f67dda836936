"""How good a chromosome is: its conflicts, counted anew or gene by gene."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.mboa.encoding import PATH, SOURCE, STEP, Instance
from syncfabric.models.compiled import inlined

__all__ = ["added", "in_the_way", "take", "weigh"]

Genes = NDArray[np.int16]
Used = NDArray[np.int32]
"""How many times each resource is taken in each step, and the numbers of the genes that take it,
added up: where that is one gene, it is this gene. Of shape (steps, resources, 2)."""


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
