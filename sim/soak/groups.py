"""The software of groups on a running fabric: set-up, end and recovery, on each kind of network."""

import copy
import random
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Self, TypeAlias

from syncfabric.models.errors import PlanError
from syncfabric.models.layout.engine import COMMIT, EPOCH_BITS, Code
from syncfabric.models.layout.setup import Answer
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.spec import AnySpec, GroupSpec, NetworkSpec
from syncfabric.models.planning.entries import owner_of
from syncfabric.models.planning.free import FreeEntries
from syncfabric.models.planning.group_plan import GroupPlan
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.drive.recovery.scenario import fences
from syncfabric.sim.drive.static.operations import network_of
from syncfabric.sim.drive.targets import counters_of
from syncfabric.sim.fabric.program import Fabric
from syncfabric.sim.lifecycle.effects import (
    HANG,
    LOOK,
    Ask,
    FoundError,
    Pause,
    Steps,
    ask_all,
)
from syncfabric.sim.lifecycle.lifecycle import TRIES, ByChain, ByManagers, ByRoutes, lifecycle_of

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

        BROKEN may have been lost on the path to a node: that of another group in the same entry
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

    def try_unauthorized(self, group: GroupPlan, manager: int) -> Steps[bool]:
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
            Some group was: then engines may have dropped messages that were in flight for it.
        """
        shape = self._network.shape
        layout = shape.router.layout
        for router in range(shape.routers):
            words = [COMMIT.pack({"code": Code.READ, "entry": e}) for e in range(layout.entries)]
            reads = [(shape.target_of(router), 0, word) for word in words]
            for entry, word in enumerate((yield from ask_all(reads, "read at the end"))):
                if layout.status.unpack(word)["alive"]:
                    raise FoundError(f"entry {entry} of router {router} is left")
        for link, (flits, messages) in self._fabric.in_flight().items():
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
        held = {link: flits for link, (flits, _) in self._fabric.in_flight().items() if link in own}
        wanted = {} if group.flits is None else self._at_rest.setdefault(id(group), held)
        for link in wanted.keys() | held.keys():
            if held.get(link, 0) != wanted.get(link, 0):
                raise FoundError(
                    f"at rest, and link {link} holds {held.get(link, 0)} flits, not "
                    f"{wanted.get(link, 0)}"
                )


def watch(fabric: Fabric, plan: BarrierPlan, group: GroupPlan, bound: int = 0) -> None:
    """Have the scoreboard watch a group's members at their registers."""
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
    """Check that no counters of a network have counted anything, except those of some names."""
    for counter in counters_of(network):
        (count,) = yield from ask_all([(*counter.place, None)], "read at the end")
        if count and counter.name not in allowed:
            raise FoundError(f"target {counter.place[0]} has counted {count} {counter.name}")


POOL = 16
"""Plans a group: its own, and of random parts of it. They are drawn again and again."""
POOL_OF_ROUTES = 4
"""The same on a static network, where planning takes longer."""
TRIED = 8
"""Plans that are tried for an instance, until one fits beside the others."""


@dataclass
class Instance:
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
    lifetime : int
        Barriers of an instance, on average.
    """

    def __init__(self, plan: BarrierPlan, seed: int, lifetime: int) -> None:
        network = self._network = plan.spec.network
        self._lifetime, self._rng = lifetime, random.Random(f"{seed}/soak")
        self._free = FreeEntries(plan.spec.message_network.shape) if plan.engine_groups else None
        self._managers = max(1, len(network.manager_nodes))
        self._pools = {group.id: self._pool(plan.spec, group) for group in plan.groups}

    def _pool(self, spec: NetworkSpec, group: GroupPlan) -> list[GroupPlan]:
        """Plan parts of a group."""
        (whole,) = (each for each in spec.groups if each.id == group.id)
        size = POOL_OF_ROUTES if group.static else POOL
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
        rng, op = self._rng, spec.op
        members = rng.sample(spec.members, rng.randint(2, len(spec.members)))
        if self._free is not None:
            op = rng.choice(self._network.operations_of(spec.planner))
        return spec.model_copy(update={"members": tuple(members), "op": op})

    def draw(self, gid: int, others: Iterable[GroupPlan], most: int) -> Instance | None:
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
        return Instance(group, min(most, self._rng.randint(1, 2 * self._lifetime)))

    def _draw_routes(self, gid: int, others: Iterable[GroupPlan]) -> GroupPlan:
        rng, pool = self._rng, self._pools[gid]
        # The plans of the network file go together, so what they take is left to them: then each
        # group has one that fits, whatever the others are.
        claims = {each: _claims(pool[0]) for each, pool in self._pools.items()}
        for other in others:
            claims[other.id] |= _claims(other)
        taken = set[tuple[int, ...]]().union(*(c for each, c in claims.items() if each != gid))
        drawn = (rng.choice(pool) for _ in range(TRIED))
        return next((group for group in drawn if not taken & _claims(group)), pool[0])

    def _draw_entries(self, gid: int, others: Iterable[GroupPlan]) -> GroupPlan | None:
        """Draw a plan and a manager until there are entries; at last what the network file says."""
        rng, pool, owners = self._rng, self._pools[gid], range(self._managers)
        drawn = [(rng.choice(pool), rng.choice(owners)) for _ in range(TRIED)]
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
    return {*group.routes(), *map(group.graph.port_of, group.members)}
