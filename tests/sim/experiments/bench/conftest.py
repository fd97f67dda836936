"""The golden model in place of simulators, for tables whose numbers come from either; rows."""

import pytest

from syncfabric.sim.drive import backends as measured
from syncfabric.sim.drive.backends import run_model
from syncfabric.sim.experiments.claim import Claim
from syncfabric.sim.experiments.frame import Experiment, Work


@pytest.fixture
def by_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the golden model run what is measured on networks."""
    monkeypatch.setattr(measured, "build_fabric", lambda network: None)
    monkeypatch.setattr(measured, "simulate_tiles", lambda job, built: run_model(job))


def rows_of(section: Experiment) -> list[Claim]:
    """Return the figures of a section of ``scripts/bench``."""
    work = Work(section)
    section.function(work)
    return work.claims


def met(row: Claim) -> bool | None:
    """Return whether a figure meets its target, if it has one."""
    return None if row.judged is None else row.judged == "holds"
