"""One life of a group: from one set-up to the tear-down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import AnySpec
from syncfabric.models.planning.plan import (
    AnyGroupPlan,
    BarrierPlan,
    EngineGroupPlan,
    GroupPlan,
    IrregularGroupPlan,
    PortRegister,
    Register,
    StaticGroupPlan,
    WireGroupPlan,
)
from syncfabric.sim.fabric import Fabric
from syncfabric.sim.lifecycle.effects import HANG, LOOK, FoundError, Pause, Steps

__all__ = ["Image", "Life", "await_broken", "claims_of", "images_of"]

Image = tuple[int, Register | PortRegister, int | None]
"""Target on the config port, what its register is to hold, and its number if the plan says it."""


@dataclass
class Life:
    """A group that is, or is to be, set up.

    Parameters
    ----------
    plan : BarrierPlan
        Of this group alone.
    group : AnyGroupPlan
        The group.
    epoch : int
        Of its set-up.
    episodes : int
        Barriers, if it is not killed before.
    manager : int
        Which of the managers sets it up.

    Attributes
    ----------
    places : dict of int to int
        Register at the node of each member, by node.
    registers : dict of int to int
        Registers that were chosen for it, by target.
    killed : bool
        It is torn down in the middle of a barrier.
    began : int
        Episodes that its GID had had before.
    """

    plan: BarrierPlan
    group: AnyGroupPlan
    epoch: int
    episodes: int
    manager: int
    places: dict[int, int] = field(default_factory=dict)
    registers: dict[int, int] = field(default_factory=dict)
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
        if isinstance(self.group, EngineGroupPlan):
            return list(zip(self.nodes, self.group.registers, strict=True))
        return [(node, self.places[node]) for node in self.nodes]

    @property
    def bound(self) -> int:
        """Cycles that a barrier may take whatever others do; 0 if nobody has proved any."""
        group = self.group
        return group.bound if isinstance(group, (WireGroupPlan, StaticGroupPlan)) else 0


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


def images_of(network: AnySpec, group: AnyGroupPlan) -> Iterator[Image]:
    """Yield what a group has in registers or slots; nothing of a static network's."""
    topology = network.topology
    if isinstance(group, WireGroupPlan):
        for image in group.images():
            yield image.target, image.register, image.number
    elif isinstance(group, GroupPlan):
        for register in group.registers():
            yield topology.index(register.node), register, None
    elif isinstance(group, IrregularGroupPlan):
        for port_register in group.registers():
            seat = port_register.seat
            target = len(topology.nodes) + seat if isinstance(seat, int) else topology.index(seat)
            yield target, port_register, None


def claims_of(network: AnySpec, group: AnyGroupPlan) -> Counter[Hashable]:
    """Return what a group takes that others then have not: registers, slots or outputs."""
    if isinstance(group, StaticGroupPlan):
        cores = ((*node, Port.LOCAL) for node in group.members)
        return Counter({*group.routes(), *cores})
    return Counter((target, number) for target, _, number in images_of(network, group))
