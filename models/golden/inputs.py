"""What the outside asks of a mesh in a cycle, handed to the nodes it is for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from syncfabric.models.golden.barrier_unit import BarrierUnit
from syncfabric.models.golden.config_port import configure
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.router import SyncRouter
from syncfabric.models.golden.spill import Answer, Request, SpillEngine
from syncfabric.models.messages import SPILL_BASE, Counter

__all__ = ["Inputs"]


class Inputs:
    """The config port and the node ports of a mesh, judged by the state before the edge.

    Parameters
    ----------
    routers : sequence of SyncRouter
        All routers, by node.
    answers : list of Answer
        The config port's answer in the next cycle; appended to.
    awake, touched : set of int
        Nodes to look at in this cycle, and nodes whose ``observe`` may change; added to.
    """

    def __init__(
        self,
        routers: Sequence[SyncRouter],
        answers: list[Answer],
        awake: set[int],
        touched: set[int],
    ) -> None:
        self.routers, self.answers = routers, answers
        self.awake, self.touched = awake, touched

    def configure(self, request: ConfigRequest) -> BarrierUnit | None:
        """Hand on a config request; return the unit in which a control word may be written."""
        if not 0 <= request.node < len(self.routers):
            return None
        router = self.routers[request.node]
        if request.address >= SPILL_BASE and router.spill is not None:
            router.spill.request = Request(request.address, request.write, request.data)
            self.awake.add(request.node)
            return None
        refused, data = configure(router.unit, request.address, request.write, request.data)
        self.answers.append((True, refused, data))
        self.touched.add(request.node)
        return router.unit

    def accepted(
        self, arrive: Mapping[tuple[int, int], int], started: bool
    ) -> list[tuple[int, int, int]]:
        """Count the arrives that are refused, and return the others as (node, register, data)."""
        found = []
        for (node, register), data in arrive.items():
            unit = self.routers[node].unit
            if unit.accepts(register, started):
                found.append((node, register, data))
            else:
                unit.count(Counter.REFUSED_ARRIVE)
            self.touched.add(node)
        return found

    def held(
        self, spill_arrive: Mapping[int, tuple[int, int]]
    ) -> list[tuple[SpillEngine, tuple[int, int]]]:
        """Return the local requests that a spill engine's holding register takes."""
        found = []
        for node, (gid, data) in spill_arrive.items():
            engine = self.routers[node].spill
            if engine is not None and engine.holding is None:
                found.append((engine, (gid, data & engine.rules.mask)))
        return found
