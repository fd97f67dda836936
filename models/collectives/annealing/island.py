"""An island: some chains that anneal and meet, in one process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from syncfabric.models.collectives.annealing.kernel import evolve, exchange, meet
from syncfabric.models.collectives.encoding import Encoding, encode
from syncfabric.models.collectives.moves import Ints, blank_chains, recount
from syncfabric.models.collectives.symmetry import Symmetry
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import SpecError, check_range


@dataclass(frozen=True)
class Parameters:
    """Parameters of HGSA. Those that the paper names are as in its section 5.

    The chains of an island cool together from ``start``. Once below ``final`` they are heated to
    ``again`` and cool half as fast as before, and so on: what is too hard for one pass is found in
    a later one.

    Parameters
    ----------
    population : int
        Chains of an island. The paper has one a blade, so one an island; more cost speed.
    iterations : int
        Moves at one temperature, in the first pass.
    cooling : float
        Each temperature as a part of the one before; below 1.
    start : float
        The first temperature, in conflicts.
    exchange : int
        Moves between exchanges with the master; as many as there are genes if that is more, for a
        crossover costs as much as so many moves.
    mutation : float
        The probability that a child is mutated.
    final, again : float
        See above.
    paths : int
        Between two nodes at most.
    repairs : bool
        Whether nodes to which a sender would send too early get other senders with its move. That
        looks at all genes.
    printed : bool
        Hop by hop, what an origin sends to its neighbours goes in step 1, as the paper prints it.

    Raises
    ------
    SpecError
        One of them is out of range.
    """

    population: int = 1
    iterations: int = 200
    cooling: float = 0.99
    start: float = 100.0
    exchange: int = 100
    mutation: float = 0.1
    final: float = 0.08
    again: float = 0.4
    paths: int = 64
    repairs: bool = False
    printed: bool = False

    @classmethod
    def of(cls, task: Task) -> Parameters:
        """Return what does best: one broadcast is repaired, and cold from the beginning."""
        if task.collective.kind not in ("OAB", "multicast"):
            return cls()
        return cls(start=0.1, again=0.1, final=0.05, repairs=True)

    def island(self, encoding: Encoding, seed: int, number: int) -> Island:
        """Return an island with these parameters."""
        return Island(encoding, self, seed, number)

    def __post_init__(self) -> None:
        for name in ("population", "iterations", "exchange", "paths"):
            check_range(f"annealing: {name}", getattr(self, name), 1)
        for name in ("start", "final", "again"):
            if getattr(self, name) <= 0:
                raise SpecError(f"annealing: {name} must be above 0, not {getattr(self, name)}")
        if not 0 < self.cooling < 1:
            raise SpecError(f"annealing: cooling must be between 0 and 1, not {self.cooling}")
        check_range("annealing: mutation", self.mutation, 0, 1)


KEPT = ("option", "step", "clock", "counts", "seeds", "told")
"""All that an island must remember."""

State = dict[str, NDArray[Any]]
"""Of each of ``KEPT``, what it is."""


class Solution(NamedTuple):
    """One chain's chromosome."""

    conflicts: int
    option: Ints
    """Of shape (genes)."""
    step: Ints
    """Of shape (genes), from 0."""


class Outcome(NamedTuple):
    """What an island has after an epoch."""

    best: Solution
    evaluations: int
    least: int
    """Conflicts that it has had at least."""


@dataclass(frozen=True)
class Begin:
    """What an island is made of."""

    task: Task
    steps: int
    parameters: Parameters
    symmetry: Symmetry | None
    seed: int
    number: int

    def make(self) -> Island:
        """Return the island."""
        own = self.parameters
        options: dict[str, Any] = {"paths": own.paths, "seed": self.seed, "printed": own.printed}
        encoding = encode(self.task, self.steps, symmetry=self.symmetry, **options)
        return own.island(encoding, self.seed, self.number)


class Island:
    """HGSA of section 3.1 with a master and chains that take turns.

    Parameters
    ----------
    encoding : Encoding
    parameters : Parameters
    seed : int
    number : int
        Of the island; each has random numbers of its own.
    """

    def __init__(
        self, encoding: Encoding, parameters: Parameters, seed: int, number: int = 0
    ) -> None:
        self.encoding, self.parameters = encoding, parameters
        tables, genes, chains = encoding.tables, encoding.genes, parameters.population
        # With one chain there is nothing to exchange.
        self.interval = max(parameters.exchange, genes) if chains > 1 else 1 << 62
        source = np.random.SeedSequence((seed, number))
        self.seeds = source.generate_state(chains + 1, np.uint64)
        rng = np.random.default_rng(source)
        self.chains = blank_chains(tables, chains + 2)
        self.option, self.step, *_ = self.chains
        first, shape = tables.first_option, (chains + 2, encoding.genes)
        self.option[:] = first[:-1] + rng.integers(np.diff(first), size=shape)
        self.step[:] = rng.integers(tables.low, tables.high + 1, size=shape, dtype=np.int32)
        self.costs = np.zeros(chains, np.int64)
        self.clock = np.array([parameters.start, parameters.mutation])
        self.counts = np.array(
            [parameters.iterations, self.interval, parameters.iterations], np.int64
        )
        self.told = np.array([0, np.iinfo(np.int64).max], np.int64)
        self._recount()

    def _recount(self) -> None:
        drawn = np.empty(self.encoding.genes, np.int32)
        for chain in range(len(self.costs)):
            self.costs[chain] = recount(self.encoding.tables, self.chains, chain, drawn)
        self.told[1] = min(self.told[1], self.costs.min())

    def run(self, moves: int) -> None:
        """Try so many moves in each chain; stop before if one has no conflicts."""
        given = self.parameters
        plan = (given.cooling, given.final, given.again, given.repairs)
        state = (self.chains, self.costs, self.clock, self.counts)
        while True:
            moves = evolve(self.encoding.tables, *state, plan, self.seeds, self.told, moves)
            if self.counts[1] == 0:
                self.counts[1] = self.interval
                self.exchange()
            if moves <= 0 or self.costs.min() == 0:
                return

    def exchange(self) -> None:
        """Let each chain meet a solution that the master sends it."""
        rest = (self.clock, self.seeds, self.told)
        exchange(self.encoding.tables, self.chains, self.costs, *rest)

    def take(self, solution: Solution) -> None:
        """Let the worst chain meet a solution of another island."""
        worst, other = int(self.costs.argmax()), (solution.option, solution.step)
        rest = (self.clock, self.seeds, self.told)
        tables, costs = self.encoding.tables, self.costs
        meet(tables, self.chains, costs, worst, (*other, solution.conflicts), *rest)

    def epoch(self, moves: int, solution: Solution | None) -> Outcome:
        """Take a solution, if there is one, and try so many moves."""
        if solution is not None:
            self.take(solution)
        self.run(moves)
        return Outcome(self.best, self.evaluations, self.least)

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
        return {name: getattr(self, name).copy() for name in KEPT}

    def knows(self, state: State) -> bool:
        """Return whether ``save`` of such an island can have returned this."""
        return (
            all(
                (a.shape, a.dtype) == (b.shape, b.dtype)
                for a, b in zip(state.values(), self.save().values(), strict=True)
            )
            and self.encoding.holds(state["option"], state["step"])
            and bool(np.isfinite(state["clock"]).all())
            and min(state["counts"].tolist()) >= 0
        )

    def load(self, state: State) -> Solution:
        """Go on from what ``save`` returned, as if the island had never stopped."""
        for name, values in state.items():
            getattr(self, name)[...] = values
        self._recount()
        return self.best
