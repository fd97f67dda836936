"""What can be chosen of the search, and a search under way."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.dice import Random, seeded
from syncfabric.models.collectives.mboa.trees import Model, blank_model
from syncfabric.models.collectives.moves import Chain, Ints, Tables, blank_chains
from syncfabric.models.errors import SpecError

__all__ = [
    "DRAWN",
    "HEAT",
    "LEAST",
    "LEFT",
    "MODEL",
    "SPAN",
    "TEMPLATE",
    "TENURE",
    "TRIED",
    "Parameters",
    "State",
    "begin",
]


class Parameters(NamedTuple):
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
        New chromosomes a gene from one model.
    tenure : int
        New chromosomes a gene from one template. Then it is the turn of the next chromosome of the
        population; so each has its own descent (``hot``), which no luckier one cuts short.
    rivals : int
        Chromosomes in a tournament of the selection: of those that a model is learnt from, and of
        those that go on into the next descent.
    window : int
        Chromosomes in a tournament of the replacement: the template of the new one, and others.
        The new one takes the place of the one among them that is most like it, if it wins.
    mutation : float
        Part of the new chromosomes in which a random gene is set to random values: its path, its
        step, or both. In a quarter of them the message that is in the way of a scatter's changes
        places with it.
    leaves : int
        Of a decision tree, at most. With 1 a gene is drawn by its frequencies alone; with 0 none is
        drawn, and mutation does all.
    questions : int
        Genes that a node of a tree may ask about, drawn at random.
    least : float
        Genes that a new chromosome draws from the model at least, on average. Variance is adapted
        from more on; the other genes are its template's.
    stagnation : int
        New chromosomes a gene from one template, none of them better, after which one of its paths
        is replaced by another.
    hot, cold : float
        A tournament of the replacement is a Boltzmann one, which a worse chromosome wins now and
        then: its temperature, in conflicts, falls from the one to the other, and again and again,
        each time half as fast. At the end of a descent every chromosome meets the winner of a
        tournament, which takes its place if it is better.
    cooling : float
        Each temperature as a part of the one before; below 1.
    span : float
        New chromosomes a gene at one temperature, in the first descent.
    paths : int
        Paths of a pair that are listed, at most.
    translations : int
        Of the network that a scatter's schedule is to be the same under, at most. Not of the paper,
        so 1 by default: none.
    """

    population: int = 4
    selected: int = 16
    generation: int = 200
    tenure: int = 20
    rivals: int = 4
    window: int = 4
    mutation: float = 1.0
    leaves: int = 8
    questions: int = 16
    least: float = 0.002
    stagnation: int = 4000
    hot: float = 0.16
    cold: float = 0.09
    cooling: float = 0.99
    span: float = 10.0
    paths: int = 1024
    translations: int = 1

    def checked(self) -> Parameters:
        """Return the parameters, each of its own type, as the compiled search wants them.

        Raises
        ------
        SpecError
            One of them is out of its bounds.
        """
        for name, value in self._asdict().items():
            least = 0 if name in ("leaves", "questions", "least", "mutation") else 1
            if name in ("hot", "cold", "span"):
                if value <= 0:
                    raise SpecError(f"mboa: {name} must be above 0, not {value}")
            elif name != "cooling" and value < least:
                raise SpecError(f"mboa: {name} must be {least} or more, not {value}")
        if self.mutation > 1:
            raise SpecError(f"mboa: mutation must be 0 to 1, not {self.mutation}")
        if not 0 < self.cooling < 1:
            raise SpecError(f"mboa: cooling must be between 0 and 1, not {self.cooling}")
        if self.cold > self.hot:
            raise SpecError(f"mboa: cold must be {self.hot} or less, as hot is, not {self.cold}")
        values = {k: type(v)(getattr(self, k)) for k, v in self._field_defaults.items()}
        return self._replace(**values)


LEAST, DRAWN, TRIED, HEAT, SPAN, LEFT, MODEL, TENURE, TEMPLATE = range(9)
"""Places in ``State.figures``."""

FIRST = 16
"""Genes that new chromosomes draw from the model at first."""

WORST = 32
"""Conflicts more that are never taken."""


class State(NamedTuple):
    """A search under way."""

    tables: Tables
    grows: bool
    """Whether some gene must come before another: then new chromosomes are repaired, and conflicts
    of order need no count."""
    settings: Parameters
    model: Model
    random: Random
    chains: Chain
    """The population, and what each chromosome takes."""
    cost: NDArray[np.int64]
    """Conflicts of each chromosome."""
    idle: NDArray[np.int64]
    """New chromosomes from each template since it was last bettered."""
    best: Ints
    """Options and steps of the best chromosome so far, of shape (2, genes)."""
    figures: NDArray[np.float64]
    """Conflicts of the best; genes that a new chromosome draws from the model; new chromosomes so
    far; the temperature, new chromosomes at one temperature, and how many of them are left; after
    how many new chromosomes the next model is learnt, and the next template's turn comes; the
    template."""
    accept: NDArray[np.float64]
    """The chance that a new chromosome with so many conflicts more is taken."""
    touched: NDArray[np.int64]
    """Room for the genes that are drawn from the model."""
    before: Ints
    """Room for a broadcast's options and steps before they are changed, of shape (2, genes)."""
    olds: Ints
    """Room for changes: gene, option and step that it had."""
    room: Ints
    """Room for steps, or senders."""


def begin(tables: Tables, parameters: Parameters, seed: int) -> State:
    """Make room for a population; ``evolve`` draws it."""
    size, genes = parameters.population, len(tables.low)
    drawn = min(genes, FIRST) if parameters.leaves > 0 else 0
    # At the coldest's end: the first new chromosome begins a descent.
    heat, span = 0.0, parameters.span * genes / 2
    senders = int(np.diff(tables.first_sender).max(initial=0))
    bounds = np.stack([np.diff(tables.first_option), tables.high - tables.low + 1], axis=1)
    return State(
        tables,
        bool((tables.parent >= 0).any()),
        parameters.checked(),
        blank_model(bounds, parameters.selected, parameters.leaves),
        seeded(seed),
        blank_chains(tables, size, ordered=True),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros((2, genes), np.int32),
        np.array([np.inf, drawn, 0.0, heat, span, 0.0, size, size, 0.0]),
        np.zeros(WORST),
        np.zeros(genes, np.int64),
        np.zeros((2, genes), np.int32),
        np.zeros((genes + 2, 3), np.int32),
        np.zeros(max(genes, senders), np.int32),
    )
