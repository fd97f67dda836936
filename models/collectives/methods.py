"""The methods that find a schedule with a given number of steps, and their turns.

No turn is measured by a clock, so the same seed gives the same schedule on any machine, unless the
time limit cuts it. A turn has both what processors there are, and each round's turns are twice as
long as those of the round before: so no method, and none of the symmetries that one is tried with,
keeps the others waiting for more than a few times what it takes itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from math import inf
from typing import Any, NamedTuple, Protocol

from syncfabric.models.collectives.clock import Found, Stop, Told
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import SpecError
from syncfabric.models.networks.explain import did_you_mean

__all__ = ["METHODS", "Method", "Turn", "check_method", "load_method", "turns"]


class _PlugIn(NamedTuple):
    """Where a method is, and how long it works in a turn of the first round."""

    folder: str
    """Has ``solve`` in a module of that name."""
    most: float
    """Evaluations."""
    more: dict[str, float]
    """What only it is told, and is as many times as much in longer turns."""


_METHODS = {
    "hgsa": _PlugIn("annealing", 4_000_000, {}),
    "mboa": _PlugIn("mboa", 2_000, {}),
    # Effort on each attempt, in the solver's own seconds, and truth values of a model: to make a
    # large one takes longer than all other turns.
    "exact": _PlugIn("exact", inf, {"effort": 0.25, "most": 25_000}),
}

METHODS = ("auto", *_METHODS)
"""``auto`` comes first: it is all others by turns."""

_ALIKE = 2_000_000
"""Evaluations of ``hgsa`` with a symmetry: what it finds at all, it finds soon."""
_ALONE = 16
"""How many times as long a method's turns are that has no other beside it."""
_GROUPS = 3
"""Symmetries that annealing tries."""


class Method(Protocol):
    """Finds a schedule of a task that is not to be turned round."""

    def __call__(
        self,
        task: Task,
        steps: int,
        *,
        seed: int,
        time_limit: float,
        told: Told | None,
        stop: Stop | None,
        **more: Any,
    ) -> Found:
        """Look for a schedule with so many steps.

        Parameters
        ----------
        task : Task
        steps : int
        seed : int
            The same seed finds the same schedule, unless the time limit cuts the search.
        time_limit : float
            Seconds, without what it takes to compile a search the first time.
        told, stop : callable, optional
            Called now and then: the one is told how far it is, the other turns true to end it.
        more
            What only this method knows.

        Raises
        ------
        SpecError
            It cannot do the task.
        """


def load_method(name: str) -> Method:
    """Return a method, but ``auto``, by its name.

    Raises
    ------
    SpecError
        There is none of this name, or it is not installed.
    """
    module = f"syncfabric.models.collectives.{_METHODS[name].folder}.solve"
    try:
        found: Method = import_module(module).solve
    except ModuleNotFoundError as error:
        raise SpecError(f'method {name}: it needs "{error.name}", which is not there') from None
    return found


def check_method(name: str) -> None:
    """Refuse a name that no method has.

    Raises
    ------
    SpecError
        There is none of this name.
    """
    if name not in METHODS:
        raise SpecError(f'method: unknown "{name}"; {did_you_mean(name, METHODS)}')


class Turn(NamedTuple):
    """A method, and how long it may work."""

    method: str
    most: float
    """Evaluations after which it is told to stop."""
    more: dict[str, Any]
    """What only it is told."""


def turns(method: str, task: Task, number: int) -> Iterator[Turn]:
    """Yield the turns of a round.

    Parameters
    ----------
    method : str
        One of ``METHODS``.
    task : Task
        Not one that is to be turned round.
    number : int
        Of the round, from 0.
    """
    if method == "auto":
        yield _turn("exact", 2**number)
        yield from _alike(task, 2**number)
        yield _turn("hgsa", 2**number)
        yield _turn("mboa", 2**number)
    else:
        yield _turn(method, _ALONE * 2**number)


def _turn(method: str, times: int) -> Turn:
    plug_in = _METHODS[method]
    more = {name: times * value for name, value in plug_in.more.items()}
    return Turn(method, times * plug_in.most, more)


def _alike(task: Task, times: int) -> Iterator[Turn]:
    """Yield the turns of annealing with groups that keep the collective, large ones first."""
    from syncfabric.models.collectives.symmetry import translations

    groups = [group for group in translations(task.topology) if group.keeps(task.collective)]
    for group in groups[:_GROUPS]:
        yield Turn("hgsa", _ALIKE * times, {"symmetry": group})
