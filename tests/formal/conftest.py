"""The mark of tests that prove something."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Name the mark."""
    config.addinivalue_line("markers", "prove: a proof; run by -m prove, and by -m nightly")
