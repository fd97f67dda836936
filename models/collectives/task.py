"""What is to be scheduled: a collective on a topology under rules."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace

from syncfabric.models.collectives.collective import Collective
from syncfabric.models.collectives.schedule import Rules
from syncfabric.models.collectives.topology import Topology
from syncfabric.models.errors import SpecError

__all__ = ["Task"]


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

    def hops(self, source: int) -> dict[int, int]:
        """Return the least channels from a node to each vertex."""
        found, queue = {source: 0}, deque([source])
        while queue:
            here = queue.popleft()
            for near in self.topology.successors[here]:
                if near not in found:
                    found[near] = found[here] + 1
                    queue.append(near)
        return found
