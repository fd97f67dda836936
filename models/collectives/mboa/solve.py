"""MBOA, the mixed Bayesian optimization algorithm (section 3.2 of paper EVO), on annealing chains.

The chains are the population, and their moves its mutation. Now and then a model is learnt from the
better of them (``trees``), and draws genes of each anew. A chain takes them by a Boltzmann
tournament (Goldberg, 1990) against what it had; and where all are heated again, the winner of a
tournament takes the place of a chain with more conflicts. Where HGSA has crossover, MBOA has the
model.

Paper EVO, section 5, gives tournament selection and replacement, and one random gene mutated in
each chromosome. It gives no figures for the rest: they are ours.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from syncfabric.models.collectives.annealing.island import Island
from syncfabric.models.collectives.annealing.island import Parameters as Annealing
from syncfabric.models.collectives.annealing.solve import solve as anneal
from syncfabric.models.collectives.clock import Clock, Found
from syncfabric.models.collectives.dice import Random, chance
from syncfabric.models.collectives.encoding import Encoding
from syncfabric.models.collectives.mboa.trees import Model, blank_model, draw, learn, tournament
from syncfabric.models.collectives.moves import Tables, make, row_of
from syncfabric.models.collectives.symmetry import Symmetry
from syncfabric.models.collectives.task import Task
from syncfabric.models.compiled import uncounted
from syncfabric.models.errors import SpecError

RATE = 0.05
"""How fast the number of genes that are drawn is adapted."""
WANTED = 0.1
"""The part of children that should be taken: at that their number stays."""


@dataclass(frozen=True)
class Parameters(Annealing):
    """Parameters of MBOA; those of its chains are as of HGSA.

    Parameters
    ----------
    selected : int
        Chromosomes that a model is learnt from, drawn by tournaments.
    rivals : int
        Chromosomes in such a tournament.
    leaves : int
        Of a decision tree, at most. With 1 a gene is drawn by its frequencies alone; with 0 none is
        drawn, and the chains' moves do all.
    questions : int
        Genes that a node of a tree may ask about, drawn at random.
    children : int
        Children of each chain from one model.
    drawn : float
        Genes that a child draws from the model, at first. As many more as suit are drawn later.
    """

    population: int = 4
    start: float = 0.16
    again: float = 0.16
    final: float = 0.09
    exchange: int = 5_000
    selected: int = 32
    rivals: int = 2
    leaves: int = 8
    questions: int = 16
    children: int = 8
    drawn: float = 8.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("selected", "rivals", "children", "drawn"):
            if getattr(self, name) < 1:
                raise SpecError(f"mboa: {name} must be 1 or more, not {getattr(self, name)}")
        if min(self.leaves, self.questions) < 0:
            raise SpecError("mboa: leaves and questions must be 0 or more")

    def island(self, encoding: Encoding, seed: int, number: int) -> Island:
        """Return a population with these parameters."""
        return _Population(encoding, self, seed, number)


class _Population(Island):
    """Chains that meet in a model."""

    def __init__(self, encoding: Encoding, parameters: Parameters, seed: int, number: int) -> None:
        super().__init__(encoding, parameters, seed, number)
        self.settings, tables = parameters, encoding.tables
        options, steps = np.diff(tables.first_option), tables.high - tables.low + 1
        bounds = np.stack([options, steps], axis=1).astype(np.int32)
        self.model = blank_model(bounds, parameters.selected, parameters.leaves)
        self.drawn = np.array([min(parameters.drawn, encoding.genes)], np.float64)
        self.olds = np.zeros((encoding.genes, 3), np.int64)
        self.heat = 0.0
        self.random: Random = self.seeds[-1:].view(np.uint64)

    def exchange(self) -> None:
        """Learn a model and let each chain have children; after a descent spread the better."""
        tables, told, random = self.encoding.tables, self.settings, self.random
        if self.clock[0] > self.heat > 0:
            for loser in range(len(self.costs)):
                winner = tournament(self.costs, told.rivals, random)
                if self.costs[winner] < self.costs[loser]:
                    for values in (*self.chains, self.costs):
                        values[loser] = values[winner]
        self.heat = float(self.clock[0])
        if told.leaves:
            chosen = (self.model, tables, self.chains, self.costs)
            learn(*chosen, told.rivals, random)
            numbers = (self.heat, told.children, told.questions)
            recombine(*chosen, *numbers, self.drawn, self.olds, self.told, random)


@uncounted
def recombine(
    model: Model,
    tables: Tables,
    chains: Any,
    costs: Any,
    heat: float,
    children: int,
    questions: int,
    drawn: Any,
    olds: Any,
    told: Any,
    random: Random,
) -> None:
    """Let each chain have children, of which genes are drawn from the model, in its order.

    A child takes the chain's place by Metropolis' rule. More genes are drawn after a success, and
    fewer after a failure (Ocenasek, Kern, Hansen and Koumoutsakos, 2004).
    """
    genes = len(tables.low)
    for row in range(len(costs)):
        chain = row_of(chains, row)
        for _ in range(children):
            count = int(drawn[0] + chance(random))
            width, found, changed = drawn[0] / genes, 0, 0
            # Each gene in turn, with the chance that as many as wanted are chosen in the end.
            for i in range(genes):
                if changed < count and chance(random) * (genes - i) < count - changed:
                    g = model.order[i]
                    o, t = draw(model, tables, g, chain, width, questions, random)
                    olds[changed, 0], olds[changed, 1], olds[changed, 2] = (
                        g,
                        chain.option[g],
                        chain.step[g],
                    )
                    found += make(tables, chain, g, o, t)
                    changed += 1
            told[0] += 1
            taken = found <= 0 or chance(random) < np.exp(-found / heat)
            if taken:
                costs[row] += found
                told[1] = min(told[1], costs[row])
            else:
                for i in range(changed - 1, -1, -1):
                    make(tables, chain, olds[i, 0], olds[i, 1], olds[i, 2])
            share = WANTED if taken else -WANTED * WANTED / (1 - WANTED)
            drawn[0] = min(max(drawn[0] * np.exp(RATE * share / WANTED), 1.0), genes)


def solve(
    task: Task,
    steps: int,
    seed: int,
    clock: Clock,
    *,
    parameters: Parameters | None = None,
    symmetry: Symmetry | None = None,
) -> Iterator[Found]:
    """Search a schedule of so many steps, as every ``Method``.

    Parameters
    ----------
    task : Task
        As of HGSA.
    steps, seed : int
    clock : Clock
    parameters : Parameters, optional
    symmetry : Symmetry, optional
        Schedule one message of each orbit; the others are its images.

    Raises
    ------
    SpecError
        The method cannot do the task, or there is no step.
    """
    told = parameters or Parameters.of(task)
    return anneal(task, steps, seed, clock, parameters=told, islands=1, symmetry=symmetry)
