"""One life of a group, from one set-up to the tear-down, and drawing lives over and over."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import (
    GroupSpec,
    MessageSpec,
    NetworkSpec,
    Operation,
    StaticSpec,
)
from syncfabric.models.planning.free import FreeEntries
from syncfabric.models.planning.plan import (
    AnyGroupPlan,
    BarrierPlan,
    GroupPlan,
    StaticGroupPlan,
    make_plan,
)
from syncfabric.sim.fabric import Fabric
from syncfabric.sim.lifecycle.effects import HANG, LOOK, FoundError, Pause, Steps

__all__ = ["Drawing", "Life", "await_broken", "bound_of"]


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


Planned: TypeAlias = tuple[BarrierPlan, AnyGroupPlan]
"""A group, and the plan of it alone."""

POOL = 16
"""Plans a group: its own, and of random parts of it. They come again and again."""
POOL_OF_WAYS = 4
"""The same on a static network, where planning takes longer."""
TRIES = 8
"""Plans that are tried for a life, until one fits beside the others."""

_BITWISE: tuple[Operation, ...] = ("or", "and", "xor")
_SERIAL: tuple[Operation, ...] = ("max", "min", "sum")


class Drawing:
    """Draws lives of the groups of a network.

    Parameters
    ----------
    plan : BarrierPlan
        The groups of the network file, of two members and more.
    seed : int
    life : int
        Barriers of a life, on average.
    """

    def __init__(self, plan: BarrierPlan, seed: int, life: int) -> None:
        self._network, self._life = plan.spec.network, life
        self._rng = random.Random(f"{seed}/soak")
        self._pools = {group.id: self._pool(plan, group) for group in plan.groups}
        network, self._free, self._managers = self._network, None, 1
        if isinstance(network, MessageSpec):
            self._free = FreeEntries(network.shape)
            self._managers = max(1, len(network.shape.managers))

    def _pool(self, plan: BarrierPlan, group: AnyGroupPlan) -> list[Planned]:
        (spec,) = (each for each in plan.spec.groups if each.id == group.id)
        size = POOL_OF_WAYS if isinstance(self._network, StaticSpec) else POOL
        own = plan.spec.model_copy(update={"groups": (spec,)})
        pool: list[Planned] = [(BarrierPlan(own, (group,)), group)]
        while len(group.members) > 2 and len(pool) < size:
            part = self._plan(plan.spec, self._part(spec))
            if part is not None:
                pool.append((part, part.groups[0]))
        return pool

    def _part(self, spec: GroupSpec) -> GroupSpec:
        """Draw some of a group's members, and an operation."""
        rng, serial = self._rng, getattr(self._network, "operations", "") == "all"
        members = rng.sample(spec.members, rng.randint(2, len(spec.members)))
        operations = _BITWISE + (_SERIAL if serial and spec.planner != "wires" else ())
        op = spec.op if isinstance(self._network, StaticSpec) else rng.choice(operations)
        return spec.model_copy(update={"members": tuple(members), "op": op})

    def _plan(self, spec: NetworkSpec, group: GroupSpec) -> BarrierPlan | None:
        try:
            return make_plan(NetworkSpec(name=spec.name, network=self._network, groups=(group,)))
        except PlanError:  # there is not a ring through any cores
            return None

    def draw(self, gid: int, living: Iterable[Life], most: int) -> Life | None:
        """Draw the next life of a group, which fits beside others; None if none does so far.

        Parameters
        ----------
        gid : int
        living : iterable of Life
            Those that are set up, or about to be.
        most : int
            Barriers that it may have.
        """
        if self._free is not None:
            return self._draw_entries(self._free, gid, most)
        rng, pool = self._rng, self._pools[gid]
        # The plans of the network file go together, so what they take is left to them: then each
        # group has one that fits, whatever the others are.
        claims = {each: _claims(pool[0][1]) for each, pool in self._pools.items()}
        for other in living:
            claims[other.gid] |= _claims(other.group)
        taken = set[tuple[int, ...]]().union(*(c for each, c in claims.items() if each != gid))
        drawn = (rng.choice(pool) for _ in range(TRIES))
        plan, group = next((each for each in drawn if not taken & _claims(each[1])), pool[0])
        return Life(plan, group, episodes=min(most, rng.randint(1, 2 * self._life)))

    def _draw_entries(self, free: FreeEntries, gid: int, most: int) -> Life | None:
        """Draw a plan and a manager until there are entries; at last what the network file says."""
        rng, pool, owners = self._rng, self._pools[gid], range(self._managers)
        drawn = [(rng.choice(pool), rng.choice(owners)) for _ in range(TRIES)]
        for (plan, group), owner in [*drawn, *((pool[0], owner) for owner in owners)]:
            assert isinstance(group, GroupPlan)
            if placed := free.take(group, owner):
                episodes = min(most, rng.randint(1, 2 * self._life))
                return Life(plan, placed, episodes)
        return None

    def leave(self, life: Life) -> None:
        """Let others have what a life has had."""
        if self._free is not None and isinstance(life.group, GroupPlan):
            self._free.leave(life.group)


def _claims(group: AnyGroupPlan) -> set[tuple[int, ...]]:
    """Return what a group of a static network takes that others then have not: outputs, cores."""
    assert isinstance(group, StaticGroupPlan)
    return {*group.routes(), *((*node, Port.LOCAL) for node in group.members)}
