"""The software that sets groups up and brings them back, on each kind of network."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod

from syncfabric.models.errors import SpecError
from syncfabric.models.layout.engine import COMMIT, EPOCH_BITS
from syncfabric.models.layout.setup import Answer
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.spec import MessageSpec, StaticSpec
from syncfabric.models.planning.entries import owner_of
from syncfabric.models.planning.free import FreeEntries
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan
from syncfabric.sim.drive.recovery.plans import fences
from syncfabric.sim.fabric import Fabric
from syncfabric.sim.lifecycle import ByChain, ByManagers, lifecycle_of
from syncfabric.sim.lifecycle.effects import LOOK, Ask, FoundError, Pause, Steps, ask_all
from syncfabric.sim.soak.life import Life
from syncfabric.sim.soak.software import OnRoutes

__all__ = ["Crew", "crew_of"]

EPOCHS = 1 << EPOCH_BITS
PATIENCE = 2_000
"""Cycles in which a manager's command is over, and GO comes."""
TRIES = 5
"""Commands that may be refused, or not be answered, one after another."""
TIMES = 3
"""How often a group is set up and killed to let members go whose BROKEN was lost."""


class Crew(ABC):
    """What brings groups back on one kind of network."""

    @abstractmethod
    def set_up(self, life: Life) -> Steps[None]:
        """Set a group up for the first time."""

    @abstractmethod
    def end(self, life: Life, after: BarrierPlan | None) -> Steps[None]:
        """End what is left of a group, whatever it is doing; ``after`` goes around what is dead."""

    @abstractmethod
    def renew(self, life: Life, after: BarrierPlan | None) -> Steps[Life]:
        """Set a group up anew; all those that are to be ended have been."""

    @abstractmethod
    def again(self) -> Crew:
        """Return one that knows what this one does, and may learn more."""

    def fence(self, dead: Dead) -> Steps[None]:
        """Close what is dead at the ends of its links, if anything waits there."""
        yield from ()

    def meddle(self, life: Life, manager: int) -> Steps[bool]:
        """Have a manager set a group up that is in use; return whether that is refused.

        Raises
        ------
        SpecError
            The network has no managers.
        """
        raise SpecError(
            f"group {life.gid}: manager {manager} cannot set it up, as the network has none; "
            "leave the kind setup out"
        )

    def write(self, life: Life, place: int, word: int, data: int) -> Steps[bool]:
        """Write into an entry of a group that is in use; return whether that is refused.

        Parameters
        ----------
        life : Life
        place : int
            Number of the entry, counted round and round.
        word : int
            0: a command is committed; others are staged.
        data : int
            Of word 0: the command's code, and above it by how much the epoch is wrong.

        Raises
        ------
        SpecError
            The network has no entries.
        """
        raise SpecError(
            f"group {life.gid}: entry {place} cannot be written, as the network has none; leave "
            "the kind write out"
        )

    def abort(self, life: Life) -> Steps[None]:
        """Break a manager's command off that does not end."""
        yield from ()


def crew_of(fabric: Fabric, plan: BarrierPlan) -> Crew:
    """Return the software for a network."""
    network = plan.spec.network
    if isinstance(network, StaticSpec):
        return _OfRoutes(fabric, network)
    return _OfEngines(fabric, network)


class _OfEngines(Crew):
    """Groups in entries that managers set up and kill; the host sees to what they cannot reach.

    Parameters
    ----------
    fabric : Fabric
    network : MessageSpec
    """

    def __init__(self, fabric: Fabric, network: MessageSpec) -> None:
        self._fabric, self._network = fabric, network
        self._software = lifecycle_of(network.shape, patience=PATIENCE, tries=TRIES)
        self._host = ByChain(network.shape, patience=PATIENCE, tries=TRIES)
        self._host.epochs = self._software.epochs
        self._free = FreeEntries(network.shape)

    def again(self) -> _OfEngines:
        """Return one that knows what this one does, and may learn more."""
        twin = _OfEngines(self._fabric, self._network)
        twin._software = self._software.again()
        twin._host.epochs = twin._software.epochs
        twin._free = copy.deepcopy(self._free)
        return twin

    def set_up(self, life: Life) -> Steps[None]:
        """Set a group up in the entries of its plan."""
        self._free.hold(_plan(life))
        yield from self._software.set_up(_plan(life))
        yield from self._software.await_ready(_plan(life))

    def end(self, life: Life, after: BarrierPlan | None) -> Steps[None]:
        """Kill a group; the host kills what managers could not, and sees what is left."""
        group, dead = _plan(life), Dead() if after is None else after.without
        if after is None:
            try:
                yield from self._software.kill(group)
            except FoundError:  # what is left is the host's
                yield from self._software.abort(group)
        yield from self._host.recover(group)
        yield from self._let_go(life, dead)
        self._fabric.dismiss(life.gid)
        self._free.leave(group)

    def _let_go(self, life: Life, dead: Dead) -> Steps[None]:
        """See that all members have been released.

        BROKEN may have been lost on the way to a node: that of another group in the same entry
        does as well.
        """
        for _ in range(TIMES):
            yield Pause(LOOK)
            if not self._fabric.inside(life.gid, but=dead.nodes):
                return
            yield from self._host.set_up(_plan(life))
            yield Pause(LOOK)
            yield from self._host.kill(_plan(life))
        yield Pause(LOOK)
        if waits := self._fabric.inside(life.gid, but=dead.nodes):
            raise FoundError(f"killed, and {waits} members wait")

    def renew(self, life: Life, after: BarrierPlan | None) -> Steps[Life]:
        """Set a group up in entries that are free; the host does so around what is dead."""
        old = new = _plan(life)
        plan, software = life.plan, self._software
        if after is not None:
            plan, software = after, self._host
            new = next(group for group in after.engine_groups if group.id == life.gid)
        taken = self._free.take(new, owner_of(old.placement.values(), self._network.shape.router))
        if taken is None:
            raise FoundError("it is ended, and no entries are free")
        try:
            yield from software.set_up(taken)
            yield from software.await_ready(taken)
        except FoundError:
            self._free.leave(taken)
            raise
        return Life(plan, taken, life.episodes)

    def fence(self, dead: Dead) -> Steps[None]:
        yield from ask_all(fences(self._network, dead), "fenced")

    def meddle(self, life: Life, manager: int) -> Steps[bool]:
        """Have a manager set a group up that is in use; return whether that is refused."""
        assert isinstance(self._software, ByManagers)
        return (yield from self._software.offer(_plan(life), manager)) is not Answer.OK

    def write(self, life: Life, place: int, word: int, data: int) -> Steps[bool]:
        """Write a staged word, or commit a command at one of the group's entries.

        ``data`` of word 0 is the command's code, and above it by how much the epoch is wrong.
        """
        places = list(_plan(life).placement.items())
        router, entry = places[place % len(places)]
        if not word:
            epoch = self._software.epochs[router, entry] + (data >> 2)
            data = COMMIT.pack({"code": data & 3, "epoch": epoch % EPOCHS, "entry": entry})
        ((refused, _),) = yield Ask([(self._network.shape.target_of(router), word, data)])
        return refused

    def abort(self, life: Life) -> Steps[None]:
        """Break a manager's command off that does not end."""
        yield from self._software.abort(_plan(life))


def _plan(life: Life) -> GroupPlan:
    assert isinstance(life.group, GroupPlan)
    return life.group


class _OfRoutes(OnRoutes, Crew):
    """Rings and trees of a static network, whose routes are loaded anew."""

    def end(self, life: Life, after: BarrierPlan | None) -> Steps[None]:
        yield from self.kill(life)
        self._fabric.dismiss(life.gid)

    def renew(self, life: Life, after: BarrierPlan | None) -> Steps[Life]:
        plan, group = life.plan, life.group
        if after is not None:
            plan, group = after, next(each for each in after.groups if each.id == life.gid)
        anew = Life(plan, group, life.episodes)
        yield from self.set_up(anew)
        return anew
