"""Jobs of experiments, on all processors or ranks, and their results kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from syncfabric.models.ranks import ranks_started
from syncfabric.sim.reproduce.kept import Kept, key_of
from syncfabric.sim.reproduce.rounds import Round, Team
from syncfabric.sim.reproduce.tally import Tally
from syncfabric.sim.reproduce.workers import ranks_lead

__all__ = ["Crew", "crew"]

Function = Callable[..., Any]
Job = tuple[Any, ...]


class Crew:
    """Carries out jobs, but those whose results are kept.

    Parameters
    ----------
    team : Team
    fresh : bool
        Leave aside what was kept before.
    """

    def __init__(self, team: Team, *, fresh: bool = False) -> None:
        self.team, self.fresh = team, fresh
        self.known: dict[Function, Kept] = {}

    def map(
        self, function: Function, jobs: Sequence[Job], tally: Tally, check: Callable[[], None]
    ) -> Iterator[Any]:
        """Yield the result of each job, in their order.

        Parameters
        ----------
        function : callable
            Of a module.
        jobs : sequence of tuples
        tally : Tally
            Is kept up to date.
        check : callable
            Is called often. What it raises ends the work at once; what is done is kept.

        Raises
        ------
        OutputError
            The cache cannot be used.
        ToolError
            A worker has died; or a job has failed on a rank. Elsewhere its own exception comes.
        """
        kept, keys = self._kept(function), [key_of(job) for job in jobs]
        todo = [place for place, key in enumerate(keys) if key not in kept.results]
        tally.begin(len(jobs), len(jobs) - len(todo))
        check()
        work = Round(self.team, function, jobs, todo)

        def keep(place: int, text: str) -> None:
            kept.add(keys[place], text)
            tally.done += 1

        try:
            for key in keys:
                while key not in kept.results:
                    for place, text in work.some():
                        keep(place, text)
                    check()
                yield json.loads(kept.results[key])
        finally:
            for place, text in work.rest():
                keep(place, text)

    def alone(
        self,
        function: Function,
        job: Job,
        tally: Tally,
        check: Callable[[], None],
        **more: Any,
    ) -> Any:
        """Return the result of a job that takes all processors by itself.

        Parameters
        ----------
        function : callable
            Of a module.
        job : tuple
        tally : Tally
            Is kept up to date.
        check : callable
            Is called before and after. If it raises, nothing is kept.
        **more
            Arguments beside the job's that do not change its result.

        Raises
        ------
        OutputError
            The cache cannot be used.
        """
        kept, key = self._kept(function), key_of(job)
        tally.begin(1, int(key in kept.results))
        check()
        if key not in kept.results:
            result = function(*job, **more)
            check()
            kept.add(key, json.dumps(result))
            tally.done += 1
        return json.loads(kept.results[key])

    def _kept(self, function: Function) -> Kept:
        if function not in self.known:
            self.known[function] = Kept(function, fresh=self.fresh)
        return self.known[function]


@contextmanager
def crew(*, fresh: bool = False) -> Iterator[Crew | None]:
    """Give a crew: processes, or under mpiexec ranks, and there to the first of them only.

    The others get None when they have done what it asked of them.

    Raises
    ------
    ToolError
        The program runs under mpiexec, but without mpi4py.
    """
    if (ranks_started() or 1) == 1:
        with _working(Team(), fresh) as made:
            yield made
        return
    with ranks_lead() as ranks:
        if ranks is None:
            yield None
            return
        with _working(Team(ranks), fresh) as made:
            yield made


@contextmanager
def _working(team: Team, fresh: bool) -> Iterator[Crew]:
    made = Crew(team, fresh=fresh)
    try:
        yield made
    except BaseException:
        team.break_off()
        raise
    finally:
        team.close()
        for kept in made.known.values():
            kept.close()
