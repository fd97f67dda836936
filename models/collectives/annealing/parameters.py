"""What annealing can be told."""

from __future__ import annotations

from dataclasses import dataclass

from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import SpecError

__all__ = ["Parameters"]


@dataclass(frozen=True)
class Parameters:
    """Parameters of HGSA. Those that the paper names are as in its section 5.

    The chains of an island cool together from ``start``. Once below ``final`` they are heated to
    ``again`` and cool half as fast as before, and so on: what is too hard for one pass is found in
    a later one.

    Parameters
    ----------
    population : int
        Chains of an island. The paper has one a blade, so one an island; more cost speed, and help
        only where crossover does, as in ``of``.
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
        The chance that a child is mutated.
    final, again : float
        See above.
    paths : int
        Between two nodes at most.
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
    printed: bool = False

    @classmethod
    def of(cls, task: Task) -> Parameters:
        """Return what does best: eight chains where one node broadcasts, else the defaults."""
        return cls(population=8 if task.collective.kind in ("OAB", "multicast") else 1)

    def __post_init__(self) -> None:
        for name in ("population", "iterations", "exchange", "paths"):
            if getattr(self, name) < 1:
                raise SpecError(f"annealing: {name} must be 1 or more, not {getattr(self, name)}")
        for name in ("start", "final", "again"):
            if getattr(self, name) <= 0:
                raise SpecError(f"annealing: {name} must be above 0, not {getattr(self, name)}")
        if not 0 < self.cooling < 1:
            raise SpecError(f"annealing: cooling must be between 0 and 1, not {self.cooling}")
        if not 0 <= self.mutation <= 1:
            raise SpecError(f"annealing: mutation must be 0 to 1, not {self.mutation}")
