"""Rows of sections of ``scripts/bench``."""

from syncfabric.sim.experiments.claim import Claim
from syncfabric.sim.experiments.frame import Experiment, Work


def rows_of(section: Experiment) -> list[Claim]:
    """Return the figures of a section of ``scripts/bench``."""
    work = Work(section)
    section.function(work)
    return work.claims


def met(row: Claim) -> bool | None:
    """Return whether a figure meets its target, if it has one."""
    return None if row.decided is None else row.decided == "holds"
