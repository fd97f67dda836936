"""What is to be scheduled, and a schedule: in each step, messages and the paths that they take."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import inf
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from syncfabric.models.collectives.collective import Collective
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError

if TYPE_CHECKING:
    from syncfabric.models.collectives.certificate import Bound

__all__ = [
    "FORMAT",
    "OnePort",
    "Ports",
    "Rules",
    "Schedule",
    "Step",
    "Switching",
    "Task",
    "Transfer",
    "collector_off",
]

FORMAT = "syncfabric-schedule/1"

Ports = int | Literal["all"]
OnePort = Literal["single-use", "strict"]
Switching = Literal["wormhole", "store-and-forward"]


class Transfer(NamedTuple):
    """One message on its way in one step."""

    message: tuple[int, int]
    """Its origin, and its destination: in a broadcast the node that hears of it here."""
    path: tuple[int, ...]
    """Every vertex passed, from the node that sends it in this step."""


Step = tuple[Transfer, ...]


@dataclass(frozen=True)
class Rules:
    """What a network can do in one step.

    Parameters
    ----------
    ports : int or "all"
        How many messages a node may inject, and how many eject, in a step.
    one_port : str
        How a broadcast counts at its sender. ``single-use``: copies of one origin that a node
        sends in one step count once, at its ports and on the channel of a processor, and with
        store and forward on every channel that they share from the sender on. ``strict``: each.
    switching : str
        ``wormhole``: a message holds its path to the destination for one step.
        ``store-and-forward``: it goes from node to node, a step each; past switches at once.

    Raises
    ------
    SpecError
        ``ports`` is neither a number from 1 nor ``"all"``.
    """

    ports: Ports = "all"
    one_port: OnePort = "single-use"
    switching: Switching = "wormhole"

    def __post_init__(self) -> None:
        if self.ports != "all" and not (type(self.ports) is int and self.ports >= 1):
            raise SpecError(f'ports must be 1 or more, or "all", not {json.dumps(self.ports)}')

    @property
    def single_use(self) -> bool:
        """Whether copies of one origin count once."""
        return self.one_port == "single-use"

    @property
    def stores(self) -> bool:
        """Whether switching is store and forward."""
        return self.switching == "store-and-forward"

    def at_most(self, channels: int) -> int:
        """Return the messages a step through the ports of a node with so many channels."""
        return channels if self.ports == "all" else min(self.ports, channels)

    def copies(self, channels: int) -> int:
        """Return the copies of one message a step that a node with so many channels can send."""
        return channels if self.single_use else self.at_most(channels)


@dataclass(frozen=True)
class Schedule:
    """Who sends what along which path in which step.

    It need not be right: ``syncfabric.models.collectives.checker`` tells.

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
            "collective": self.collective.kind,
            "senders": list(self.collective.senders),
            "receivers": list(self.collective.receivers),
            "ports": self.rules.ports,
            "one_port": self.rules.one_port,
            "switching": self.rules.switching,
            "steps": [
                [{"message": list(message), "path": list(path)} for message, path in step]
                for step in self.steps
            ],
        }
        if self.certificate is not None:
            values["certificate"] = self.certificate.to_json()
        return values

    @classmethod
    def from_json(cls, values: Any) -> Schedule:
        """Return the schedule that ``to_json`` wrote.

        Raises
        ------
        SpecError
            The values have not its shape, or name what the topology lacks; the message names the
            place.
        """
        from syncfabric.models.collectives.files import read

        return read(values)


@dataclass(frozen=True)
class Task:
    """A collective on a topology under rules.

    Parameters
    ----------
    topology : Topology
    collective : Collective
    rules : Rules
    extra : int
        How many hops longer than the shortest ones paths may be; 0 is minimal routing.

    Raises
    ------
    SpecError
        ``extra`` is more than the topology has room for.
    """

    topology: Topology
    collective: Collective
    rules: Rules = field(default_factory=Rules)
    extra: int = 0

    def __post_init__(self) -> None:
        if self.extra >= self.topology.vertices:
            raise SpecError(
                f"nonminimal: no path is {self.extra:,} hops longer than the shortest; topology "
                f"{self.topology.name} has {self.topology.vertices:,} vertices"
            )

    def forward(self) -> Task:
        """Return the task whose schedules, in reverse, are this one's; itself if it is none.

        Its channels have the same numbers, and lead the other way.
        """
        turned = self.collective.reversal
        if turned is None:
            return self
        return replace(self, topology=self.topology.reversed(), collective=turned)

    @property
    def hop_by_hop(self) -> bool:
        """Whether each transfer takes one channel: store and forward without switches."""
        return self.rules.stores and self.topology.switches == 0

    @property
    def minimal(self) -> bool:
        """Whether a message's whole way is a shortest path.

        On networks with switches what is stored and forwarded may go by way of any processor.
        """
        return self.extra == 0 and (self.hop_by_hop or not self.rules.stores)

    @property
    def shares(self) -> bool:
        """Whether two copies of a message may be on one channel at once."""
        behind = not all(self.topology.routers)
        return (
            self.collective.broadcast
            and self.rules.single_use
            and (behind or (self.rules.stores and self.topology.switches > 0))
        )

    def copies(self, node: int) -> int:
        """Return how many copies of one message a node can send in a step."""
        topology, rules = self.topology, self.rules
        out = len(topology.successors[node])
        if not rules.single_use:
            return rules.at_most(out)
        if topology.routers[node]:
            return topology.nodes if self.shares and rules.stores else out
        if rules.stores:
            return topology.nodes
        # Its router copies; none goes back to it.
        return len(topology.successors[topology.successors[node][0]]) - 1


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
