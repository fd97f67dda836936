"""Chromosomes as tables: copied, and compared."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.mboa.encoding import PATH, SOURCE, STEP
from syncfabric.models.compiled import inlined

__all__ = ["copy", "put", "unlike"]

Genes = NDArray[np.int16]


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
