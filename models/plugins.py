"""What other packages add to Syncfabric: objects that they announce as entry points.

=========================== =======================================================
group                       object
=========================== =======================================================
``syncfabric.topologies``   ``models.networks.family.Family``
``syncfabric.planners``     a function, see ``models.planning.planners.Planner``
``syncfabric.schemes``      ``models.schemes.scheme.Scheme``
``syncfabric.methods``      ``models.collectives.methods.Method``
``syncfabric.experiments``  ``sim.experiments.frame.Experiment``
=========================== =======================================================
"""

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from functools import cache, wraps
from importlib.metadata import entry_points
from pathlib import Path
from types import FunctionType
from typing import Any

from syncfabric.models.errors import SpecError, SyncfabricError

Result = Callable[[str, Any], Any]
_ROOT = str(Path(__file__).parents[1])


@cache
def plugins(group: str, kind: Any, result: Result = lambda _, made: made) -> dict[str, Any]:
    """Return the objects of a group by the names of their entry points.

    Parameters
    ----------
    group : str
        As in the table above.
    kind : type
        What each must be. Its functions, or the object if it is one, raise only ``SpecError`` then.
    result : callable, optional
        Takes the name of a field (of a plain function: none), and what the function there returned;
        returns it, or raises TypeError if it is not what it must be.

    Raises
    ------
    SpecError
        A package that announces one cannot be imported, or has no such object.
    """
    found = {}
    for point in entry_points(group=group):
        of = f' of package "{point.dist.name}"' if point.dist else ""
        whose = f'entry point "{point.name}" in {group}{of}'
        try:
            each = point.load()
        except (Exception, SystemExit) as error:
            raise SpecError(
                f"{whose} cannot be loaded from"
                f" {point.value}: {error}; correct or uninstall the package"
            ) from error
        if not isinstance(each, kind):
            types = f"{kind.__name__}, not {type(each).__name__}"
            raise SpecError(
                f"{whose}: {point.value} must be of type {types}; correct or uninstall the package"
            )
        if is_dataclass(each) and not isinstance(each, type):
            own = {field.name: getattr(each, field.name) for field in fields(each)}
            each = replace(
                each,
                **{
                    name: _guard(value, whose, name, result)
                    for name, value in own.items()
                    if isinstance(value, FunctionType)
                },
            )
        elif not isinstance(each, type):
            each = _guard(each, whose, "", result)
        found[point.name] = each
    return found


@contextmanager
def guarded(whose: str, *passing: type[Exception]) -> Iterator[None]:
    """Turn what another package's code raises into an error of one line.

    Parameters
    ----------
    whose : str
        Names the code.
    *passing : type
        Exceptions that are let through, as Syncfabric's own are.

    Raises
    ------
    SpecError
        With the line of the package in which it was raised, if it was there.
    """
    through: tuple[type[Exception], ...] = (SyncfabricError, *passing)
    try:
        yield
    except through:
        raise
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [
            f" ({frame.filename}, line {frame.lineno})"
            for frame in frames
            if not frame.filename.startswith(_ROOT)
        ]
        words = " ".join(f"{type(error).__name__}: {error}".split())
        raise SpecError(
            f"{whose}: {words}{''.join(lines[:1])}; correct or uninstall the package"
        ) from error


def _guard(function: Any, whose: str, name: str, result: Result) -> Any:
    @wraps(function)
    def call(*args: Any, **more: Any) -> Any:
        with guarded(whose):
            made = function(*args, **more)
        try:
            return result(name, made)
        except TypeError as error:
            raise SpecError(f"{whose}: {error}; correct or uninstall the package") from None

    return call
