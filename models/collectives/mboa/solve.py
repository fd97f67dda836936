"""MBOA, the mixed Bayesian optimization algorithm (section 3.2 of paper EVO).

It searches a schedule of a given number of steps: a population of chromosomes, from whose better
part trees are grown (``trees``), from which new chromosomes come (``evolve``).
"""

from __future__ import annotations

from syncfabric.models.collectives.clock import Clock, Found, Progress, Stop, Told
from syncfabric.models.collectives.encoding import encode
from syncfabric.models.collectives.mboa.evolve import evolve
from syncfabric.models.collectives.mboa.state import LEAST, TRIED, Parameters, begin
from syncfabric.models.collectives.symmetry import Symmetry, translations
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import SpecError

__all__ = ["solve"]

KINDS = ("OAB", "multicast", "OAS", "AAS", "MNS", "permutation")

BATCH = 1 << 17
"""New chromosomes between two reports."""
PIECES = 32
"""Of a batch, between which it looks at the clock."""


def solve(
    task: Task,
    steps: int,
    *,
    seed: int = 0,
    time_limit: float = 60.0,
    told: Told | None = None,
    stop: Stop | None = None,
    parameters: Parameters | None = None,
    most: int | None = None,
) -> Found:
    """Search a schedule of so many steps, as every ``Method``.

    Parameters
    ----------
    task : Task
        OAB, multicast, OAS, AAS, MNS or permutation, with wormhole switching.
    steps, seed, time_limit, told, stop
        As of a ``Method``.
    parameters : Parameters, optional
    most : int, optional
        Chromosomes that are weighed, at most; 1 or more.

    Raises
    ------
    SpecError
        The method does not do the task, or there is no step.
    """
    kind = task.collective.kind
    if kind not in KINDS or task.rules.stores:
        what = f"{kind} with store and forward" if task.rules.stores else kind
        raise SpecError(
            f"method mboa: it cannot do {what}; it does {', '.join(KINDS)} with wormhole "
            f"switching; for broadcasts of many and for store and forward take hgsa or exact"
        )
    clock = Clock(time_limit, stop)
    parameters = (parameters or Parameters()).checked()
    symmetry = _symmetry(task, parameters.translations) if parameters.translations > 1 else None
    encoding = encode(task, steps, paths=parameters.paths, symmetry=symmetry)
    if not task.collective.demand:
        return Found(((),) * steps, 0, 0, clock.passed)
    state = begin(encoding.tables, parameters, seed)
    with clock.stands():
        evolve(state, 0)
    tried, figures = 0, state.figures
    over = False
    while True:
        end = tried + BATCH if most is None else min(tried + BATCH, most)
        # In pieces, which change nothing but how soon it ends when the time is over.
        while tried < end and figures[LEAST] > 0 and not over:
            evolve(state, min(BATCH // PIECES, end - tried))
            tried, over = int(figures[TRIED]), clock.over
        if told:
            told(Progress(int(figures[LEAST]), tried, clock.passed))
        done = figures[LEAST] == 0 or (most is not None and tried >= most)
        if done or over or clock.over:
            break
    found = encoding.decode(*state.best) if figures[LEAST] == 0 else None
    return Found(found, int(figures[LEAST]), tried, clock.passed)


def _symmetry(task: Task, most: int) -> Symmetry:
    """Return the most translations, up to a number, under which what must be served is the same."""
    for group in translations(task.topology):
        if group.size <= most and not task.collective.broadcast and group.keeps(task.collective):
            return group
    raise SpecError(
        f"mboa: there are no translations of {task.topology.name}, {most} at most, under which "
        f"what {task.collective.kind} must serve stays the same; leave out translations"
    )
