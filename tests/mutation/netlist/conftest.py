"""The mark of tests that go through mutants."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Name the mark."""
    config.addinivalue_line("markers", "mutants: of netlists; run by -m mutants, and by -m nightly")
