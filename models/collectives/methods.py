"""The ways to find a schedule with a given number of steps, by name.

All take the same arguments (docs/schedules.md, "Finding a schedule") and are imported when they
are first asked for, for compiled kernels and solvers take long to load.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from syncfabric.models.collectives.progress import Found, Stop, Told
from syncfabric.models.collectives.task import Task
from syncfabric.models.errors import SpecError
from syncfabric.models.networks.explain import did_you_mean

__all__ = ["METHODS", "Method", "check_method", "load_method"]

METHODS = ("auto", "hgsa", "mboa", "exact")
"""``auto`` comes first: it is all others by turns."""

_FOLDERS = {"hgsa": "annealing", "mboa": "mboa", "exact": "exact"}
"""Each has ``solve`` in a module of that name."""


class Method(Protocol):
    """Finds a schedule of a task that is not to be turned round.

    Raises SpecError if it cannot do the task.
    """

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
        """Look for a schedule with so many steps for so many seconds.

        ``more``: what only this method knows.
        """


def load_method(name: str) -> Method:
    """Return a method, but ``auto``, by its name.

    Raises
    ------
    SpecError
        There is none of this name, or it is not installed.
    """
    module = f"syncfabric.models.collectives.{_FOLDERS[name]}.solve"
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
