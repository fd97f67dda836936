"""One life of a group: from one set-up to the tear-down."""

from __future__ import annotations

from dataclasses import dataclass

from syncfabric.models.planning.plan import AnyGroupPlan, BarrierPlan, GroupPlan
from syncfabric.sim.fabric import Fabric
from syncfabric.sim.lifecycle.effects import HANG, LOOK, FoundError, Pause, Steps

__all__ = ["Life", "await_broken", "bound_of"]


def bound_of(group: AnyGroupPlan) -> int:
    """Return the cycles that a barrier may take whatever others do; 0 if nobody has proved any."""
    if isinstance(group, GroupPlan) and group.slot_register is None:
        return 0
    return group.bound or 0


@dataclass
class Life:
    """A group that is, or is to be, set up.

    Parameters
    ----------
    plan : BarrierPlan
        Of this group alone.
    group : AnyGroupPlan
        The group.
    episodes : int
        Barriers, if it is not killed before.

    Attributes
    ----------
    killed : bool
        It is torn down in the middle of a barrier.
    began : int
        Episodes that its GID had had before.
    """

    plan: BarrierPlan
    group: AnyGroupPlan
    episodes: int
    killed: bool = False
    began: int = 0

    @property
    def gid(self) -> int:
        """The group's number."""
        return self.group.id

    @property
    def nodes(self) -> list[int]:
        """Its members' nodes, in their order."""
        index = self.plan.spec.network.topology.index
        return [index(node) for node in self.group.members]

    @property
    def seats(self) -> list[tuple[int, int]]:
        """Node and register of each member."""
        return list(zip(self.nodes, self.group.places.values(), strict=True))


def await_broken(fabric: Fabric, life: Life) -> Steps[None]:
    """Wait until all members of a life that was killed have been released.

    Raises
    ------
    FoundError
        Some are not, after `HANG` cycles.
    """
    for _ in range(HANG // LOOK):
        if not fabric.inside(life.gid):
            return
        yield Pause(LOOK)
    raise FoundError(f"killed, and {fabric.inside(life.gid)} members wait for {HANG} cycles")
