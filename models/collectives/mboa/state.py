"""A search under way."""

from __future__ import annotations

from typing import NamedTuple, get_type_hints

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.mboa.chance import Random, seeded
from syncfabric.models.collectives.mboa.encoding import Instance
from syncfabric.models.collectives.mboa.parameters import Parameters
from syncfabric.models.collectives.mboa.trees import Model, blank_model

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
    "Settings",
    "State",
    "begin",
]

LEAST, DRAWN, TRIED, HEAT, SPAN, LEFT, MODEL, TENURE, TEMPLATE = range(9)
"""Places in ``State.figures``."""

FIRST = 16
"""Genes that new chromosomes draw from the model at first."""

WORST = 32
"""Conflicts more that are never taken."""


class Settings(NamedTuple):
    """The parameters that the compiled search asks for."""

    generation: int
    tenure: int
    rivals: int
    window: int
    mutation: float
    leaves: int
    questions: int
    least: float
    stagnation: int
    hot: float
    cold: float
    cooling: float


class State(NamedTuple):
    """A search under way."""

    instance: Instance
    settings: Settings
    model: Model
    random: Random
    genes: NDArray[np.int16]
    """The population, of shape (chromosomes, genes, 3)."""
    cost: NDArray[np.int64]
    """Conflicts of each chromosome."""
    used: NDArray[np.int32]
    """What each chromosome takes, of shape (chromosomes, steps, resources, 2)."""
    idle: NDArray[np.int64]
    """New chromosomes from each template since it was last bettered."""
    best: NDArray[np.int16]
    """The best chromosome so far."""
    figures: NDArray[np.float64]
    """Conflicts of the best; genes that a new chromosome draws from the model; new chromosomes so
    far; the temperature, new chromosomes at one temperature, and how many of them are left; after
    how many new chromosomes the next model is learnt, and the next template's turn comes; the
    template."""
    accept: NDArray[np.float64]
    """The chance that a new chromosome with so many conflicts more is taken."""
    touched: NDArray[np.int64]
    """Room for the genes that a new chromosome changes."""
    olds: NDArray[np.int16]
    """Room for what they were."""
    informed: NDArray[np.int16]
    """Room for the repair."""


def begin(instance: Instance, parameters: Parameters, seed: int) -> State:
    """Make room for a population; ``evolve`` draws it."""
    size, genes = parameters.population, len(instance.bounds)
    # As they are declared: of another type, all would be compiled again.
    kinds = get_type_hints(Settings)
    settings = Settings(**{name: kinds[name](getattr(parameters, name)) for name in kinds})
    drawn = min(genes, FIRST) if parameters.leaves > 0 else 0
    # At the coldest's end: the first new chromosome begins a descent.
    heat, span = 0.0, parameters.span * genes / 2
    return State(
        instance,
        settings,
        blank_model(instance, parameters.selected, parameters.leaves),
        seeded(seed),
        np.zeros((size, genes, 3), np.int16),
        np.zeros(size, np.int64),
        np.zeros((size, instance.steps, len(instance.room), 2), np.int32),
        np.zeros(size, np.int64),
        np.zeros((genes, 3), np.int16),
        np.array([np.inf, drawn, 0.0, heat, span, 0.0, size, size, 0.0]),
        np.zeros(WORST),
        np.zeros(genes + 2, np.int64),
        np.zeros((genes + 2, 3), np.int16),
        np.zeros(genes + 1, np.int16),
    )
