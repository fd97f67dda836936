"""Python's collector of cycles, kept from walking millions of tuples in which there are none."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

__all__ = ["collector_off"]

_LARGE = 50_000
"""Messages from which on it would take most of the time."""


@contextmanager
def collector_off(messages: float = inf) -> Iterator[None]:
    """Do without the collector while so many messages are worked on, if they are many."""
    was = gc.isenabled()
    if messages > _LARGE:
        gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
