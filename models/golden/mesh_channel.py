"""Ordinary packets of a mesh: X-Y routing."""

from __future__ import annotations

from syncfabric.models.golden.channel import Flit, Wormhole
from syncfabric.models.golden.record import Observer
from syncfabric.models.golden.wiring import Wiring

__all__ = ["MeshChannels"]


class MeshChannels(Wormhole):
    """All ordinary channels of a mesh (docs/microarchitecture.md, section 2).

    Parameters
    ----------
    wiring : Wiring
        Numbering, and the way to every destination.
    credits, freed, observer
        As of ``Wormhole``.
    """

    def __init__(
        self, wiring: Wiring, credits: list[int], freed: list[int], observer: Observer | None
    ) -> None:
        super().__init__(wiring, credits, freed, observer)
        self.mesh_wiring = wiring
        self.routes = [wiring.routes(node, 0) for node in range(wiring.nodes)]
        self.allowed = [wiring.allowed(port, 0) for port in range(5)]

    def _route(self, buffer: int, flit: Flit) -> int:
        node, port = self.input[buffer]
        output = self.routes[node][flit[2]]
        if output not in self.allowed[port]:
            output = self.mesh_wiring.astray(node, port, flit[2])
        return self.wiring.lane(node, output, buffer % self.wiring.lanes)
