"""What is to be scheduled: a collective on a topology, under rules."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Literal

from syncfabric.models.collectives.collective import Collective
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError

Ports = int | Literal["all"]
OnePort = Literal["single-use", "strict"]
Switching = Literal["wormhole", "store-and-forward"]


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

        Its channels have the same numbers, and lead back.
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
        """Whether a message's whole path is a shortest path.

        On networks with switches what is stored and forwarded may go through any processor.
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
