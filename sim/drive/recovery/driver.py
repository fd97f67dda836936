"""The software of a recovery: what dies or moves, how its groups come back, and their model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from syncfabric.models.golden.network import model_of
from syncfabric.models.golden.planes.collective_network import CollectiveNetwork
from syncfabric.models.golden.record import Record
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.layout.engine import ADDRESS_BITS
from syncfabric.models.layout.network import Target
from syncfabric.models.layout.setup import ManagerWord
from syncfabric.models.networks.spec import MessageSpec, StaticSpec
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan
from syncfabric.models.planning.set_up import manager_address
from syncfabric.sim.drive.churn.notes import Gone
from syncfabric.sim.drive.config_port import Cycles
from syncfabric.sim.drive.recovery.life import Life
from syncfabric.sim.drive.recovery.plans import fences
from syncfabric.sim.drive.recovery.story import Cost, Story
from syncfabric.sim.drive.recovery.telling import Telling
from syncfabric.sim.drive.scenario import Scenario
from syncfabric.sim.drive.stepping import Chunk, Stepping
from syncfabric.sim.lifecycle import ByChain, lifecycle_of
from syncfabric.sim.lifecycle.effects import Ask, Steps
from syncfabric.sim.lifecycle.routes import ByRoutes

__all__ = ["RecoveryDriver", "RecoverySession", "StaticRecoveryDriver"]


class RecoveryDriver(Telling):
    """Does so with groups in entries of engines.

    Groups are set up as the network is built for, by managers or over the config chain. What dies
    may be on the way of managers' packets, so that groups which are hit are killed and set up again
    over the chain.

    Parameters
    ----------
    plan, after : BarrierPlan
    story : Story
        See ``Telling``.
    model : CollectiveNetwork
    """

    def __init__(
        self, plan: BarrierPlan, after: BarrierPlan, story: Story, model: CollectiveNetwork
    ) -> None:
        super().__init__(plan, after, story, model)
        network = plan.spec.network
        assert isinstance(network, MessageSpec)
        self._network, self._model = network, model
        self._software = lifecycle_of(model.shape)
        self._chain = ByChain(model.shape)
        self._chain.epochs = self._software.epochs
        self._breaks = network.watched

    def _begin(self) -> Cycles[None]:
        for group in self.plan.engine_groups:
            yield from self._set_up(group, self._software.set_up)
        yield from self._until(lambda: all(map(self._is_open, self.lives.values())))

    def _set_up(
        self, group: GroupPlan, program: Callable[[GroupPlan], Steps[None]]
    ) -> Cycles[None]:
        """Begin a group's life, and set it up."""
        self._enter(group)
        yield from self._perform(program(group))

    def _is_open(self, life: Life) -> bool:
        """Whether all members may arrive."""
        return all(self._model.ready(*seat) for seat in life.places.items())

    def _bring_back(self, hit: list[int]) -> Cycles[None]:
        """Kill groups at the routers that live, and set them up over the chain."""
        dead, found = self.story.dead, self._now
        groups = [group for group in self.plan.engine_groups if group.id in hit]
        costs = [Cost(group.id, detect=found - (self.event or 0)) for group in groups]
        self._cost = costs[0]
        yield from self._perform(_writes(fences(self._network, dead)))
        for group, cost in zip(groups, costs, strict=True):
            cost.wait, start, self._cost = self._now - found, self._now, cost
            self._note_kill(self.lives[group.id])
            living = {r: e for r, e in group.placement.items() if r not in dead.routers}
            yield from self._perform(self._chain.kill(replace(group, placement=living)))
            cost.end = self._now - start
        for group, cost in zip(groups, costs, strict=True):
            yield from self._come_back(group.id, cost, self._chain.set_up)

    def _move(self) -> Cycles[None]:
        start, costs = self._now, []
        for gid in dict.fromkeys(move.group for move in self.story.moves):
            life, begun = self.lives[gid], self._now
            costs.append(cost := Cost(gid, wait=begun - start))
            life.end_soon()
            yield from self._until(lambda life=life: life.is_over)  # type: ignore[misc]
            cost.detect, begun, self._cost = self._now - begun, self._now, cost
            group = next(each for each in self.plan.engine_groups if each.id == gid)
            yield from self._perform(self._software.tear_down(group))
            cost.end = self._now - begun
        for cost in costs:
            yield from self._come_back(cost.group, cost, self._software.set_up)

    def _come_back(
        self, gid: int, cost: Cost, set_up: Callable[[GroupPlan], Steps[None]]
    ) -> Cycles[None]:
        """Set a group up again, and wait for its first barrier."""
        group = next((each for each in self.after.engine_groups if each.id == gid), None)
        if group is None:
            del self.lives[gid]
            return
        start, self._cost = self._now, cost
        yield from self._set_up(group, set_up)
        cost.set_up, start, life = self._now - start, self._now, self.lives[gid]
        yield from self._until(lambda: self._is_open(life))
        cost.go, start = self._now - start, self._now
        life.begin(start)
        yield from self._until(lambda: bool(life.latency))
        cost.first = self._now - start
        self.costs.append(cost)

    def _perform(self, steps: Steps[None]) -> Cycles[None]:
        sent = self._requests_sent()
        yield from super()._perform(steps)
        self._cost.packets += 2 * (self._requests_sent() - sent)

    def _count(self, address: int) -> None:
        if address == manager_address(ManagerWord.COMMAND):
            self._cost.commands += 1
        elif address >> ADDRESS_BITS != Target.MANAGER:
            self._cost.writes += 1

    def _requests_sent(self) -> int:
        return sum(map(self._model.requests_sent, self._model.managers))


def _writes(writes: Iterable[tuple[int, int, int]]) -> Steps[None]:
    yield Ask(list(writes))


class StaticRecoveryDriver(Telling):
    """Does so with routes that are loaded anew.

    All groups that are hit come back together, by one STROBE.

    Parameters
    ----------
    plan, after : BarrierPlan
    story : Story
    model : StaticModel
        See ``Telling``.
    """

    def __init__(
        self, plan: BarrierPlan, after: BarrierPlan, story: Story, model: StaticModel
    ) -> None:
        super().__init__(plan, after, story, model)
        network = plan.spec.network
        assert isinstance(network, StaticSpec)
        self._routes = ByRoutes(network)

    def _begin(self) -> Cycles[None]:
        groups = self.plan.static_groups
        yield from self._perform(self._routes.set_up(*groups))
        for group in groups:
            self._enter(group)

    def _move(self) -> Cycles[None]:
        hit = list(dict.fromkeys(move.group for move in self.story.moves))
        lives = [self.lives[gid] for gid in hit]
        for life in lives:
            life.end_soon()
        yield from self._until(lambda: all(life.is_over for life in lives))
        yield from self._bring_back(hit)

    def _bring_back(self, hit: list[int]) -> Cycles[None]:
        """Load the routes of all groups, and set those up that are hit."""
        assert self.event is not None
        found, self._cost = self._now, Cost(-1)
        for gid in hit:
            life = self.lives.pop(gid)
            life.stop()
            self.notes.append(Gone(found, life.number))
        old = {group.id: group for group in self.plan.static_groups}
        ended = [old[gid] for gid in hit]
        begun = [group for group in self.after.static_groups if group.id in hit]
        yield from self._perform(self._routes.load(ended, begun))
        end, start = self._now - found, self._now
        yield from self._perform(self._routes.assign(ended, begun, self._silent))
        set_up, writes = self._now - start, self._cost.writes
        lives = [self._enter(group) for group in begun]
        for life in lives:
            life.begin(self._now)
        start = self._now
        for life in lives:
            yield from self._until(lambda life=life: bool(life.latency))  # type: ignore[misc]
            first, detect = life.latency[0][0] - start, found - self.event
            self.costs.append(Cost(life.group.id, detect, 0, end, set_up, 0, first, writes=writes))


class RecoverySession(Stepping):
    """Steps model and software; no cycle is skipped, for something may die in any.

    Parameters
    ----------
    plan, after : BarrierPlan
        As of ``Telling``.
    story : Story
    """

    model: CollectiveNetwork | StaticModel
    driver: RecoveryDriver | StaticRecoveryDriver

    def __init__(self, plan: BarrierPlan, after: BarrierPlan, story: Story) -> None:
        network = plan.spec.network
        if isinstance(network, StaticSpec):
            self.model = StaticModel(network)
            self.driver = StaticRecoveryDriver(plan, after, story, self.model)
        else:
            self.model = model_of(network)
            self.driver = RecoveryDriver(plan, after, story, self.model)
        super().__init__(Scenario(limit=story.limit), self.model, self.driver)

    def _hand(self, chunk: Chunk) -> None:
        super()._hand(chunk)
        self.driver.notes, self.driver.faults = chunk.notes, chunk.faults

    def _tick(self, chunk: Chunk) -> Record | None:
        arrive, last = self.driver.inputs(self.model.cycle)
        return self.model.step(arrive=arrive, last=last, config=self.driver.request())
