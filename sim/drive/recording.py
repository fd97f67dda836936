"""The log of a run: every packet and synchronization message, a row each."""

from __future__ import annotations

import csv
from typing import TextIO

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.sim.drive.targets import targets_of

__all__ = ["COLUMNS", "EventLog"]

COLUMNS = ("kind", "group", "source", "destination", "cycle_in", "cycle_out")
"""``cycle_in``: head, or message, on its first link; ``cycle_out``: tail on the way out, taken."""


class EventLog:
    """Hears of the model's events, counts them, and writes them where a file is given.

    Parameters
    ----------
    spec : MeshSpec or IrregularSpec
    file : text file, optional
        CSV; nodes are written as ``x,y`` or ``switch,port``, switches as ``switch``.
    """

    def __init__(self, spec: MessageSpec, file: TextIO | None = None) -> None:
        self._targets = targets_of(spec)
        self._writer = csv.writer(file) if file else None

    def packet(
        self, source: int, destination: int, created: int, injected: int, ejected: int
    ) -> None:
        """Note a packet."""
        if self._writer:
            self._write("packet", "", source, destination, injected, ejected)

    def flit(self, link: int, cycle: int) -> None:
        """Note a flit: loads are counted from the wires instead."""

    def _write(
        self, kind: str, group: str, source: int, destination: int, begin: int, end: int
    ) -> None:
        assert self._writer is not None
        ends = map(self._targets.words_of, (source, destination))
        self._writer.writerow([kind, group, *ends, begin, end])
