"""Who looks for a schedule with a given number of steps, in which order, and how long.

No turn is measured by a clock, so the same seed gives the same schedule on any machine, unless the
time limit cuts it. A turn has both what processors there are, and each round's turns are twice as
long as those of the round before: so no method, and none of the symmetries that one is tried with,
keeps the others waiting for more than a few times what it takes itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from typing import Any, NamedTuple

from syncfabric.models.collectives.task import Task

__all__ = ["Turn", "turns"]

_EFFORT = 0.25
"""Of ``exact`` on each of its attempts, in the solver's own seconds."""
_VALUES = 25_000
"""Truth values of a model of ``exact``: to make a large one takes longer than all other turns."""
_MOVES = 4_000_000
"""Of ``hgsa``."""
_ALIKE = 2_000_000
"""Of ``hgsa`` with a symmetry: what it finds at all, it finds soon."""
_CHROMOSOMES = 2_000
"""Of ``mboa``."""
_ALONE = 16
"""How many times as long a method's turns are that has no other beside it."""
_GROUPS = 3
"""Symmetries that annealing tries."""


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
    if method == "exact":
        return Turn(method, inf, {"effort": _EFFORT * times, "most": _VALUES * times})
    return Turn(method, times * (_MOVES if method == "hgsa" else _CHROMOSOMES), {})


def _alike(task: Task, times: int) -> Iterator[Turn]:
    """Yield the turns of annealing with groups that keep the collective, large ones first."""
    from syncfabric.models.collectives.exact.symmetry import translations

    groups = [group for group in translations(task.topology) if group.keeps(task.collective)]
    for group in groups[:_GROUPS]:
        yield Turn("hgsa", _ALIKE * times, {"symmetry": group})
