"""How hot loops, and the small functions in them, are compiled, and where the outcome is kept.

Numba looks only at a function's own file to see whether what it has kept of it is still right; a
change in what the function calls or names elsewhere it does not see. So the folder in which it
keeps things is named by the sources of all kernels together.
"""

import functools
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

from syncfabric.models.cache import cache_folder, fingerprint

KERNELS = (
    "broadcast",
    "collectives/annealing",
    "collectives/random_numbers.py",
    "collectives/mboa",
    "collectives/moves.py",
    "compiled.py",
)
"""Where kernels stand in ``models``. They name nothing of the project from elsewhere."""

KEPT = 4
"""Folders of other sources that are kept."""
YOUNG_SECONDS = 3600.0
"""One used within this time is never removed: Numba fails if its folder vanishes."""

_Function = TypeVar("_Function", bound=Callable[..., Any])

_config: Any = numba.config


def compiled(function: _Function) -> _Function:
    """Compile a function that may make arrays."""
    return _compile(function)


def uncounted(function: _Function) -> _Function:
    """Compile a hot loop. It makes no arrays.

    Numba counts references to every array that a function is handed, also where the function is
    compiled into its caller. That takes most of the time; without Numba's runtime it does not.
    """
    return _compile(function, _nrt=False)


def inlined(function: _Function) -> _Function:
    """Compile what a hot loop calls into that loop. It makes no arrays."""
    return _compile(function, _nrt=False, forceinline=True)


def _compile(function: _Function, **options: Any) -> _Function:
    folder = _folder()
    before = _config.CACHE_DIR
    # Numba looks at it here, and never again for this function.
    _config.CACHE_DIR = str(folder or before)
    try:
        return cast(_Function, numba.njit(cache=folder is not None, **options)(function))
    finally:
        _config.CACHE_DIR = before


@functools.cache
def _folder() -> Path | None:
    """Return the folder for what is compiled of these sources; None if it cannot be written.

    Copies of the project have folders of their own, as Numba tells functions by their files' paths.
    """
    models = Path(__file__).parent
    places = (models / place for place in KERNELS)
    sources = [f for p in places for f in (sorted(p.rglob("*.py")) if p.is_dir() else [p])]
    folder = cache_folder() / "kernels" / fingerprint({"models": str(models)}, sources)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        _prune(folder)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def _prune(own: Path) -> None:
    """Remove the folders longest unused, but for a few."""
    others = [folder for folder in own.parent.iterdir() if folder != own]
    ages = sorted((time.time() - folder.stat().st_mtime, folder) for folder in others)
    for age, folder in ages[KEPT:]:
        if age > YOUNG_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
