"""What can be chosen of the search."""

from __future__ import annotations

from dataclasses import dataclass

from syncfabric.models.errors import SpecError

__all__ = ["Parameters"]


@dataclass(frozen=True)
class Parameters:
    """How MBOA searches.

    Paper EVO, section 5, gives tournament selection and replacement, and one random gene mutated
    in each chromosome. It sets the population such that half of the runs succeed, and gives no
    figures for the rest: they are ours.

    Parameters
    ----------
    population : int
        Chromosomes.
    selected : int
        Chromosomes that a model is learnt from, drawn by tournaments.
    generation : int
        New chromosomes from one model.
    rivals : int
        Chromosomes in a tournament of the selection, of parents and of templates.
    window : int
        Chromosomes in a tournament of the replacement: the template of the new one, and others.
        The new one takes the place of the one among them that is most like it, unless that is
        better.
    mutation : float
        Part of the new chromosomes in which a random gene is set to random values.
    leaves : int
        Of a decision tree, at most.
    questions : int
        Genes that a node of a tree may ask about, drawn at random.
    least : float
        Genes that a new chromosome draws from the model at least, on average. It starts with all
        of them, and variance is adapted from there; the others are its template's.
    stagnation : int
        New chromosomes a gene from one template, none of them better, after which one of its paths
        is replaced by another.
    patience : int
        How often a chromosome stagnates, on average, with no new best, before one path more is
        replaced at once.
    replaced : int
        Paths that are so replaced at once, at most; after that it is one again.
    paths : int
        Paths of a pair that are listed, at most.
    translations : int
        Of the network that a scatter's schedule is to be the same under, at most. Not of the paper,
        so 1 by default: none.

    Raises
    ------
    SpecError
        One of them is out of its bounds.
    """

    population: int = 16
    selected: int = 16
    generation: int = 1000
    rivals: int = 4
    window: int = 4
    mutation: float = 1.0
    leaves: int = 8
    questions: int = 16
    least: float = 0.01
    stagnation: int = 40
    patience: int = 50
    replaced: int = 8
    paths: int = 1024
    translations: int = 1

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            least = 0 if name in ("questions", "least", "mutation") else 1
            if value < least:
                raise SpecError(f"mboa: {name} must be {least} or more, not {value}")
        if self.mutation > 1:
            raise SpecError(f"mboa: mutation must be 0 to 1, not {self.mutation}")
