"""The software that sets groups up and brings them back, on each kind of network."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import replace

from syncfabric.models.errors import SpecError
from syncfabric.models.messages import (
    COMMAND_WORD,
    CONTROL,
    COUNTER_BASE,
    FENCE,
    Command,
    Counter,
    ManagerState,
    RegisterWord,
    Request,
    register_address,
)
from syncfabric.models.networks.dead import Dead
from syncfabric.models.networks.spec import (
    EngineSpec,
    IrregularSpec,
    RegisterSpec,
    StaticSpec,
)
from syncfabric.models.planning.errands import set_up_errands
from syncfabric.models.planning.plan import (
    BarrierPlan,
    GroupPlan,
    IrregularGroupPlan,
)
from syncfabric.models.planning.reach_managers import reaches
from syncfabric.sim.drive.recovery.world import (
    fence_words,
    is_hit,
    target_of,
    way_is_hit,
)
from syncfabric.sim.fabric import Fabric
from syncfabric.sim.lifecycle.effects import LOOK, Ask, FoundError, Pause, Steps, ask_all
from syncfabric.sim.soak.by_manager import ByManager
from syncfabric.sim.soak.by_port import ByPort
from syncfabric.sim.soak.by_routes import ByRoutes
from syncfabric.sim.soak.life import Life, images_of

__all__ = ["Crew", "crew_of", "groups_hit"]

NOTHING = Dead()
EPOCHS = 4
PATIENCE = 2_000
"""Cycles in which a manager's command is over, and GO comes."""
TRIES = 10
"""Set-ups that may be refused: where a group was killed, BROKEN may still be under way."""
GONE = 1_000
"""Cycles in which BROKEN comes to all registers of a group that is killed."""


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
        """Write into a register of a group that is in use; return whether that is refused.

        Parameters
        ----------
        life : Life
        place : int
            Number of the register, counted round and round.
        word : int
        data : int
            Word 0: how much the epoch rises; 0: the register is cleared.

        Raises
        ------
        SpecError
            The network has no registers that managers set up.
        """
        raise SpecError(
            f"group {life.gid}: register {place} cannot be written, as the network has no "
            "managers; leave the kind write out"
        )

    def abort(self, life: Life) -> Steps[None]:
        """Break a manager's command off that does not end."""
        yield from ()


def crew_of(fabric: Fabric, plan: BarrierPlan) -> Crew:
    """Return the software for a network."""
    network = plan.spec.network
    if isinstance(network, EngineSpec):
        from syncfabric.sim.campaign.crew_engines import OfEngines

        return OfEngines(fabric, network)
    if isinstance(network, StaticSpec):
        return _OfRoutes(fabric, network)
    if network.has_messages:
        return _OfMessages(fabric, network)
    return _OfWires(fabric, network)


def groups_hit(plan: BarrierPlan, dead: Dead) -> set[int]:
    """Return the groups that cannot go on as they are."""
    network = plan.spec.network
    if isinstance(network, EngineSpec):
        from syncfabric.sim.campaign.crew_engines import is_hit_by

        return {group.id for group in plan.engine_groups if is_hit_by(group, dead)}
    if isinstance(network, StaticSpec):
        return {group.id for group in plan.static_groups if way_is_hit(network, group, dead)}
    if not network.has_messages:  # plans around it may have other slots
        return {group.id for group in plan.groups}
    return {group.id for group in plan.message_groups if is_hit(network, group, dead)}


def _renewed(life: Life, after: BarrierPlan | None) -> Life:
    """Return a group's next life."""
    plan, group = life.plan, life.group
    if after is not None:
        plan, group = after, next(each for each in after.groups if each.id == life.gid)
    return Life(plan, group, (life.epoch + 1) % EPOCHS, life.episodes, life.manager)


def _refused(life: Life, dead: Dead = NOTHING) -> Steps[int]:
    """Return how many arrivals the members' nodes have refused, those that live."""
    nodes = [node for node in life.nodes if node not in dead.nodes]
    reads = [(node, COUNTER_BASE + Counter.REFUSED_ARRIVE, None) for node in nodes]
    return sum((yield from ask_all(reads, "ended")))


class _OfMessages(Crew):
    """Groups in registers that managers set up and kill."""

    def __init__(self, fabric: Fabric, network: RegisterSpec) -> None:
        self._fabric, self._network = fabric, network
        self._manager = ByManager(fabric, network, patience=PATIENCE, tries=TRIES)

    def again(self) -> _OfMessages:
        twin = _OfMessages(self._fabric, self._network)
        twin._manager = self._manager.again()
        return twin

    def set_up(self, life: Life) -> Steps[None]:
        yield from self._manager.set_up(life)

    def meddle(self, life: Life, manager: int) -> Steps[bool]:
        """Have a group set up that is in use; return whether that is refused."""
        other = replace(_renewed(life, None), manager=manager)
        state = yield from self._manager.command(other, Request.SETUP)
        return state is not ManagerState.DONE

    def write(self, life: Life, place: int, word: int, data: int) -> Steps[bool]:
        places = yield from self._left(life)
        target, register = places[place % len(places)]
        if not word and data:
            address = register_address(register, word)
            (control,) = yield from ask_all([(target, address, None)], "read")
            fields = CONTROL.unpack(control & (1 << CONTROL.width) - 1)
            data = CONTROL.pack({**fields, "epoch": (fields["epoch"] + data) % EPOCHS})
        ((refused, _),) = yield Ask([(target, register_address(register, word), data)])
        return refused

    def abort(self, life: Life) -> Steps[None]:
        yield from self._manager.abort(life)

    def fence(self, dead: Dead) -> Steps[None]:
        words = fence_words(self._network, dead)
        yield from ask_all([(target, FENCE, word) for target, word in words.items()], "fenced")

    def end(self, life: Life, after: BarrierPlan | None) -> Steps[None]:
        if after is None:
            yield from self._manager.command(life, Request.KILL)
        yield from self._see_gone(life, NOTHING if after is None else after.without)
        self._fabric.dismiss(life.gid)
        self._manager.leave(life)

    def renew(self, life: Life, after: BarrierPlan | None) -> Steps[Life]:
        anew = _renewed(life, after)
        try:
            if after is None:
                yield from self._manager.set_up(anew)
            else:
                yield from self._set_up_around(anew, after.without)
        except FoundError:
            self._manager.leave(anew)
            raise
        return anew

    def _see_gone(self, life: Life, dead: Dead) -> Steps[None]:
        """Kill what has not heard of it over the config port, and see that all that lives is gone.

        Nobody releases whom a register has refused that was no longer there.
        """
        for _ in range(GONE // LOOK):
            left = yield from self._left(life, dead)
            waits = self._fabric.inside(life.gid, but=dead.nodes)
            if not left and (not waits or waits <= (yield from _refused(life, dead))):
                return
            yield Pause(LOOK)
            yield from self._kill(left)
        raise FoundError(
            f"killed, and {sorted(left)} have its registers, or members wait that nobody releases"
        )

    def _left(self, life: Life, dead: Dead = NOTHING) -> Steps[list[tuple[int, int]]]:
        """Return target and register of what still has the group, and lives."""
        gone = {target_of(self._network, router) for router in dead.routers} | dead.nodes
        places = [
            (target, r)
            for target, _, _ in images_of(self._network, life.group)
            if target not in gone
            for r in range(self._network.barrier_registers)
        ]
        reads = [(target, register_address(r, 0), None) for target, r in places]
        words = yield from ask_all(reads, "killed")
        found = []
        for place, word in zip(places, words, strict=True):
            control = CONTROL.unpack(word & (1 << CONTROL.width) - 1)
            if control["valid"] and control["gid"] == life.gid:
                found.append(place)
        return found

    def _kill(self, places: Iterable[tuple[int, int]]) -> Steps[None]:
        irregular = isinstance(self._network, IrregularSpec)
        word = COMMAND_WORD if irregular else int(RegisterWord.STATUS)
        requests = [(target, register_address(r, word), int(Command.KILL)) for target, r in places]
        if requests:  # one that has gone meanwhile refuses it
            yield Ask(requests)

    def _set_up_around(self, life: Life, dead: Dead) -> Steps[None]:
        group = life.group
        assert isinstance(group, (GroupPlan, IrregularGroupPlan))
        yield from self._manager.set_up_at_members(life)
        for errand in set_up_errands(life.plan, group, life.epoch, reaches(self._network, dead)):
            for _ in range(TRIES):
                state = yield from self._manager.give(errand.node, errand.operation, errand.entries)
                if state is ManagerState.DONE:
                    break
                yield Pause(LOOK)
            else:
                raise FoundError(f"refused {TRIES} times to be set up around {dead}")
        yield from self._manager.await_set_up(life)


class _OfWires(Crew):
    """Groups in slots, written over the config port."""

    def __init__(self, fabric: Fabric, network: RegisterSpec) -> None:
        self._fabric, self._network = fabric, network
        self._port = ByPort(fabric, network)

    def again(self) -> _OfWires:
        return self

    def set_up(self, life: Life) -> Steps[None]:
        yield from self._port.set_up(life)

    def end(self, life: Life, after: BarrierPlan | None) -> Steps[None]:
        """Clear all slots.

        Whoever waits there is released broken. Who has arrived at a slot with a fault was refused,
        which its node has counted.
        """
        yield from self._port.clear(life)
        yield Pause(LOOK)
        refused = yield from _refused(life)
        waits = self._fabric.inside(life.gid)
        if waits > refused:
            raise FoundError(f"cleared, and {waits} wait, {refused} of whom were refused")
        self._fabric.dismiss(life.gid)

    def renew(self, life: Life, after: BarrierPlan | None) -> Steps[Life]:
        anew = _renewed(life, after)
        yield from self._port.set_up(anew)
        return anew


class _OfRoutes(Crew):
    """Rings and trees of a static network, whose routes are loaded anew."""

    def __init__(self, fabric: Fabric, network: StaticSpec) -> None:
        self._fabric, self._network = fabric, network
        self._routes = ByRoutes(fabric, network)

    def again(self) -> _OfRoutes:
        twin = _OfRoutes(self._fabric, self._network)
        twin._routes = self._routes.again()
        return twin

    def set_up(self, life: Life) -> Steps[None]:
        yield from self._routes.set_up(life)

    def end(self, life: Life, after: BarrierPlan | None) -> Steps[None]:
        yield from self._routes.break_off(life)
        self._fabric.dismiss(life.gid)

    def renew(self, life: Life, after: BarrierPlan | None) -> Steps[Life]:
        anew = _renewed(life, after)
        yield from self._routes.set_up(anew)
        return anew
