"""How good a chromosome is: its conflicts. And the repair of broadcast trees."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from syncfabric.models.collectives.mboa.chance import Random, below
from syncfabric.models.collectives.mboa.encoding import PATH, SOURCE, STEP, Instance

__all__ = ["repair", "take", "weigh"]

Genes = NDArray[np.int16]
Used = NDArray[np.int16]
"""How many times each resource is taken in each step, of shape (steps, resources)."""


@njit(cache=True, forceinline=True)
def take(
    pair: NDArray[np.int32],
    first_path: NDArray[np.int64],
    first_use: NDArray[np.int64],
    use: NDArray[np.int32],
    room: NDArray[np.int16],
    genes: Genes,
    gene: int,
    used: Used,
    times: int,
) -> int:
    """Take what a gene's path takes, or give it back; return the conflicts that come or go.

    Two paths that share a channel in a step are a conflict, and so is each message beyond a node's
    ports with each that is too many. The path's index counts modulo the paths that there are.

    Parameters
    ----------
    pair, first_path, first_use, use, room : array
        As in an ``Instance``; one by one, for compiled code passes them faster so.
    genes : array of int, of shape (genes, 3)
        A chromosome.
    gene : int
    used : array of int, of shape (steps, resources)
    times : int
        1 to take, -1 to give back.
    """
    served = pair[gene, genes[gene, SOURCE]]
    first = first_path[served]
    path, step = first + genes[gene, PATH] % (first_path[served + 1] - first), genes[gene, STEP]
    conflicts = 0
    for i in range(first_use[path], first_use[path + 1]):
        resource = use[i]
        before = used[step, resource]
        used[step, resource] = before + times
        conflicts += max(before + (times > 0) - room[resource], 0)
    return conflicts


@njit(cache=True)
def repair(steps: int, genes: Genes, state: Random) -> None:
    """Make a broadcast tree of a chromosome, step by step.

    A source that has not got the message before the step is replaced by a random one that has.
    """
    count = len(genes)
    informed = np.empty(count + 1, np.int16)
    since = np.empty(count + 1, np.int16)
    informed[0], since[0], known = 0, -1, 1
    for gene in range(count):
        since[gene + 1] = genes[gene, STEP]
    for step in range(steps):
        before = known
        for gene in range(count):
            if genes[gene, STEP] == step:
                if since[genes[gene, SOURCE]] >= step:
                    genes[gene, SOURCE] = informed[below(state, before)]
                informed[known] = gene + 1
                known += 1


@njit(cache=True)
def weigh(instance: Instance, genes: Genes, used: Used) -> int:
    """Return the conflicts of a chromosome, and note what it takes."""
    for step in range(used.shape[0]):
        for resource in range(used.shape[1]):
            used[step, resource] = 0
    conflicts = 0
    for gene in range(len(genes)):
        conflicts += take(
            instance.pair,
            instance.first_path,
            instance.first_use,
            instance.use,
            instance.room,
            genes,
            gene,
            used,
            1,
        )
    return conflicts
