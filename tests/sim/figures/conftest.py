"""The golden model in place of simulators, for tables whose numbers come from either."""

from collections.abc import Callable
from types import ModuleType

import pytest

from syncfabric.sim.drive.simulate import run_model

Stands = Callable[..., None]


@pytest.fixture
def by_model(monkeypatch: pytest.MonkeyPatch) -> Stands:
    """Return what lets modules with ``simulate_tiles`` run their jobs on the golden model."""

    def stand_in(*modules: ModuleType) -> None:
        for module in modules:
            monkeypatch.setattr(module, "build_fabric", lambda network: None)
            monkeypatch.setattr(module, "simulate_tiles", lambda job, built: run_model(job))

    return stand_in
