"""Builds that find nothing in the cache."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["empty_cache"]

CACHE = "SYNCFABRIC_CACHE"


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
