"""MBOA, the mixed Bayesian optimization algorithm (section 3.2 of paper EVO).

It searches a schedule of a given number of steps: a population of chromosomes, from whose better
part trees are grown (``trees``), from which new chromosomes come (``evolve``).
"""

from __future__ import annotations

from collections.abc import Iterator

from syncfabric.models.collectives.clock import Clock, Found
from syncfabric.models.collectives.encoding import encode
from syncfabric.models.collectives.mboa.evolve import evolve
from syncfabric.models.collectives.mboa.state import LEAST, TRIED, Parameters, begin
from syncfabric.models.collectives.symmetry import Symmetry, translations
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import SpecError

__all__ = ["solve"]

BATCH = 1 << 17
"""New chromosomes between two reports, at most."""
FIRST = 1 << 12
"""New chromosomes until the first."""
PACE = 2e6
"""New chromosomes a second."""


def solve(
    task: Task, steps: int, seed: int, clock: Clock, *, parameters: Parameters | None = None
) -> Iterator[Found]:
    """Search a schedule of so many steps, as every ``Method``.

    Parameters
    ----------
    task : Task
        OAB, multicast, OAS, AAS, MNS or permutation, with wormhole switching.
    steps, seed : int
    clock : Clock
    parameters : Parameters, optional

    Raises
    ------
    SpecError
        There is no step, or a parameter is out of range.
    """
    parameters = (parameters or Parameters()).checked()
    symmetry = _symmetry(task, parameters.translations) if parameters.translations > 1 else None
    encoding = encode(task, steps, paths=parameters.paths, symmetry=symmetry)
    if not task.collective.demand:
        yield Found(((),) * steps, 0)
        return
    state = begin(encoding.tables, parameters, seed)
    figures, batch = state.figures, FIRST
    with clock.stands():
        evolve(state, 0)
    while True:
        # In pieces, which change nothing but how soon it ends when the time is over.
        for _ in range(batch // FIRST):
            evolve(state, FIRST)
            if figures[LEAST] == 0 or clock.over:
                break
        batch = min(2 * batch, BATCH)
        tried = int(figures[TRIED])
        steps_found = encoding.decode(*state.best) if figures[LEAST] == 0 else None
        yield Found(steps_found, int(figures[LEAST]), tried, (tried + batch) / PACE)
        if steps_found is not None or clock.over:
            return


def _symmetry(task: Task, most: int) -> Symmetry:
    """Return the most translations, up to a number, under which what must be served is the same."""
    for group in translations(task.topology):
        if group.size <= most and not task.collective.broadcast and group.keeps(task.collective):
            return group
    raise SpecError(
        f"mboa: there are no translations of {task.topology.name}, {most} at most, under which "
        f"what {task.collective.kind} must serve stays the same; leave out translations"
    )
