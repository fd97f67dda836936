"""Figures beside a least or greatest value; and times, also of builds that find nothing cached."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.sim.experiments.claim import Claim, figure

Result = TypeVar("Result")
CACHE = "SYNCFABRIC_CACHE"


def at_least(name: str, value: float, target: float, measured: str = "") -> Claim:
    """Return a figure that is to be so much or more; in words of its own, if it has some."""
    return figure(name, measured or f"{value:,}", f">= {target:,}", value >= target)


def at_most(name: str, value: float, target: float, measured: str = "") -> Claim:
    """Return a figure that is to be so much or less; in words of its own, if it has some."""
    return figure(name, measured or f"{value:,}", f"<= {target:,}", value <= target)


def below(name: str, seconds: float, limit: float | None, digits: int = 0) -> Claim:
    """Return seconds that are to be below a limit, if there is one."""
    measured = f"{seconds:.{digits}f} s"
    if limit is None:
        return figure(name, measured)
    return figure(name, measured, f"< {limit:g} s", seconds < limit)


def per_second(name: str, rate: float, target: float, *, right: bool = True) -> Claim:
    """Return a rate that is to be so much or more, of a run that is to be right, too."""
    return figure(name, f"{rate:,.0f}", f">= {target:,}", rate >= target and right)


def timed(function: Callable[..., Result], *arguments: Any) -> tuple[Result, float]:
    """Return what a function returns, and the seconds that it takes."""
    begin = time.perf_counter()
    result = function(*arguments)
    return result, time.perf_counter() - begin


def mesh(width: int, height: int, keys: dict[str, object]) -> MeshSpec:
    """Return a mesh with some keys."""
    shape = {"kind": "mesh", "width": width, "height": height}
    return MeshSpec.model_validate({**shape, **keys})


@contextmanager
def empty_cache() -> Iterator[None]:
    """Build into a passing cache meanwhile."""
    kept = os.environ.get(CACHE)
    with tempfile.TemporaryDirectory() as folder:
        os.environ[CACHE] = folder
        try:
            yield
        finally:
            if kept is None:
                del os.environ[CACHE]
            else:
                os.environ[CACHE] = kept
