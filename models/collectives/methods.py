"""The methods that find a schedule: one interface, and one table of them.

The function of a ``Method`` is a generator: it yields the best that it has so far after each part
of its work, and ends when its clock is over. So ``auto`` lets many methods work by turns, and a
method alone is the same loop. No part is measured by a clock: the same seed gives the same schedule
on any machine, unless the time limit cuts the search.

Another package adds methods by entry points of the group ``syncfabric.methods``, each a ``Method``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from math import inf
from typing import TYPE_CHECKING, Any

from syncfabric.models.errors import SpecError
from syncfabric.models.plugins import plugins

if TYPE_CHECKING:
    from syncfabric.models.collectives.clock import Found, Stop
    from syncfabric.models.collectives.task import Task

_HOME = "syncfabric.models.collectives."


def _not_for_annealing(task: Task) -> str | None:
    if task.hop_by_hop and not task.collective.broadcast:
        return "a scatter that is stored and forwarded is for the method exact"
    return None


@dataclass(frozen=True)
class Method:
    """A method to find a schedule of a task that is not to be turned round.

    Parameters
    ----------
    name : str
    words : str
        What it is, in a line.
    place : str
        The module and the function, as ``package.module:function``. It is called with the task,
        the steps, the seed and a ``Clock``, and options of its own. It yields what it has found,
        every second at least; the last is all that it can do.
    at_once : bool
        It needs no search: the function takes no clock, and returns the steps of a schedule, or
        None, or yields some, shorter and shorter ones. ``tick`` cuts it off.
    unfit : callable, optional
        Says of a task why the method cannot do it; None if it can.
    share : float
        Of the processor, against others in ``auto``.
    symmetric : int
        With so many of the task's symmetries ``auto`` runs it with ``symmetry``, too.
    in_chunks : bool
        It is for schedules in chunks: the function takes a ``ChunkTask``, and returns the sends of
        a schedule, or None where it does not fit. ``tick`` cuts it off.
    """

    name: str
    words: str
    place: str
    at_once: bool = False
    unfit: Callable[[Task], str | None] = lambda _: None
    share: float = 1.0
    symmetric: int = 0
    in_chunks: bool = False

    @property
    def own(self) -> bool:
        """Whether it is Syncfabric's, whose errors are errors of Syncfabric."""
        return self.place.startswith(_HOME)

    def check(self, task: Task) -> None:
        """Refuse a task that is not for the method.

        Raises
        ------
        SpecError
            It cannot do it.
        """
        if (why := self.unfit(task)) is not None:
            how = " with store and forward" if task.rules.stores else ""
            raise SpecError(f"method {self.name}: it cannot do {task.collective.name}{how}: {why}")

    def run(self, task: Task, steps: int, seed: int, *args: Any, **more: Any) -> Any:
        """Look for a schedule with so many steps, as ``place`` says.

        Raises
        ------
        SpecError
            It cannot do the task, or is not installed.
        """
        self.check(task)
        return self.function(task, steps, seed, *args, **more)

    @property
    def function(self) -> Callable[..., Any]:
        """The function.

        Raises
        ------
        SpecError
            It is not installed.
        """
        module, _, function = self.place.partition(":")
        try:
            found: Callable[..., Any] = getattr(import_module(module), function)
        except ModuleNotFoundError as error:
            raise SpecError(
                f'method {self.name}: it needs "{error.name}", which is not there'
            ) from None
        return found


_OWN = (
    Method(
        "construction", "needs no search", f"{_HOME}exact.constructions:construct", at_once=True
    ),
    Method(
        "matching",
        "what few nodes have first, or trees, channel by channel",
        f"{_HOME}exact.constructions:broadcast_by_matching",
        at_once=True,
    ),
    Method(
        "torus",
        "alltoall on tori with equal sides: vectors packed into bins",
        f"{_HOME}exact.tori:pack",
        at_once=True,
    ),
    Method(
        "first fit",
        "each message where it fits first",
        f"{_HOME}exact.first_fit:first_fit",
        at_once=True,
    ),
    Method(
        "packing",
        "each step as a linear program in whole numbers",
        f"{_HOME}exact.balanced:scatter_by_packing",
        at_once=True,
    ),
    Method(
        "queues",
        "what has to pass most goes first",
        f"{_HOME}exact.balanced:scatter_by_queues",
        at_once=True,
    ),
    Method(
        "hgsa",
        "Parallel simulated annealing with crossover",
        f"{_HOME}annealing.solve:solve",
        unfit=_not_for_annealing,
        share=4,
        symmetric=2,
    ),
    Method(
        "mboa",
        "An estimation of distributions by decision trees",
        f"{_HOME}mboa.solve:solve",
        unfit=_not_for_annealing,
    ),
    Method(
        "exact",
        "CP-SAT: a truth value for each message, path and step",
        f"{_HOME}exact.solve:solve",
        share=2,
    ),
)


_IN_CHUNKS = (
    ("shortest", "shortest paths, of several the least used"),
    ("trees", "trees from every owner, at the bound of throughput"),
    ("spanning", "allreduce up and down spanning trees"),
    ("ring", "every share round the ranks by number"),
    ("greedy", "a free path takes a part that its end lacks"),
    ("paths", "what is for one rank each by a flow"),
    ("steps", "alltoall past switches, each message in the first step where it fits"),
    ("exact", "fewest equal slots, by CP-SAT"),
)


@cache
def _tables() -> dict[bool, dict[str, Method]]:
    """Return the methods by whether they are in chunks, and by name."""
    chunks = (
        Method(name, words, f"{_HOME}chunks.makers:{name}", in_chunks=True)
        for name, words in _IN_CHUNKS
    )
    found: dict[bool, dict[str, Method]] = {False: {}, True: {}}
    for each in (*_OWN, *chunks, *plugins("syncfabric.methods", Method).values()):
        found[each.in_chunks][each.name] = each
    return found


def known(*, in_chunks: bool = False) -> dict[str, Method]:
    """Return all methods in steps, or in chunks, by their names, those of other packages last."""
    return _tables()[in_chunks]


def searches(*, in_chunks: bool = False) -> tuple[str, ...]:
    """Return the names of methods that search, which a user can choose; ``auto`` is all."""
    own = known(in_chunks=in_chunks).items()
    return ("auto", *(name for name, each in own if not each.at_once))


def method(name: str, *, in_chunks: bool = False) -> Method:
    """Return a method by its name.

    Raises
    ------
    SpecError
        No method that searches has it.
    """
    from syncfabric.models.networks.explain import did_you_mean

    names = searches(in_chunks=in_chunks)
    if name not in names[1:]:
        where = " in chunks" if in_chunks else ""
        raise SpecError(f'method: unknown "{name}"{where}; {did_you_mean(name, names)}')
    return known(in_chunks=in_chunks)[name]


def solve(
    name: str,
    task: Task,
    steps: int,
    *,
    seed: int = 1,
    time_limit: float = 60.0,
    stop: Stop | None = None,
    progress: Callable[[Found], None] = lambda _: None,
    most: float = inf,
    **more: Any,
) -> Found:
    """Let one method look for a schedule with so many steps.

    Parameters
    ----------
    name : str
    task : Task
        Not one that is to be turned round.
    steps, seed : int
    time_limit : float
        Seconds, without what it takes to compile a search the first time.
    stop : callable, optional
        Turns true when the search is to end.
    progress : callable, optional
        Is progress now and then what is found.
    most : float, optional
        Evaluations after which it ends, as soon as it yields.
    more
        Options that only this method has.

    Raises
    ------
    SpecError
        There is no such method, or it cannot do the task.
    """
    from syncfabric.models.collectives.clock import Clock, Found

    clock = Clock(time_limit, stop)
    found = Found(None, task.collective.demand)
    with closing(method(name).run(task, steps, seed, clock, **more)) as run:
        for found in run:
            progress(found)
            if found.done or found.evaluations >= most:
                break
    return replace(found, seconds=clock.passed)
