"""Draws a soak's group instances: plan, entries, and barriers until the end."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.spec import (
    BITWISE_OPERATIONS,
    SERIAL_OPERATIONS,
    GroupSpec,
    NetworkSpec,
)
from syncfabric.models.planning.free import FreeEntries
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan, make_plan

__all__ = ["Drawing", "Life"]

POOL = 16
"""Plans a group: its own, and of random parts of it. They are drawn again and again."""
POOL_OF_WAYS = 4
"""The same on a static network, where planning takes longer."""
TRIES = 8
"""Plans that are tried for an instance, until one fits beside the others."""


@dataclass
class Life:
    """A group from one set-up to its end.

    Parameters
    ----------
    episodes : int
        Barriers, if it is not killed before.

    Attributes
    ----------
    killed : bool
        It is ended during a barrier.
    began : int
        Episodes that its GID had had before.
    """

    group: GroupPlan
    episodes: int
    killed: bool = False
    began: int = 0


class Drawing:
    """Draws instances of the groups of a network.

    Parameters
    ----------
    plan : BarrierPlan
        The groups of the network file, of two members and more.
    life : int
        Barriers of an instance, on average.
    """

    def __init__(self, plan: BarrierPlan, seed: int, life: int) -> None:
        network = self._network = plan.spec.network
        self._life, self._rng = life, random.Random(f"{seed}/soak")
        self._free = FreeEntries(plan.spec.message_network.shape) if plan.engine_groups else None
        self._managers = max(1, len(network.manager_nodes))
        self._pools = {group.id: self._pool(plan.spec, group) for group in plan.groups}

    def _pool(self, spec: NetworkSpec, group: GroupPlan) -> list[GroupPlan]:
        """Plan parts of a group."""
        (whole,) = (each for each in spec.groups if each.id == group.id)
        size = POOL_OF_WAYS if group.static else POOL
        pool = [group]
        while len(group.members) > 2 and len(pool) < size:
            part = spec.model_copy(update={"groups": (self._part(whole),)})
            try:
                pool += make_plan(part).groups
            except PlanError:  # there is not a ring through any cores
                continue
        return pool

    def _part(self, spec: GroupSpec) -> GroupSpec:
        """Draw some of a group's members, and an operation."""
        rng, serial = self._rng, self._network.operations == "all"
        members = rng.sample(spec.members, rng.randint(2, len(spec.members)))
        operations = BITWISE_OPERATIONS
        if serial and spec.planner != "wires":
            operations += SERIAL_OPERATIONS
        op = spec.op if self._free is None else rng.choice(operations)
        return spec.model_copy(update={"members": tuple(members), "op": op})

    def draw(self, gid: int, others: Iterable[GroupPlan], most: int) -> Life | None:
        """Draw the next instance of a group; None if none fits so far.

        Parameters
        ----------
        others : iterable of GroupPlan
            Those that are set up, or about to be.
        most : int
            Barriers that it may have.
        """
        draw = self._draw_routes if self._free is None else self._draw_entries
        group = draw(gid, others)
        if group is None:
            return None
        return Life(group, min(most, self._rng.randint(1, 2 * self._life)))

    def _draw_routes(self, gid: int, others: Iterable[GroupPlan]) -> GroupPlan:
        rng, pool = self._rng, self._pools[gid]
        # The plans of the network file go together, so what they take is left to them: then each
        # group has one that fits, whatever the others are.
        claims = {each: _claims(pool[0]) for each, pool in self._pools.items()}
        for other in others:
            claims[other.id] |= _claims(other)
        taken = set[tuple[int, ...]]().union(*(c for each, c in claims.items() if each != gid))
        drawn = (rng.choice(pool) for _ in range(TRIES))
        return next((group for group in drawn if not taken & _claims(group)), pool[0])

    def _draw_entries(self, gid: int, others: Iterable[GroupPlan]) -> GroupPlan | None:
        """Draw a plan and a manager until there are entries; at last what the network file says."""
        rng, pool, owners = self._rng, self._pools[gid], range(self._managers)
        drawn = [(rng.choice(pool), rng.choice(owners)) for _ in range(TRIES)]
        for group, owner in [*drawn, *((pool[0], owner) for owner in owners)]:
            assert self._free is not None
            if placed := self._free.take(group, owner):
                return placed
        return None

    @property
    def links(self) -> set[int]:
        """Links of a static network that an instance may send flits over; of others none."""
        graph = self._network.topology.graph
        plans = (group for pool in self._pools.values() for group in pool if group.static)
        routes = (route for group in plans for route in group.routes())
        return {graph.ports * s + p for s, p in routes if graph.across(s, p) is not None}

    def leave(self, group: GroupPlan) -> None:
        """Let others have a group's entries."""
        if self._free is not None:
            self._free.leave(group)


def _claims(group: GroupPlan) -> set[tuple[int, ...]]:
    """Return what a group of a static network takes: outputs, and cores."""
    return {*group.routes(), *map(group.graph.seat, group.members)}
