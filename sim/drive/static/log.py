"""The log of a run on a static network: every flit that a member's agent reads, a row each."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TextIO

from syncfabric.models.golden.record import Record
from syncfabric.models.networks.mesh import Node, Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.static_images import NumberedGroup
from syncfabric.sim.drive.lanes import bits

__all__ = ["StaticLog"]

PORTS = len(Port)


@dataclass
class _Reader:
    """A member: its stream is the root's, flit by flit."""

    group: NumberedGroup
    node: Node
    sent: deque[int] = field(default_factory=deque)
    """Cycles in which flits left the root that this member has not yet read."""
    read: int = 0


class StaticLog:
    """Reads flits off the wires, counts them, and writes them where a file is given.

    Columns are those of `EventLog`: in a ring the kinds are ``notify``, ``release`` and ``filler``,
    in a tree ``flit``; ``cycle_in`` is when it left the root, ``cycle_out`` when it was read.

    Parameters
    ----------
    network : StaticSpec
    groups : sequence of NumberedGroup
    file : text file, optional
        CSV; nodes are written as ``x,y``.

    Attributes
    ----------
    messages : int
        Flits read.
    """

    def __init__(
        self, network: StaticSpec, groups: Sequence[NumberedGroup], file: TextIO | None = None
    ) -> None:
        self._fillers = network.core_buffer
        self._writer = csv.writer(file) if file else None
        self.messages = 0
        self._readers: dict[int, _Reader] = {}  # by the link to its core
        self._sources: dict[int, list[_Reader]] = {}  # by the root's injection link
        index = network.topology.index
        for group in groups:
            readers = [_Reader(group, node) for node in group.members]
            if group.flits is not None:
                readers = [reader for reader in readers if reader.node != group.root]
            for reader in readers:
                self._readers[PORTS * index(reader.node) + Port.LOCAL] = reader
            injection = PORTS * len(network.topology.nodes) + index(group.root)
            self._sources[injection] = readers
        self._cores = sum(1 << link for link in self._readers)
        self._roots = sum(1 << link for link in self._sources)

    def note(self, cycle: int, record: Record) -> None:
        """Take a cycle's wires in."""
        for link in bits(record.valid & self._roots):
            for reader in self._sources[link]:
                reader.sent.append(cycle)
        for link in bits(record.credit & self._cores):
            self._read(cycle, self._readers[link])

    def _read(self, cycle: int, reader: _Reader) -> None:
        kind, number = "flit", reader.read - self._fillers
        if reader.group.flits is None:
            kind = "filler"
            if number >= 0 and number % (self._fillers + 2) < 2:
                kind = ("notify", "release")[number % (self._fillers + 2)]
        reader.read += 1
        if not reader.sent:
            return  # a flit from nowhere: the books tell
        self.messages += 1
        begin = reader.sent.popleft()
        if self._writer is not None:
            ends = ["{},{}".format(*node) for node in (reader.group.root, reader.node)]
            self._writer.writerow([kind, str(reader.group.id), *ends, begin, cycle])
