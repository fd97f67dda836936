"""A schedule with a given number of steps as a problem of truth values, for CP-SAT.

One truth value for each option and step of a gene. What is written is docs/schedules.md, "Rules".
"""

from collections import defaultdict
from collections.abc import Callable
from importlib.metadata import version
from threading import Thread
from typing import Any, NamedTuple

import numpy as np
from ortools.sat.python import cp_model

from syncfabric.models.collectives.clock import Clock, tick
from syncfabric.models.collectives.encoding import Encoding
from syncfabric.models.collectives.schedule import Step

NAME = f"CP-SAT {version('ortools')}"

_EACH = 0.05
"""Seconds between looks at whether to stop."""


class Model:
    """The problem, its truth values, and how to read a schedule from them.

    Parameters
    ----------
    encoding : Encoding
    """

    def __init__(self, encoding: Encoding) -> None:
        self.encoding, self.tables = encoding, encoding.tables
        self.sat = cp_model.CpModel()
        self.sent: list[tuple[Any, int, int, int]] = []
        """Truth value, gene, option, step from 0."""
        self._got: list[list[list[Any]]] = []
        """Of each gene and step: the truth values of which one says that it is sent."""
        self._write()

    def read(self, value: Any) -> tuple[Step, ...]:
        """Return the whole schedule; ``value`` says of each truth value whether it holds."""
        option = self.tables.first_option[:-1].copy()
        step = np.full(len(option), self.tables.steps, np.int32)
        for variable, gene, place, at in self.sent:
            if value(variable):
                option[gene], step[gene] = place, at
        return self.encoding.decode(option, step)

    def _write(self) -> None:
        tables, sat, fixed = self.tables, self.sat, self._apart()
        columns = [column.tolist() for column in tables[1:]]
        first_option, parent, first_use, use, first_share, share, main, _, _, most, low, high = (
            columns
        )
        taken: dict[tuple[int, int], list[Any]] = defaultdict(list)
        shared: dict[tuple[int, int], Any] = {}
        for gene, last in enumerate(high):
            tick()
            steps: list[list[Any]] = [[] for _ in range(tables.steps)]
            self._got.append(steps)
            for option in range(first_option[gene], first_option[gene + 1]):
                before = parent[option]
                first = low[gene] if before < 0 else max(low[gene], low[before] + 1)
                for step in range(first, min(last + 1, tables.steps)):
                    if fixed.get(gene, step) != step:
                        continue
                    variable = sat.new_bool_var("")
                    self.sent.append((variable, gene, option, step))
                    steps[step].append(variable)
                    for resource in use[first_use[option] : first_use[option + 1]]:
                        taken[resource, step].append(variable)
                    for one in share[first_share[option] : first_share[option + 1]]:
                        if (one, step) not in shared:
                            shared[one, step] = sat.new_bool_var("")
                            taken[main[one], step].append(shared[one, step])
                        sat.add_implication(variable, shared[one, step])
            choices = [variable for some in steps for variable in some]
            (sat.add_exactly_one if last < tables.steps else sat.add_at_most_one)(choices)
        for (resource, _), users in taken.items():
            if most[resource] == 1:
                sat.add_at_most_one(users)
            elif len(users) > most[resource]:
                sat.add(sum(users) <= most[resource])
        if self.encoding.relays:
            self._order(parent)

    def _order(self, parent: list[int]) -> None:
        """Let a node send on what it got in an earlier step, and no path be longer than allowed."""
        sat, had = self.sat, []
        for steps in self._got:
            before: Any = 0
            had.append([before])
            for some in steps:
                if some:
                    now = sat.new_bool_var("")
                    sat.add(now == before + sum(some))
                    before = now
                had[-1].append(before)
        task = self.encoding.quotient.task
        depth: list[Any] = []
        if task.hop_by_hop and task.extra:
            far = task.topology.distances
            depth = [
                sat.new_int_var(1, int(far[message]) + task.extra, "")
                for message in map(tuple, self.encoding.messages.tolist())
            ]
        for variable, gene, option, step in self.sent:
            if parent[option] >= 0:
                sat.add(variable <= had[parent[option]][step])
                if depth:
                    further = depth[gene] >= depth[parent[option]] + 1
                    sat.add(further).only_enforce_if(variable)

    def _apart(self) -> dict[int, int]:
        """Return a step for each of some genes that must all be in different ones.

        Which steps does not matter, for the steps may be put into any order.
        """
        tables, groups = self.tables, defaultdict[int, list[int]](list)
        if self.encoding.relays:
            return {}
        for gene, begin in enumerate(tables.first_option[:-1]):
            bounds = tables.first_use[begin : tables.first_option[gene + 1] + 1]
            used = np.bincount(tables.use[bounds[0] : bounds[-1]])
            # What every option takes.
            for resource in np.flatnonzero(used == len(bounds) - 1).tolist():
                if tables.most[resource] == 1:
                    groups[resource].append(gene)
        largest = max(groups.values(), key=len, default=[])
        return {gene: step for step, gene in enumerate(largest[: tables.steps])}


class Answer(NamedTuple):
    """What the solver found."""

    steps: tuple[Step, ...] | None
    infeasible: bool
    branches: int


def run(model: Model, *, seed: int, clock: Clock, effort: float | None = None) -> Answer:
    """Look for a schedule.

    Parameters
    ----------
    model : Model
    seed : int
    clock : Clock
    effort : float, optional
        The solver's own seconds, the same on every machine.
    """
    solver, status = _solver(model.sat, seed, clock.left, effort, lambda: clock.asked)
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    steps = model.read(solver.boolean_value) if found else None
    return Answer(steps, status == cp_model.INFEASIBLE, solver.num_branches)


def solved(
    sat: Any, seed: int, left: Callable[[], float], effort: float
) -> Callable[[Any], bool] | None:
    """Solve a problem whose variables the caller knows.

    Parameters
    ----------
    sat : CpModel
    seed : int
    left : callable
        Seconds that are left; none if the search is to stop.
    effort : float
        The solver's own seconds.

    Returns
    -------
    callable or None
        Says of each truth value whether it holds; None without a solution.
    """
    solver, status = _solver(sat, seed, left(), effort, lambda: left() <= 0)
    value: Callable[[Any], bool] = solver.boolean_value
    return value if status in (cp_model.OPTIMAL, cp_model.FEASIBLE) else None


def _solver(
    sat: Any, seed: int, time_limit: float, effort: float | None, over: Callable[[], bool]
) -> tuple[Any, Any]:
    """Return the solver, and how it ended; in a thread of its own, so that it can be stopped."""
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.random_seed = seed
    parameters.max_time_in_seconds = max(0.01, time_limit)
    parameters.num_workers = 8
    # By turns, on the threads that there are: the same seed gives the same answer.
    parameters.interleave_search = True
    parameters.catch_sigint_signal = False
    if effort is not None:
        parameters.max_deterministic_time = effort
    status: list[Any] = []
    thread = Thread(target=lambda: status.append(solver.solve(sat)), daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(_EACH)
        if over():
            solver.stop_search()
    return solver, status[0]
