"""Groups set up, killed and cleared through the network, step by step."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import TypeAlias

from syncfabric.models.errors import PlanError
from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import (
    COMMAND_WORD,
    Command,
    ManagerState,
    RegisterWord,
    Request,
    SwitchWord,
    register_address,
)
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning.errands import (
    Errand,
    kill_errands,
    left_alone,
    routers_of,
    set_up_errands,
)
from syncfabric.models.planning.images import register_words
from syncfabric.models.planning.plan import BarrierPlan, IrregularGroupPlan, MessageGroupPlan
from syncfabric.models.planning.reach_managers import reaches
from syncfabric.sim.drive.commander import Commander
from syncfabric.sim.drive.config_port import ConfigPort
from syncfabric.sim.drive.recovery.life import Life
from syncfabric.sim.drive.recovery.notes import Broken, RecoveryNote
from syncfabric.sim.drive.recovery.story import Cost, Story
from syncfabric.sim.drive.recovery.world import target_of

__all__ = ["Registrar", "Steps"]

Steps: TypeAlias = Generator[None, None, None]
"""A program: it yields once a cycle in which it waits."""

TRIES = 20
"""Times that a refused set-up is tried, for a register may still be dying."""
PAUSE = 50
"""Cycles between them."""
GONE = 1000
"""Cycles within which all registers of a killed group are gone."""
TOLD = 50
"""Cycles within which node interfaces hear of it from their switches."""


class Registrar:
    """Commands managers, and writes registers over the config port.

    Parameters
    ----------
    plan : BarrierPlan
        What all begin with.
    story : Story
    model : GoldenModel
        Tells which registers have a group, and how far managers are.

    Attributes
    ----------
    port : ConfigPort
    notes : list of RecoveryNote
        What was done; the caller clears it.
    lives : dict of int to Life
        The current one of each group.
    history : list of Life
        All of them, by number.
    """

    def __init__(self, plan: BarrierPlan, story: Story, model: GoldenModel) -> None:
        self.plan, self.story, self._model = plan, story, model
        network = self._network = plan.spec.register_network
        self._groups = {group.id: group for group in plan.message_groups}
        self.port = ConfigPort()
        self._managers = {
            node: Commander(model, node, self.port.ask)
            for node in map(network.topology.index, network.manager_nodes)
        }
        self.notes: list[RecoveryNote] = []
        self.lives: dict[int, Life] = {}
        self.history: list[Life] = []
        self._now = 0
        self._silent: set[int] = set()  # nodes whose process is dead

    def _set_up(
        self,
        plan: BarrierPlan,
        group: MessageGroupPlan,
        epoch: int,
        cost: Cost,
    ) -> Steps:
        """Set a group up, and wait until all of its members may arrive."""
        network, start = self._network, self._now
        dead = plan.without
        errands = set_up_errands(plan, group, epoch, reaches(network, dead))
        owners = {r: e.node for e in errands for r in e.routers if e.operation is Request.SETUP}
        nodes = [network.topology.index(member) for member in group.members]
        number = len(self.history)
        rng = random.Random(f"{self.story.seed}/{number}")
        life = Life(group, number, epoch, nodes, owners, rng, self.story.jitter)
        self.lives[group.id] = life
        self.history.append(life)
        yield from self._write(self._member_writes(life), cost)
        for errand in errands:
            for _ in range(TRIES):
                if (yield from self._command(errand, cost)):
                    break
                yield from self._pause(PAUSE)
            else:
                raise PlanError(
                    f"group {group.id}: its set-up was refused {TRIES} times; a register of its "
                    "GID is left somewhere, or a router is full"
                )
        cost.set_up, start = self._now - start, self._now
        yield from self._until(lambda: all(self._may_arrive(life, node) for node in nodes))
        cost.go = self._now - start

    def _may_arrive(self, life: Life, node: int) -> bool:
        place = self._model.holder(node, life.group.id)
        return place is not None and self._model.ready(node, place)

    def _member_writes(self, life: Life) -> Iterable[ConfigRequest]:
        """Choose registers at node interfaces; yield what members write there."""
        if not isinstance(life.group, IrregularGroupPlan):
            return
        for node, register in zip(
            life.nodes, islice(life.group.registers(), len(life.nodes)), strict=True
        ):
            taken = {other.places.get(node) for other in self.lives.values() if other is not life}
            free = [r for r in range(self._network.barrier_registers) if r not in taken]
            place = life.places[node] = free[0]
            for word, value in register_words(replace(register, epoch=life.epoch)).items():
                yield ConfigRequest(node, register_address(place, word), True, value)

    def _kill(self, life: Life, cost: Cost) -> Steps:
        """Kill what is left of a group, and wait until all of it is gone."""
        start, dead, gid = self._now, self.story.dead, life.group.id
        group = self._groups[gid]
        self.notes.append(Broken(self._now, life.number))
        reach = reaches(self._network, dead)
        errands = kill_errands(self.plan, group, life.owners, reach)
        for errand in errands:
            yield from self._command(errand, cost)
        killed = [router for errand in errands for router in errand.routers]
        alone = left_alone(self.plan, group, killed, dead)
        targets = [target_of(self._network, router) for router in alone]
        yield from self._write(self._kills(targets, gid), cost)
        living = [r for r in routers_of(self.plan, group) if r not in dead.routers]
        targets = [target_of(self._network, router) for router in living]
        members = [node for node in life.places if node not in self._silent]
        end = self._now + GONE
        yield from self._until(lambda: not self._still(gid, targets) or self._now >= end)
        end = self._now + TOLD
        yield from self._until(lambda: not self._still(gid, members) or self._now >= end)
        # What is left are node interfaces below a switch that could tell them nothing.
        yield from self._write(self._kills(self._still(gid, members), gid), cost)
        yield from self._until(lambda: not self._still(gid, [*targets, *members]))
        cost.end = self._now - start

    def _still(self, gid: int, targets: Sequence[int]) -> list[int]:
        """Return the targets that still have a register of a group."""
        return [target for target in targets if self._model.holder(target, gid) is not None]

    def _kills(self, targets: Sequence[int], gid: int) -> Iterable[ConfigRequest]:
        """Yield the writes that kill registers of a group over the config port."""
        irregular = isinstance(self._network, IrregularSpec)
        word = COMMAND_WORD if irregular else int(RegisterWord.STATUS)
        for target in targets:
            place = self._model.holder(target, gid)
            if place is not None:
                address = register_address(place, word)
                yield ConfigRequest(target, address, True, int(Command.KILL))

    def _clear(self, life: Life, cost: Cost) -> Steps:
        """Clear a group whose last barrier is over."""
        start, gid = self._now, life.group.id
        life.stop()
        manager = next(reversed(life.owners.values()), None)  # the root's, who is told FREED
        told = not isinstance(self._network, IrregularSpec) or self._network.turnaround == "switch"
        if manager is not None and told:
            yield from self._until(lambda: gid in self._model.freed(manager))
            cost.packets += 1
        reach = reaches(self._network, self.plan.without)
        for errand in set_up_errands(self.plan, self._groups[gid], 0, reach):
            if errand.operation is Request.SETUP:
                yield from self._command(replace(errand, operation=Request.CLEAR), cost)
        wipes = [
            ConfigRequest(node, register_address(place, SwitchWord.CONTROL), True, 0)
            for node, place in life.places.items()
        ]
        yield from self._write(wipes, cost)
        cost.end = self._now - start

    # Small steps.

    def _until(self, holds: Callable[[], bool]) -> Steps:
        while not holds():
            yield

    def _pause(self, cycles: int) -> Steps:
        end = self._now + cycles
        yield from self._until(lambda: self._now >= end)

    def _write(self, requests: Iterable[ConfigRequest], cost: Cost | None = None) -> Steps:
        """Write registers over the config port, and wait for the answers."""
        asked, left = list(requests), [0]

        def heard(now: int, refused: bool, data: int) -> None:
            left[0] -= 1

        if cost is not None:
            cost.writes += len(asked)
        left[0] = len(asked)
        for request in asked:
            self.port.ask(request, heard)
        yield from self._until(lambda: not left[0])

    def _command(self, errand: Errand, cost: Cost) -> Generator[None, None, bool]:
        """Give a manager a command, and wait for its end; return whether it is done."""
        manager = self._managers[errand.node]
        manager.order(errand.operation, errand.entries)
        while True:
            took = manager.end(self._now)
            if took is not None:
                break
            yield
        cost.packets += took.packets
        cost.commands += 1
        return manager.state is ManagerState.DONE
