"""Which members may arrive: GO has reached them."""

from __future__ import annotations

from syncfabric.models.golden.planes.collective_network import CollectiveNetwork
from syncfabric.models.planning.plan import BarrierPlan

__all__ = ["Openings"]


class Openings:
    """Waits until every member of every group of a plan may arrive.

    Parameters
    ----------
    plan : BarrierPlan
    model : CollectiveNetwork
        Tells which registers are ready.
    """

    def __init__(self, plan: BarrierPlan, model: CollectiveNetwork) -> None:
        network = plan.spec.network
        self._model = model
        self._registers: set[tuple[int, int]] = set()
        for group in plan.groups:
            for node, place in group.places.items():
                self._registers.add((network.topology.index(node), place))

    def are_all(self) -> bool:
        """Return whether nobody has to wait any more."""
        self._registers = {key for key in self._registers if not self._model.ready(*key)}
        return not self._registers
