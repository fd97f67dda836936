"""How far jobs are."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Tally"]


@dataclass
class Tally:
    """How many jobs there are so far, are done, and were kept from before (these are done)."""

    jobs: int = 0
    done: int = 0
    kept: int = 0

    def begin(self, jobs: int, kept: int) -> None:
        """Count jobs in, of which some were kept."""
        self.jobs += jobs
        self.done += kept
        self.kept += kept
