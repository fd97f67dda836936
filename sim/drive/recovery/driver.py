"""The software of a recovery: what dies or moves, and how its groups come back."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import replace
from itertools import islice

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
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.commander import Commander
from syncfabric.sim.drive.config_port import ConfigPort
from syncfabric.sim.drive.driver import Arrival
from syncfabric.sim.drive.recovery.life import Life
from syncfabric.sim.drive.recovery.notes import Begun, Broken, RecoveryNote
from syncfabric.sim.drive.recovery.story import Cost, Story
from syncfabric.sim.drive.recovery.world import dead_links, is_hit, target_of

__all__ = ["RecoveryDriver"]

Steps = Generator[None, None, None]
"""A program: it yields once a cycle in which it waits."""

TRIES = 20
"""Times that a refused set-up is tried, for a register may still be dying."""
PAUSE = 50
"""Cycles between them."""
GONE = 1000
"""Cycles within which all registers of a killed group are gone."""
TOLD = 50
"""Cycles within which node interfaces hear of it from their switches."""
EPOCHS = 4


class RecoveryDriver:
    """Sets groups up, lets them synchronize, lets something die or move, and sees to it.

    Parameters
    ----------
    plan, after : BarrierPlan
        The plan that all begin with, and that of those that are hit afterwards.
    story : Story
    model : GoldenModel

    Attributes
    ----------
    costs : list of Cost
        Of the groups that came back.
    lives : dict of int to Life
        The current one of each group.
    event, well : int or None
        Cycle in which it happens, and in which all groups have come back.
    refused : str or None
        What could not be done.
    """

    def __init__(
        self, plan: BarrierPlan, after: BarrierPlan, story: Story, model: GoldenModel
    ) -> None:
        self.plan, self.after, self.story, self._model = plan, after, story, model
        network = self._network = plan.spec.message_network
        self._groups = {group.id: group for group in plan.message_groups}
        self._links = dead_links(network, story.dead)
        self._cuts = model.doom(self._links)
        self.port = ConfigPort(network, ())
        self._managers = {
            node: Commander(model, node, self.port.ask)
            for node in map(network.topology.index, network.manager_nodes)
        }
        self._rng = random.Random(story.seed)
        self.stimuli: list[Stimulus] = []
        self.arrivals: list[Arrival] = []
        self.notes: list[RecoveryNote] = []
        self.lives: dict[int, Life] = {}
        self.history: list[Life] = []
        self.costs: list[Cost] = []
        self.event: int | None = None
        self.well: int | None = None
        self.refused: str | None = None
        self.finished = False
        self._now = 0
        self._steps = self._run()
        self._silent: set[int] = set()  # nodes whose process is dead
        self._seats: dict[tuple[int, int], Life] = {}
        self._arrive: dict[tuple[int, int], int] = {}
        self._last: set[tuple[int, int]] = set()

    def unfinished(self) -> list[int]:
        """Return the groups that are not done."""
        return list(self.lives)

    # A cycle.

    def inputs(self, now: int) -> tuple[dict[tuple[int, int], int], set[tuple[int, int]]]:
        """Act in a cycle; return who arrives, and who for the last time."""
        self._now, self._arrive, self._last = now, {}, set()
        self.port.hear(now, self._model.config_answer)
        for node, register, _ in self._model.release:
            self._released(node, register)
        if now:
            next(self._steps, None)
            for life in self.lives.values():
                self._let_arrive(life)
        return self._arrive, self._last

    def request(self) -> ConfigRequest | None:
        """Return the request of this cycle."""
        if not self._now or not self.port.may_ask:
            return None
        request, stimulus = self.port.give(self._now)
        self.stimuli.append(stimulus)
        return request

    def _released(self, node: int, register: int) -> None:
        life = self._seats.get((node, register))
        if life is None:
            return
        if self._model.broken(node, register):
            life.break_off(node)
        elif node in life.inside:
            life.release(self._now, node)

    def _let_arrive(self, life: Life) -> None:
        for node, due in list(life.due.items()):
            if due > self._now or node in self._silent:
                continue
            place = self._model.holder(node, life.group.id)
            if place is None or not self._model.ready(node, place):
                continue
            self._seats[node, place] = life
            bits = self._network.data_bits
            data = self._rng.getrandbits(bits) if bits else 0
            last = life.takes(self._now, node)
            index = node * self._network.port_registers + place
            self._arrive[node, place] = data
            if last:
                self._last.add((node, place))
            self.stimuli.append(Stimulus(self._now, StimulusKind.ARRIVE, index, data, int(last)))
            member = life.nodes.index(node)
            self.arrivals.append(Arrival(self._now, life.number, member, data))
            self.notes.append(Begun(self._now, life.number, node, place))

    # The story.

    def _run(self) -> Steps:
        try:
            yield from self._tell()
        except PlanError as error:
            self.refused = str(error)
        self.finished = True

    def _tell(self) -> Steps:
        story = self.story
        for group in self.plan.message_groups:
            yield from self._set_up(self.plan, group, 0, Cost(group.id), alive=True)
        begin = self._now
        for life in self.lives.values():
            life.begin(begin)
        least = begin + story.at
        yield from self._until(
            lambda: (
                self._now >= least
                and all(len(life.latency) >= story.episodes for life in self.lives.values())
            )
        )
        self.event = self._now
        if story.dead:
            yield from self._recover()
        else:
            yield from self._move()
        self.well = self._now
        marks = {gid: len(life.latency) for gid, life in self.lives.items()}
        yield from self._until(
            lambda: all(
                len(life.latency) >= marks[gid] + story.episodes for gid, life in self.lives.items()
            )
        )

    def _recover(self) -> Steps:
        """Let links and nodes die, and bring the groups back that this hits."""
        dead = self.story.dead
        self._give(StimulusKind.DEAD)
        self._cuts.die(self._links)
        self._silent = set(dead.nodes)
        hit = [g for g in self.plan.message_groups if is_hit(self._network, g, dead)]
        if not hit:
            return
        patience = self.story.patience
        yield from self._until(
            lambda: any(
                self._now - since > patience
                for group in hit
                for node, since in self.lives[group.id].inside.items()
                if node not in self._silent
            )
        )
        found = self._now
        assert self.event is not None
        # From here on software knows what is dead. It lets nobody in, and nothing wait for it.
        self._give(StimulusKind.FENCE)
        self._cuts.fence(self._links)
        for group in hit:
            self.lives[group.id].stop()
        for group in hit:
            cost = Cost(group.id, detect=found - self.event, wait=self._now - found)
            yield from self._kill(self.lives[group.id], cost)
            anew = next((g for g in self.after.message_groups if g.id == group.id), None)
            if anew is None:
                del self.lives[group.id]
            else:
                yield from self._come_back(anew, cost)

    def _move(self) -> Steps:
        """Bring members to other nodes, a group after the other."""
        assert self.event is not None
        for gid in dict.fromkeys(move.group for move in self.story.moves):
            life = self.lives[gid]
            cost = Cost(gid, wait=self._now - self.event)
            start = self._now
            life.end_soon()
            yield from self._until(lambda life=life: life.is_over)  # type: ignore[misc]
            cost.detect = self._now - start
            yield from self._clear(life, cost)
            anew = next(g for g in self.after.message_groups if g.id == gid)
            yield from self._come_back(anew, cost)

    def _come_back(self, group: MessageGroupPlan, cost: Cost) -> Steps:
        """Set a group up again, and wait for its first barrier."""
        epoch = (self.lives[group.id].epoch + 1) % EPOCHS
        yield from self._set_up(self.after, group, epoch, cost, alive=False)
        life = self.lives[group.id]
        start = self._now
        life.begin(start)
        yield from self._until(lambda: bool(life.latency))
        cost.first = self._now - start
        self.costs.append(cost)

    # Set-up and tear-down.

    def _set_up(
        self,
        plan: BarrierPlan,
        group: MessageGroupPlan,
        epoch: int,
        cost: Cost,
        *,
        alive: bool,
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
        for errand in set_up_errands(
            self.plan, life.group, 0, reaches(self._network, self.plan.without)
        ):
            if errand.operation is Request.SETUP:
                yield from self._command(replace(errand, operation=Request.CLEAR), cost)
        wipes = [
            ConfigRequest(node, register_address(place, SwitchWord.CONTROL), True, 0)
            for node, place in life.places.items()
        ]
        yield from self._write(wipes, cost)
        cost.end = self._now - start

    # Small steps.

    def _give(self, kind: StimulusKind) -> None:
        self.stimuli += [Stimulus(self._now, kind, link) for link in self._links]

    def _until(self, holds: Callable[[], bool]) -> Steps:
        while not holds():
            yield

    def _pause(self, cycles: int) -> Steps:
        end = self._now + cycles
        yield from self._until(lambda: self._now >= end)

    def _write(self, requests: Iterable[ConfigRequest], cost: Cost) -> Steps:
        """Write registers over the config port, and wait for the answers."""
        asked, left = list(requests), [0]

        def heard(now: int, refused: bool, data: int) -> None:
            left[0] -= 1

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
