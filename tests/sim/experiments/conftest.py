"""The golden model in place of simulators, for tables whose numbers come from either."""

import pytest

from syncfabric.sim.drive import backends
from syncfabric.sim.drive.backends import run_model
from syncfabric.sim.fabric import program


@pytest.fixture
def by_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the golden model stand in for the RTL, which it is compared with elsewhere."""
    monkeypatch.setattr(program, "build_fabric", lambda network: None)
    monkeypatch.setattr(backends, "simulate_tiles", lambda job, built: run_model(job))
