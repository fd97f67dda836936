"""How many examples are tried: a few, always the same ones, or as many as FUZZ_EXAMPLES says."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings

from tests.fuzz.holds import Sandbox

ASKED = int(os.environ.get("FUZZ_EXAMPLES", "0"))
FEW = 2
"""Without a campaign."""

Test = TypeVar("Test", bound=Callable[..., None])


def fuzzed(part: float = 1.0) -> Callable[[Test], Test]:
    """Mark a test as one of the campaign, which takes this part of its examples."""

    def decorate(test: Test) -> Test:
        chosen = settings(
            max_examples=max(1, round((ASKED or FEW) * part)),
            derandomize=not ASKED,
            database=None,
            deadline=None,
            print_blob=bool(ASKED),
            suppress_health_check=list(HealthCheck),
        )
        return pytest.mark.fuzz(chosen(test))

    return decorate


@contextmanager
def sandbox() -> Iterator[Sandbox]:
    """Give a sandbox for one example."""
    with TemporaryDirectory() as folder:
        yield Sandbox(Path(folder))
