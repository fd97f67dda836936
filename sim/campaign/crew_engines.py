"""The software that brings groups back on networks of collective engines."""

from __future__ import annotations

import copy
from collections.abc import Iterator

from syncfabric.models.layout.engine import ADDRESS_BITS, COMMIT, EPOCH_BITS
from syncfabric.models.layout.node import RouterWord, Target
from syncfabric.models.layout.setup import Answer
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.spec import EngineSpec
from syncfabric.models.planning.links.entries import owner_of
from syncfabric.models.planning.links.free import FreeEntries
from syncfabric.models.planning.plan import BarrierPlan, EngineGroupPlan
from syncfabric.sim.campaign.crew import Crew
from syncfabric.sim.fabric import Fabric
from syncfabric.sim.lifecycle import ByChain, ByManagers, lifecycle_of
from syncfabric.sim.lifecycle.effects import LOOK, Ask, FoundError, Pause, Steps, ask_all
from syncfabric.sim.soak.life import Life

__all__ = ["OfEngines", "dead_links_of", "is_hit_by"]

EPOCHS = 1 << EPOCH_BITS
PATIENCE = 2_000
"""Cycles in which a manager's command is over, and GO comes."""
TRIES = 5
"""Commands that may be refused, or not be answered, one after another."""
TIMES = 3
"""How often a group is set up and killed to let members go whose BROKEN was lost."""


class OfEngines(Crew):
    """Groups in entries that managers set up and kill; the host sees to what they cannot reach.

    Parameters
    ----------
    fabric : Fabric
    network : EngineSpec
    """

    def __init__(self, fabric: Fabric, network: EngineSpec) -> None:
        self._fabric, self._network = fabric, network
        self._software = lifecycle_of(network.shape, patience=PATIENCE, tries=TRIES)
        self._host = ByChain(network.shape, patience=PATIENCE, tries=TRIES)
        self._host.epochs = self._software.epochs
        self._free = FreeEntries(network.shape)

    def again(self) -> OfEngines:
        """Return one that knows what this one does, and may learn more."""
        twin = OfEngines(self._fabric, self._network)
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
        return Life(plan, taken, 0, life.episodes, life.manager)

    def fence(self, dead: Dead) -> Steps[None]:
        """Close dead links at the ends that live."""
        shape, words = self._network.shape, dict[int, int]()
        for router, port in dead.links:
            if router not in dead.routers and port < shape.router.links:
                target = shape.target_of(router)
                words[target] = words.get(target, 0) | 1 << port
        address = Target.ROUTER << ADDRESS_BITS | RouterWord.FENCE
        yield from ask_all([(target, address, word) for target, word in words.items()], "fenced")

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


def _plan(life: Life) -> EngineGroupPlan:
    assert isinstance(life.group, EngineGroupPlan)
    return life.group


def is_hit_by(group: EngineGroupPlan, dead: Dead) -> bool:
    """Return whether a group has a member, a router or a link that is dead."""
    return any(
        router in dead.routers or (router, port) in dead.links for router, port in _places(group)
    )


def _places(group: EngineGroupPlan) -> Iterator[tuple[int, int]]:
    """Yield the ports of a group's tree: those to parents, and to members."""
    tree = group.shape
    yield from zip(tree.routers.tolist(), tree.parent_port.tolist(), strict=True)
    yield from ((router, port) for router, port in tree.nodes.tolist())


def dead_links_of(network: EngineSpec, dead: Dead) -> list[int]:
    """Return the directed links that die, as numbered on the wires."""
    shape = network.shape
    outputs = shape.router.links + (not shape.interfaces)
    numbers = [outputs * router + port for router, port in dead.links]
    if shape.interfaces:
        numbers += [outputs * shape.routers + node for node in dead.nodes]
    return sorted(numbers)
