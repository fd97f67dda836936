"""The golden model in place of simulators, for tables whose numbers come from either."""

import pytest

from syncfabric.sim.drive import backends


@pytest.fixture
def by_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the golden model stand in for the RTL, which it is compared with elsewhere."""
    play = backends.run_job
    monkeypatch.setattr(backends, "run_job", lambda job, sim: play(job, "model"))
