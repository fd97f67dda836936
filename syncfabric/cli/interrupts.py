"""Ctrl-C as a question, for work that ends with what it has."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["interrupts"]


@contextmanager
def interrupts() -> Iterator[Callable[[], bool]]:
    """Give what turns true at Ctrl-C; a second one interrupts as ever."""
    asked = threading.Event()

    def interrupt(*_: object) -> None:
        asked.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, interrupt)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)
