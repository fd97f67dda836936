"""A schedule with a given number of steps by CP-SAT, or the proof that there is none."""

from collections.abc import Iterator

from syncfabric.models.collectives.clock import Clock, Found
from syncfabric.models.collectives.encoding import Encoding, TooLargeError, encode
from syncfabric.models.collectives.exact.model import Answer, Model, run
from syncfabric.models.collectives.exact.tori import scatter_on_torus
from syncfabric.models.collectives.symmetry import Symmetry, translations
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import SpecError

MOST = 400_000
"""Truth values of a model that is still built."""
BUILD = 3e-5
"""Seconds that each takes to build."""
_GROUPS = 4
"""Symmetries that are tried."""
_EFFORT, _MORE = 0.05, 4
"""Of the solver on a model, in its own seconds: the first time, and how many times as much on each
further one, which begins anew."""
_SOLVER = 4.0
"""Seconds of a processor for one of the solver's own."""
_SOME, _ALL = 64, 1000
"""Paths of a pair of nodes, with and without a symmetry."""


class _Try:
    """A model, not built yet, and what has been done about it."""

    def __init__(self, encoding: Encoding, proves: bool) -> None:
        self.encoding, self.proves = encoding, proves
        tables = encoding.tables
        self.values = len(tables.parent) * tables.steps
        self.model: Model | None = None
        self.effort, self.useless = _EFFORT, False

    @property
    def next(self) -> float:
        """What it takes to go on, in seconds."""
        return _SOLVER * self.effort + (BUILD * self.values if self.model is None else 0.0)

    def go_on(self, seed: int, clock: Clock) -> Answer:
        """Let the solver work."""
        self.model = self.model or Model(self.encoding)
        answer = run(self.model, seed=seed, clock=clock, effort=self.effort)
        self.effort *= _MORE
        self.useless = answer.infeasible
        return answer


def solve(
    task: Task, steps: int, seed: int, clock: Clock, *, symmetric: bool = True
) -> Iterator[Found]:
    """Find a schedule, or prove that there is none, as every ``Method``.

    Schedules that look alike everywhere are tried first, where the topology allows it, then all, by
    turns: whatever takes least. There is none if the solver says so of all, and no path that the
    task allows was left out.

    Parameters
    ----------
    task : Task
    steps, seed : int
    clock : Clock
    symmetric : bool
        Whether to try what looks alike; for a proof it is no use.

    Raises
    ------
    SpecError
        The task is too large.
    """
    demand, branches, work = task.collective.demand, 0, 0.0
    if symmetric:
        packed = scatter_on_torus(task, seed, lambda: 0.0 if clock.asked else clock.left)
        if packed is not None and len(packed) <= steps:
            yield Found(packed, 0)
            return
    tries = [*_tries(task, steps, symmetric)]
    if not tries:
        raise SpecError(
            f"exact: {task.collective.name} on {task.topology.name} in {steps} steps is too large; "
            "hgsa can take it"
        )
    while tries and not clock.over:
        cheapest = min(tries, key=lambda one: one.next)
        yield Found(None, demand, branches, work + cheapest.next)
        work += cheapest.next
        answer = cheapest.go_on(seed, clock)
        branches += answer.branches
        if answer.steps is not None:
            yield Found(answer.steps, 0, branches, work)
            return
        if answer.infeasible and cheapest.proves:
            yield Found(None, demand, branches, work, infeasible=True)
            return
        tries = [one for one in tries if not one.useless]
    yield Found(None, demand, branches, work)


def _tries(task: Task, steps: int, symmetric: bool) -> Iterator[_Try]:
    """Yield models that are not too large: with a symmetry, and of all that the task allows."""
    # All-to-all broadcasts are as short hop by hop: nodes cannot hear more, whatever the path.
    broadcasts = task.collective.broadcast and len(task.collective.senders) > 1
    groups = translations(task.topology) if symmetric else ()
    fitting = [group for group in groups if group.keeps(task.collective)]
    attempts: list[tuple[Symmetry | None, bool]] = [(group, False) for group in fitting[:_GROUPS]]
    if broadcasts and not task.rules.stores:
        attempts.append((None, False))
    for symmetry, whole in (*attempts, (None, True)):
        images = 1 if symmetry is None else symmetry.size
        if task.collective.demand // images * steps > MOST:
            continue
        try:
            encoding = encode(
                task,
                steps,
                paths=_ALL if symmetry is None else _SOME,
                symmetry=symmetry,
                whole=whole,
                most=MOST // steps,
            )
        except TooLargeError:
            continue
        except SpecError:
            if symmetry is None:
                raise
            continue
        yield _Try(encoding, symmetry is None and whole and encoding.table.whole)
