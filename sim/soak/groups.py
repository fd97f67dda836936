"""The software of groups on a running fabric: set-up, end and recovery, on each kind of network."""

from __future__ import annotations

import copy
from collections.abc import Collection
from typing import Self, TypeAlias

from syncfabric.models.layout.engine import COMMIT, EPOCH_BITS, Code
from syncfabric.models.layout.setup import Answer
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.spec import AnySpec
from syncfabric.models.planning.entries import owner_of
from syncfabric.models.planning.free import FreeEntries
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.recovery.scenario import fences
from syncfabric.sim.drive.static.operations import network_of
from syncfabric.sim.drive.targets import counters_of
from syncfabric.sim.fabric.program import Fabric
from syncfabric.sim.lifecycle import TRIES, ByChain, ByManagers, ByRoutes, lifecycle_of
from syncfabric.sim.lifecycle.effects import (
    HANG,
    LOOK,
    Ask,
    FoundError,
    Pause,
    Steps,
    ask_all,
)

__all__ = ["EngineGroups", "Groups", "groups_on", "watch"]

EPOCHS = 1 << EPOCH_BITS
TIMES = 3
"""How often a group is set up and killed to release members whose BROKEN was lost."""


class EngineGroups:
    """Groups in entries, by the network's managers or without any over the config chain.

    Programs raise `FoundError` when something is refused, does not happen or is left.

    Parameters
    ----------
    plan : BarrierPlan
        Its groups have the entries that it names until they are ended.
    timeout, tries : int
        As of `lifecycle_of`.

    Attributes
    ----------
    free : FreeEntries
        Entries that no group has.
    """

    may_kill = True
    """Whether a barrier can be aborted."""
    begins = 4
    """The first cycle in which the config port takes a request."""

    def __init__(self, fabric: Fabric, plan: BarrierPlan, *, timeout: int, tries: int) -> None:
        self._network = network = plan.spec.message_network
        self._fabric, self._plan = fabric, plan
        self._software = lifecycle_of(network.shape, timeout=timeout, tries=tries)
        self._host = ByChain(network.shape, timeout=timeout, tries=tries)
        self._host.epochs = self._software.epochs
        self.free = FreeEntries(network.shape)
        for group in plan.engine_groups:
            self.free.hold(group)

    def again(self) -> Self:
        """Return a copy that may change."""
        twin = copy.copy(self)
        twin._software, twin._host = self._software.again(), copy.copy(self._host)
        twin._host.epochs = twin._software.epochs
        twin.free = copy.deepcopy(self.free)
        return twin

    @property
    def refused(self) -> int:
        """Commands that were refused, and given again."""
        return self._software.refused

    @property
    def turns(self) -> int:
        """Periods of the watchdog until an entry's turn: it comes after all others' (E8)."""
        return self._network.shape.router.layout.entries

    def set_up(self, group: GroupPlan) -> Steps[None]:
        """Set a group up in its entries, and await GO at its members."""
        yield from self._software.set_up(group)
        yield from self._software.await_ready(group)

    def tear_down(self, group: GroupPlan) -> Steps[None]:
        """Await the end of a group after its last barrier."""
        yield from self._software.tear_down(group)

    def kill(self, group: GroupPlan) -> Steps[None]:
        """Kill a group, and wait until all its members have been released."""
        yield from self._software.kill(group)
        for _ in range(HANG // LOOK):
            if not (waits := self._fabric.inside(group.id)):
                return
            yield Pause(LOOK)
        raise FoundError(f"killed, and {waits} members wait for {HANG} cycles")

    def end(self, group: GroupPlan, after: BarrierPlan | None) -> Steps[None]:
        """Kill a group whatever it does: the host what managers cannot, around what is dead."""
        dead = Dead() if after is None else after.without
        if after is None:
            try:
                yield from self._software.kill(group)
            except FoundError:  # what is left is the host's
                yield from self._software.abort(group)
        yield from self._host.recover(group)
        yield from self._release(group, dead)
        self._fabric.dismiss(group.id)
        self.free.leave(group)

    def _release(self, group: GroupPlan, dead: Dead) -> Steps[None]:
        """Wait until all members have been released.

        BROKEN may have been lost on the way to a node: that of another group in the same entry
        does as well. It releases all members, so they are watched anew.
        """
        for _ in range(TIMES):
            yield Pause(LOOK)
            if not self._fabric.inside(group.id, but=dead.nodes):
                return
            watch(self._fabric, self._plan, group)
            self._fabric.close(group.id)
            yield from self._host.set_up(group)
            yield Pause(LOOK)
            yield from self._host.kill(group)
        yield Pause(LOOK)
        if waits := self._fabric.inside(group.id, but=dead.nodes):
            raise FoundError(f"killed, and {waits} members wait")

    def renew(self, group: GroupPlan, after: BarrierPlan | None) -> Steps[GroupPlan]:
        """Set a group up again in entries that are free; the host does so around what is dead.

        All groups that are to be ended have been.
        """
        new, software = old, _ = group, self._software
        if after is not None:
            software = self._host
            new = next(each for each in after.engine_groups if each.id == group.id)
        taken = self.free.take(new, owner_of(old.placement.values(), self._network.shape.router))
        if taken is None:
            raise FoundError("it is ended, and no entries are free")
        try:
            yield from software.set_up(taken)
            yield from software.await_ready(taken)
        except FoundError:
            self.free.leave(taken)
            raise
        return taken

    def fence(self, dead: Dead) -> Steps[None]:
        """Close the ends of dead links."""
        yield from ask_all(fences(self._network, dead), "fenced")

    def meddle(self, group: GroupPlan, manager: int) -> Steps[bool]:
        """Have a manager set up a group that is in use; return whether that is refused."""
        assert isinstance(self._software, ByManagers)
        return (yield from self._software.offer(group, manager)) is not Answer.OK

    def write(self, group: GroupPlan, place: int, word: int, data: int) -> Steps[bool]:
        """Write a word of an entry of a group that is in use; return whether that is refused.

        Parameters
        ----------
        place : int
            Number of the entry, modulo the group's.
        word : int
            0: a command is committed; others are staged.
        data : int
            Of word 0: the command's code, and above it by how much the epoch is wrong.
        """
        places = list(group.placement.items())
        router, entry = places[place % len(places)]
        if not word:
            epoch = self._software.epochs[router, entry] + (data >> 2)
            data = COMMIT.pack({"code": data & 3, "epoch": epoch % EPOCHS, "entry": entry})
        ((refused, _),) = yield Ask([(self._network.shape.target_of(router), word, data)])
        return refused

    def abort(self, group: GroupPlan) -> Steps[None]:
        """Abort a manager's command that does not end."""
        yield from self._software.abort(group)

    def check_end(self, *, killed: bool) -> Steps[None]:
        """Check that no entry is alive, no link holds anything, and nothing was dropped.

        Parameters
        ----------
        killed : bool
            Some group was: then engines may have dropped messages that were under way for it.
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
        yield from _check_counters(self._network, allowed)


class RouteGroups:
    """Rings and trees of a static network, whose links hold the same whenever all is at rest."""

    may_kill = False
    """Whether a barrier can be aborted: agents may not send while routes change."""
    begins, turns = 2, 1
    refused = 0

    def __init__(self, fabric: Fabric, plan: BarrierPlan) -> None:
        network = network_of(plan)
        self._fabric, self._network, self._software = fabric, network, ByRoutes(network)
        self._at_rest: dict[int, dict[int, int]] = {}  # what a tree's links hold, by its plan

    def again(self) -> Self:
        """Return a copy that may change."""
        twin = copy.copy(self)
        twin._software, twin._at_rest = self._software.again(), dict(self._at_rest)
        return twin

    def set_up(self, group: GroupPlan) -> Steps[None]:
        """Set a group up, and check that what its root sends at first is in its place."""
        yield from self._software.set_up(group)
        yield from self._check_rest(group)

    def tear_down(self, group: GroupPlan) -> Steps[None]:
        """When all is at rest: check that every flit is in its place, and remove the routes."""
        yield from self._check_rest(group)
        yield from self._software.kill(group)

    def end(self, group: GroupPlan, after: BarrierPlan | None) -> Steps[None]:
        """Remove a group's routes in any state; dead nodes are not notified."""
        silent = after.without.nodes if after is not None else ()
        yield from self._software.kill(group, silent=silent)
        self._fabric.dismiss(group.id)

    def renew(self, group: GroupPlan, after: BarrierPlan | None) -> Steps[GroupPlan]:
        """Set a group up again, around what is dead."""
        if after is not None:
            group = next(each for each in after.groups if each.id == group.id)
        yield from self.set_up(group)
        return group

    def check_end(self, *, killed: bool) -> Steps[None]:
        """Check that no counter of the network has counted anything."""
        yield from _check_counters(self._network)

    def _check_rest(self, group: GroupPlan) -> Steps[None]:
        """Check that a ring is empty, and a tree as full as when it was first set up."""
        yield Pause(self._software.settled)
        graph = group.graph
        own = {
            graph.ports * switch + port
            for switch, port in group.routes()
            if graph.across(switch, port) is not None
        }
        held = {link: flits for link, (flits, _) in self._fabric.held().items() if link in own}
        wanted = {} if group.flits is None else self._at_rest.setdefault(id(group), held)
        for link in wanted.keys() | held.keys():
            if held.get(link, 0) != wanted.get(link, 0):
                raise FoundError(
                    f"at rest, and link {link} holds {held.get(link, 0)} flits, not "
                    f"{wanted.get(link, 0)}"
                )


def watch(fabric: Fabric, plan: BarrierPlan, group: GroupPlan, bound: int = 0) -> None:
    """Have the referee watch a group's members at their registers."""
    fabric.group(group.id, plan.endpoints(group), op=group.op, bound=bound)


Groups: TypeAlias = EngineGroups | RouteGroups


def groups_on(
    fabric: Fabric, plan: BarrierPlan, *, timeout: int = HANG, tries: int = TRIES
) -> Groups:
    """Return the software for a plan's network; see `EngineGroups`."""
    if plan.static_groups:
        return RouteGroups(fabric, plan)
    return EngineGroups(fabric, plan, timeout=timeout, tries=tries)


def _check_counters(network: AnySpec, allowed: Collection[str] = ()) -> Steps[None]:
    """Check that no counters of a network have counted anything, but for those of some names."""
    for counter in counters_of(network):
        (count,) = yield from ask_all([(*counter.place, None)], "read at the end")
        if count and counter.name not in allowed:
            raise FoundError(f"target {counter.place[0]} has counted {count} {counter.name}")
