"""The software of a soak: what sets lives up and ends them, and sees that nothing is left."""

from __future__ import annotations

import copy
from collections.abc import Collection
from typing import Self

from syncfabric.models.layout.engine import COMMIT, Code
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import AnySpec, MessageSpec, StaticSpec
from syncfabric.models.planning.plan import GroupPlan, StaticGroupPlan
from syncfabric.sim.fabric import Fabric
from syncfabric.sim.lifecycle import lifecycle_of
from syncfabric.sim.lifecycle.counters import counters_of
from syncfabric.sim.lifecycle.effects import FoundError, Pause, Steps, ask_all
from syncfabric.sim.lifecycle.routes import ByRoutes
from syncfabric.sim.soak.life import Life, await_broken

__all__ = ["OnEngines", "OnRoutes"]


class OnEngines:
    """Sets groups up by the network's managers, or over the config chain where there are none.

    Parameters
    ----------
    fabric : Fabric
    network : MessageSpec
    """

    may_kill = True
    """Whether a barrier can be broken off."""

    def __init__(self, fabric: Fabric, network: MessageSpec) -> None:
        self._fabric, self._network = fabric, network
        self._software = lifecycle_of(network.shape)

    @property
    def refused(self) -> int:
        """Commands that were refused, and given again."""
        return self._software.refused

    def set_up(self, life: Life) -> Steps[None]:
        """Set a group up in its entries, and await GO at its members."""
        assert isinstance(life.group, GroupPlan)
        yield from self._software.set_up(life.group)
        yield from self._software.await_ready(life.group)

    def tear_down(self, life: Life) -> Steps[None]:
        """Await the end of a group after its last barrier, or kill it during one."""
        assert isinstance(life.group, GroupPlan)
        if not life.killed:
            yield from self._software.tear_down(life.group)
            return
        yield from self._software.kill(life.group)
        yield from await_broken(self._fabric, life)

    def see_the_end(self, *, killed: bool) -> Steps[None]:
        """See that no entry is alive, no link holds anything, and nothing was dropped.

        Parameters
        ----------
        killed : bool
            Some group was: then engines may have dropped what was under way for it.

        Raises
        ------
        FoundError
            Something is left, or was dropped.
        """
        shape = self._network.shape
        layout = shape.router.layout
        for router in range(shape.routers):
            words = [COMMIT.pack({"code": Code.READ, "entry": e}) for e in range(layout.entries)]
            reads = [(shape.target_of(router), 0, word) for word in words]
            for entry, word in enumerate((yield from ask_all(reads, "read at the end"))):
                if layout.status.unpack(word)["alive"]:
                    raise FoundError(f"entry {entry} of router {router} is left")
        for link, (flits, messages) in self._fabric.held().items():
            if flits or (messages and layout.routed):  # others have no credits
                raise FoundError(
                    f"all is over, and link {link} holds {flits} flits and {messages} messages"
                )
        allowed = {"engine OVERFLOW", "engine UNEXPECTED"} if killed else set()
        allowed |= {"engine REFUSED_COMMAND"} if killed or self.refused else set()
        yield from _see_counters(self._network, allowed)


class OnRoutes:
    """Sets groups of a static network up, whose links hold the same whenever all is at rest.

    Parameters
    ----------
    fabric : Fabric
    network : StaticSpec
    """

    may_kill = False
    """Whether a barrier can be broken off: agents may not send while routes change."""
    refused = 0

    def __init__(self, fabric: Fabric, network: StaticSpec) -> None:
        self._fabric, self._network = fabric, network
        self._software = ByRoutes(network)
        self._at_rest: dict[int, dict[int, int]] = {}  # what a tree's links hold, by its plan

    def again(self) -> Self:
        """Return one that knows what this one does, and may learn more."""
        twin = copy.copy(self)
        twin._software, twin._at_rest = self._software.again(), dict(self._at_rest)
        return twin

    def set_up(self, life: Life) -> Steps[None]:
        """Set a group up, and see that what its root sends at first is in its place."""
        assert isinstance(life.group, StaticGroupPlan)
        yield from self._software.set_up(life.group)
        yield from self._see_rest(life.group)

    def tear_down(self, life: Life) -> Steps[None]:
        """When all is at rest: see that every flit is in its place, and take the routes away."""
        assert isinstance(life.group, StaticGroupPlan)
        yield from self._see_rest(life.group)
        yield from self.kill(life)

    def kill(self, life: Life) -> Steps[None]:
        """Take a group's routes away, whatever it is doing."""
        assert isinstance(life.group, StaticGroupPlan)
        yield from self._software.kill(life.group)

    def see_the_end(self, *, killed: bool) -> Steps[None]:
        """See that no counter of the network has counted anything.

        Raises
        ------
        FoundError
            One has.
        """
        yield from _see_counters(self._network)

    def _see_rest(self, group: StaticGroupPlan) -> Steps[None]:
        """See that a ring is empty, and a tree as full as it was when it was first set up.

        Raises
        ------
        FoundError
            A link holds fewer or more flits.
        """
        yield Pause(self._software.settled)
        held = self._held(group)
        wanted = {} if group.flits is None else self._at_rest.setdefault(id(group), held)
        for link in wanted.keys() | held.keys():
            if held.get(link, 0) != wanted.get(link, 0):
                raise FoundError(
                    f"at rest, and link {link} holds {held.get(link, 0)} flits, not "
                    f"{wanted.get(link, 0)}"
                )

    def _held(self, group: StaticGroupPlan) -> dict[int, int]:
        """Return the flits on the group's links between switches."""
        own = {
            len(Port) * self._network.topology.index((x, y)) + port
            for x, y, port in group.routes()
            if port != Port.LOCAL
        }
        return {link: flits for link, (flits, _) in self._fabric.held().items() if link in own}


def _see_counters(network: AnySpec, allowed: Collection[str] = ()) -> Steps[None]:
    """See that no counters of a network have counted anything, but for those of some names.

    Raises
    ------
    FoundError
        One has.
    """
    for counter in counters_of(network):
        (count,) = yield from ask_all([(*counter.place, None)], "read at the end")
        if count and counter.name not in allowed:
            raise FoundError(f"target {counter.place[0]} has counted {count} {counter.name}")
