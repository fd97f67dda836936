"""Mutation, with integer bounds: no value is drawn that its item cannot have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.mboa.chance import Random, below, two
from syncfabric.models.collectives.mboa.encoding import PATH, STEP, Instance
from syncfabric.models.collectives.mboa.fitness import take
from syncfabric.models.compiled import inlined

__all__ = ["mutate", "replace_path", "values"]


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
    path, step = two(random, bounds[gene, PATH], bounds[gene, STEP])
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
