"""An island: some chains that anneal and meet, in one process."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.annealing.chromosome import Chromosome, Ints
from syncfabric.models.collectives.annealing.count import recount
from syncfabric.models.collectives.annealing.cross import meet
from syncfabric.models.collectives.annealing.evolve import evolve
from syncfabric.models.collectives.annealing.parameters import Parameters

__all__ = ["Island", "Solution", "State"]

State = dict[str, NDArray[np.generic]]
"""All that an island must remember, by names."""


class Solution(NamedTuple):
    """One chain's chromosome."""

    conflicts: int
    option: Ints
    """Of shape (genes)."""
    step: Ints
    """Of shape (genes), from 0."""


class Island:
    """HGSA of section 3.1 with a master and chains that take turns.

    Parameters
    ----------
    chromosome : Chromosome
    parameters : Parameters
    seed : int
    number : int
        Of the island; each has random numbers of its own.
    """

    def __init__(
        self, chromosome: Chromosome, parameters: Parameters, seed: int, number: int = 0
    ) -> None:
        self.chromosome, self.parameters = chromosome, parameters
        genes, steps, chains = chromosome.genes, chromosome.steps, parameters.population
        self.interval = max(parameters.exchange, genes)
        source = np.random.SeedSequence((seed, number))
        self.seeds = source.generate_state(chains + 1, np.uint64)
        rng = np.random.default_rng(source)
        first, shape = chromosome.first_option, (chains + 2, genes)
        self.option = (first[:-1] + rng.integers(np.diff(first), size=shape)).astype(np.int32)
        ends = chromosome.low, chromosome.high + 1
        self.step = rng.integers(*ends, size=shape, dtype=np.int32)
        self.costs = np.zeros(chains, np.int64)
        self.clock = np.array([parameters.start, parameters.mutation])
        self.counts = np.array(
            [parameters.iterations, self.interval, parameters.iterations], np.int64
        )
        self.told = np.array([0, np.iinfo(np.int64).max], np.int64)
        rows, relays = chains + 2, chromosome.relays
        self._uses: tuple[NDArray[np.int16 | np.int32], ...] = (
            np.zeros((rows, len(chromosome.most) * steps), np.int16),
            np.zeros((rows, len(chromosome.most) * steps), np.int32),
            np.zeros((rows, len(chromosome.main) * steps), np.int16),
            np.zeros((rows, genes * steps if relays else 0), np.int16),
        )
        self._recount()

    def _recount(self) -> None:
        for chain in range(len(self.costs)):
            self.costs[chain] = recount(
                self.chromosome.arrays(),
                self.chromosome.steps,
                self.option[chain],
                self.step[chain],
                *(uses[chain] for uses in self._uses),
            )
        self.told[1] = min(self.told[1], self.costs.min())

    def run(self, moves: int) -> None:
        """Try so many moves in each chain; stop before if one has no conflicts."""
        parameters = self.parameters
        evolve(
            self.chromosome.arrays(),
            self.chromosome.steps,
            self._state(),
            self.costs,
            self.clock,
            self.counts,
            (parameters.cooling, parameters.final, parameters.again, self.interval),
            self.seeds,
            self.told,
            moves,
        )

    def take(self, solution: Solution) -> None:
        """Let the worst chain meet a solution of another island."""
        meet(
            self.chromosome.arrays(),
            self.chromosome.steps,
            self._state(),
            self.costs,
            int(self.costs.argmax()),
            solution.option,
            solution.step,
            solution.conflicts,
            self.clock,
            self.seeds,
            self.told,
        )

    def _state(self) -> tuple[NDArray[np.generic], ...]:
        return (self.option, self.step, *self._uses)

    @property
    def best(self) -> Solution:
        """The chain with the least conflicts."""
        chain = int(self.costs.argmin())
        return Solution(int(self.costs[chain]), self.option[chain].copy(), self.step[chain].copy())

    @property
    def evaluations(self) -> int:
        """Moves and children whose conflicts were counted."""
        return int(self.told[0])

    @property
    def least(self) -> int:
        """The least conflicts that any chain has had."""
        return int(self.told[1])

    def save(self) -> State:
        """Return what ``load`` goes on from."""
        names = ("option", "step", "clock", "counts", "seeds", "told")
        return {name: getattr(self, name).copy() for name in names}

    def knows(self, state: State) -> bool:
        """Return whether ``save`` of such an island can have returned this."""
        own = self.save()
        return (
            state.keys() == own.keys()
            and all((a.shape, a.dtype) == (own[k].shape, own[k].dtype) for k, a in state.items())
            and self.chromosome.holds(state["option"], state["step"])
            and bool(np.isfinite(state["clock"]).all())
            and min(state["counts"].tolist()) >= 0
        )

    def load(self, state: State) -> None:
        """Go on from what ``save`` returned, as if the island had never stopped."""
        for name, values in state.items():
            getattr(self, name)[...] = values
        self._recount()
