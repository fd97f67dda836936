"""How hot loops, and the small functions in them, are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

__all__ = ["inlined", "uncounted"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Numba counts references to every array that a function is handed, also where the function is
# compiled into its caller. That takes most of the time; without Numba's runtime it does not.
_OPTIONS: dict[str, Any] = {"cache": True, "_nrt": False}


def uncounted(function: _Function) -> _Function:
    """Compile a hot loop. It makes no arrays."""
    return cast(_Function, njit(**_OPTIONS)(function))


def inlined(function: _Function) -> _Function:
    """Compile what a hot loop calls into that loop.

    Numba's cache of a caller does not see a change in what it calls: remove ``__pycache__`` then.
    """
    return cast(_Function, njit(**_OPTIONS, forceinline=True)(function))
