"""A schedule: in each step, messages and the paths that they take."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Any, NamedTuple

from syncfabric.models.collectives.certificate import Bound
from syncfabric.models.collectives.collective import Collective
from syncfabric.models.collectives.task import Rules
from syncfabric.models.collectives.topology import Topology

FORMAT = "syncfabric-schedule/1"


class Transfer(NamedTuple):
    """One message in flight in one step."""

    message: tuple[int, int]
    """Its origin, and its destination: in a broadcast the node that receives it here."""
    path: tuple[int, ...]
    """Every vertex passed, from the node that sends it in this step."""


Step = tuple[Transfer, ...]


def turned(steps: Iterable[Step]) -> tuple[Step, ...]:
    """Return steps in reverse, every path and message backwards."""
    return tuple(
        tuple(Transfer((b, a), path[::-1]) for (a, b), path in step) for step in reversed([*steps])
    )


@dataclass(frozen=True)
class Schedule:
    """Who sends what along which path in which step.

    It need not be right: ``syncfabric.models.collectives.checker`` checks.

    Parameters
    ----------
    topology : Topology
    collective : Collective
    rules : Rules
    steps : tuple of Step
    certificate : Bound, optional
        Why no schedule has fewer steps.
    source : str
        Its file, if it has one.
    """

    topology: Topology
    collective: Collective
    rules: Rules
    steps: tuple[Step, ...]
    certificate: Bound | None = None
    source: str = field(default="", compare=False)

    @classmethod
    def of(
        cls,
        topology: Topology,
        collective: Collective,
        rules: Rules,
        steps: Iterable[Iterable[tuple[tuple[int, int], Iterable[int]]]],
        certificate: Bound | None = None,
    ) -> Schedule:
        """Return a schedule from plain messages and paths."""
        made = tuple(tuple(Transfer(m, tuple(path)) for m, path in step) for step in steps)
        return cls(topology, collective, rules, made, certificate)

    @property
    def messages(self) -> int:
        """How many transfers there are, of all steps."""
        return sum(map(len, self.steps))

    def time_pipelined(self, ts: float, t1: float, length: float) -> float:
        """Return the time by the paper's eq. (3): steps · ts + length · t1.

        Parameters
        ----------
        ts : float
            Start-up of a step.
        t1 : float
            Time of a byte on a channel, in the same unit.
        length : float
            Bytes of a message.
        """
        return len(self.steps) * ts + length * t1

    def time(self, ts: float, t1: float, length: float) -> float:
        """Return the time when each step pays for its own message: steps · (ts + length · t1)."""
        return len(self.steps) * (ts + length * t1)

    def to_json(self) -> dict[str, Any]:
        """Return the schedule as a schedule file holds it."""
        values: dict[str, Any] = {
            "format": FORMAT,
            "topology": self.topology.to_json(),
            "collective": self.collective.name,
            "senders": list(self.collective.senders),
            "receivers": list(self.collective.receivers),
            **asdict(self.rules),
            "steps": [
                [{"message": list(message), "path": list(path)} for message, path in step]
                for step in self.steps
            ],
        }
        if self.certificate is not None:
            values["certificate"] = self.certificate.to_json()
        return values


_LARGE = 50_000
"""Messages from which on it would take most of the time."""


@contextmanager
def collector_off(messages: float = inf) -> Iterator[None]:
    """Do without the collector while so many messages are worked on, if they are many."""
    was = gc.isenabled()
    if messages > _LARGE:
        gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
