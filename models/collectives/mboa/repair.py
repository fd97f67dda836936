"""The repair of broadcast trees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.mboa.chance import Random, below
from syncfabric.models.collectives.mboa.encoding import SOURCE, STEP
from syncfabric.models.compiled import uncounted

__all__ = ["repair"]


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
