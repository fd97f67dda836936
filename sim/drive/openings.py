"""Which members of managed groups may arrive: GO has reached them."""

from __future__ import annotations

from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.planning.plan import BarrierPlan

__all__ = ["Openings"]


class Openings:
    """Waits until every member of every group of a plan may arrive.

    Parameters
    ----------
    plan : BarrierPlan
        Of a network with set-up by managers.
    model : GoldenModel
        Tells which registers are ready.
    """

    def __init__(self, plan: BarrierPlan, model: GoldenModel) -> None:
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
