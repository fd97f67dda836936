"""A schedule with a given number of steps as a problem of truth values, for CP-SAT.

One truth value for each message, way and step. What is written is docs/schedules.md, "Rules".
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from importlib.metadata import version
from threading import Thread
from typing import Any, NamedTuple

from ortools.sat.python import cp_model

from syncfabric.models.collectives.clock import Progress, Stop, Told
from syncfabric.models.collectives.schedule import Step, Transfer
from syncfabric.models.collectives.ways import Quotient, Way, Ways

__all__ = ["NAME", "Answer", "Model", "TooLargeError", "run", "solved"]

MOST = 400_000
"""Truth values of a model that is still built."""

NAME = f"CP-SAT {version('ortools')}"

_EACH = 0.05
"""Seconds between looks at whether to stop."""
_TELL = 0.5
"""Seconds between two times that progress is told."""


class TooLargeError(Exception):
    """There would be more truth values than a solver can take."""


class Model:
    """The problem, its truth values, and how to read a schedule from them.

    Parameters
    ----------
    quotient : Quotient
        Of a task that is not to be turned round.
    ways : Ways
    steps : int
    most : int, optional
        Truth values, if fewer than ``MOST``.

    Raises
    ------
    TooLargeError
        There would be too many truth values.
    """

    def __init__(self, quotient: Quotient, ways: Ways, steps: int, most: int | None = None) -> None:
        self.quotient, self.ways, self.steps = quotient, ways, steps
        self.task = quotient.task
        self._most = MOST if most is None else min(most, MOST)
        if self._least() > self._most:
            raise TooLargeError
        self.sat = cp_model.CpModel()
        self.sent: list[tuple[Any, int, tuple[int, int], Way]] = []
        """Truth value, step from 0, message, way."""
        self._taken: dict[tuple[int, int], list[Any]] = defaultdict(list)
        self._shared: dict[Hashable, Any] = {}
        self._in: dict[tuple[int, int], list[Any]] = defaultdict(list)
        self._out: dict[tuple[int, int], list[Any]] = defaultdict(list)
        if self.task.collective.broadcast:
            for origin in quotient.origins():
                self._flood(origin, None)
        elif self.task.rules.stores:
            for origin, target in quotient.pairs():
                self._flood(origin, target)
        else:
            self._scatter()
        self._close()

    def read(self, value: Any) -> tuple[Step, ...]:
        """Return the whole schedule; ``value`` says of each truth value whether it holds."""
        steps: list[list[Transfer]] = [[] for _ in range(self.steps)]
        for variable, step, message, way in self.sent:
            if value(variable):
                steps[step].append(Transfer(message, way.path))
        return self.quotient.whole(steps)

    def _least(self) -> int:
        """Return how many truth values there are at least."""
        images = 1 if self.quotient.symmetry is None else self.quotient.symmetry.size
        return self.task.collective.demand // images * self.steps

    def _send(self, step: int, message: tuple[int, int], way: Way) -> Any:
        """Return the truth value of a transfer, with all that it takes."""
        if len(self.sent) >= self._most:
            raise TooLargeError
        variable = self.sat.new_bool_var("")
        self.sent.append((variable, step, message, way))
        shared = self._shared_until(way)
        key: Hashable
        for place, channel in enumerate(way.classes):
            if place < shared:
                key = (step, message[0], way.path[: place + 2])
                self._taken_by_all(key, variable, self._taken[step, channel])
            else:
                self._taken[step, channel].append(variable)
        if self.task.rules.ports != "all":
            source = self.quotient.node_class[way.source]
            self._in[step, self.quotient.node_class[way.target]].append(variable)
            if self.task.collective.broadcast and self.task.rules.single_use:
                key = (step, message[0], way.source)
                self._taken_by_all(key, variable, self._out[step, source])
            else:
                self._out[step, source].append(variable)
        return variable

    def _shared_until(self, way: Way) -> int:
        """Return on how many channels from the sender on copies of a message may go together."""
        if not self.task.shares:
            return 0
        if self.task.rules.stores:
            return len(way.classes)
        return 0 if self.task.topology.routers[way.source] else 1

    def _taken_by_all(self, key: Hashable, variable: Any, users: list[Any]) -> None:
        """Let transfers with the same key count once among the users."""
        if key not in self._shared:
            self._shared[key] = self.sat.new_bool_var("")
            users.append(self._shared[key])
        self.sat.add_implication(variable, self._shared[key])

    def _close(self) -> None:
        for users in self._taken.values():
            if len(users) > 1:
                self.sat.add_at_most_one(users)
        ports = self.task.rules.ports
        for users in (*self._in.values(), *self._out.values()):
            if ports == 1:
                self.sat.add_at_most_one(users)
            elif ports != "all" and len(users) > ports:
                self.sat.add(sum(users) <= ports)

    def _scatter(self) -> None:
        """Send each message once, all the way."""
        fixed = self._apart()
        for message in self.quotient.pairs():
            steps = [fixed[message]] if message in fixed else range(self.steps)
            choices = [
                self._send(step, message, way)
                for way in self.ways.between(*message)
                for step in steps
            ]
            self.sat.add_exactly_one(choices)

    def _apart(self) -> dict[tuple[int, int], int]:
        """Return a step for each of some messages that must all be in different ones.

        Which steps does not matter, for the steps may be put into any order.
        """
        groups: dict[Hashable, list[tuple[int, int]]] = defaultdict(list)
        classes = self.quotient.node_class
        for message in self.quotient.pairs():
            if self.task.rules.ports == 1:
                groups["out", classes[message[0]]].append(message)
                groups["in", classes[message[1]]].append(message)
            ways = self.ways.between(*message)
            if ways:
                for channel in set.intersection(*(set(way.classes) for way in ways)):
                    groups[channel].append(message)
        largest = max(groups.values(), key=len, default=[])
        return {message: step for step, message in enumerate(largest[: self.steps])}

    def _flood(self, origin: int, target: int | None) -> None:
        """Pass a message on from node to node: to all receivers, or to one target."""
        task, near = self.task, list[tuple[Way, int, int]]()
        had: dict[tuple[int, int], Any] = {}
        received: dict[int, list[Any]] = defaultdict(list)
        heard: dict[tuple[int, int], list[Any]] = defaultdict(list)
        passed: dict[int, list[Any]] = defaultdict(list)
        waits: list[tuple[Any, int, int]] = []
        for way, first, last in self._near(origin, target):
            near.append((way, first, last))
            for step in range(first, last):
                goal = way.target if target is None else target
                variable = self._send(step, (origin, goal), way)
                received[way.target].append(variable)
                heard[way.target, step].append(variable)
                passed[way.source].append(variable)
                if way.source != origin:
                    waits.append((variable, way.source, step))
        must = set(task.collective.receivers) - {origin} if target is None else {target}
        for node in sorted(must | received.keys()):
            if node in must:
                self.sat.add_exactly_one(received[node])
            else:
                self.sat.add_at_most_one(received[node])
        if target is not None:
            for users in passed.values():
                self.sat.add_at_most_one(users)
        for node in received:
            before: Any = 0
            for step in range(self.steps):
                if heard[node, step]:
                    now = self.sat.new_bool_var("")
                    self.sat.add(now == before + sum(heard[node, step]))
                    before = now
                had[node, step] = before
        for variable, node, step in waits:
            self.sat.add(variable <= had.get((node, step - 1), 0))
        if task.hop_by_hop and task.extra:
            self._short(origin, target, near)

    def _near(self, origin: int, target: int | None) -> Iterator[tuple[Way, int, int]]:
        """Yield the ways that a message may take, and between which steps."""
        task, topology = self.task, self.task.topology
        far = task.topology.hops(origin)
        left = None if target is None else topology.to_go(target)
        for source in range(topology.nodes):
            for goal in range(topology.nodes):
                if goal in (origin, source) or source == target:
                    continue
                first, last = (0 if source == origin else 1), self.steps
                if task.hop_by_hop:
                    first = far[source]
                    whole = far[goal] if left is None or target is None else far[target]
                    rest = 0 if left is None else left[goal]
                    if far[source] + 1 + rest > whole + task.extra:
                        continue
                    last = self.steps - rest
                elif target is not None and goal != target:
                    last = self.steps - 1
                for way in self.ways.between(source, goal):
                    yield way, first, last

    def _short(self, origin: int, target: int | None, near: Iterable[tuple[Way, int, int]]) -> None:
        """Let no way from the origin be longer than the shortest and the hops allowed."""
        far, extra = self.task.topology.hops(origin), self.task.extra
        allowed = {(way.source, way.target) for way, *_ in near}
        goal = None if target is None else far[target] + extra
        depth = {
            node: self.sat.new_int_var(far[node], far[node] + extra if goal is None else goal, "")
            for node in range(self.task.topology.nodes)
            if node != origin
        }
        depth[origin] = self.sat.new_constant(0)
        for variable, _, message, way in self.sent:
            mine = message[0] == origin and (target is None or message[1] == target)
            if mine and (way.source, way.target) in allowed:
                further = depth[way.target] >= depth[way.source] + 1
                self.sat.add(further).only_enforce_if(variable)


class Answer(NamedTuple):
    """What the solver found."""

    steps: tuple[Step, ...] | None
    infeasible: bool
    branches: int


def run(
    model: Model,
    *,
    seed: int,
    time_limit: float,
    effort: float | None = None,
    told: Told | None = None,
    stop: Stop | None = None,
) -> Answer:
    """Look for a schedule.

    Parameters
    ----------
    model : Model
    seed : int
    time_limit : float
        Seconds.
    effort : float, optional
        The solver's own seconds, the same on every machine.
    told, stop : callable, optional
    """
    begun = spoken = time.monotonic()

    def over() -> bool:
        nonlocal spoken
        now = time.monotonic()
        if told is not None and now - spoken > _TELL:
            spoken = now
            told(Progress(model.task.collective.demand, 0, now - begun))
        return stop is not None and stop()

    solver, status = _solver(model.sat, seed, time_limit, effort, over)
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
