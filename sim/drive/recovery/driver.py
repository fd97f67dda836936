"""The software of a recovery: what dies or moves, and how its groups come back."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import replace

from syncfabric.models.golden.planes.collective_network import CollectiveNetwork
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.engine import ADDRESS_BITS
from syncfabric.models.layout.node import Target
from syncfabric.models.layout.setup import ManagerWord
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.links.set_up import manager_address
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.config_port import ConfigPort
from syncfabric.sim.drive.driver import Arrival
from syncfabric.sim.drive.performing import Cycles, perform
from syncfabric.sim.drive.recovery.life import Life
from syncfabric.sim.drive.recovery.notes import Begun, Broken, Told
from syncfabric.sim.drive.recovery.story import Cost, Story
from syncfabric.sim.drive.recovery.telling import Telling
from syncfabric.sim.drive.recovery.world import fences, groups_hit
from syncfabric.sim.lifecycle import ByChain, lifecycle_of
from syncfabric.sim.lifecycle.effects import Ask, Steps

__all__ = ["RecoveryDriver"]


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
        super().__init__(plan, after, story)
        network = plan.spec.network
        assert isinstance(network, MessageSpec)
        self._network, self._model = network, model
        self._software = lifecycle_of(model.shape)
        self._chain = ByChain(model.shape)
        self._chain.epochs = self._software.epochs
        self.port = ConfigPort()
        self._rng = random.Random(story.seed)
        self._cost = Cost(-1)
        self._seats: dict[tuple[int, int], Life] = {}
        self._arrive: dict[tuple[int, int], int] = {}
        self._last: set[tuple[int, int]] = set()

    # A cycle.

    def inputs(self, now: int) -> tuple[dict[tuple[int, int], int], set[tuple[int, int]]]:
        """Act in a cycle; return who arrives, and who for the last time."""
        self._now, self._arrive, self._last = now, {}, set()
        self.port.hear(now, self._model.config_answer)
        for node, register, _ in self._model.release:
            self._released(node, register)
        if now:
            next(self._story, None)
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
        if self._model.broken(node, register):
            self.notes.append(Told(self._now, node, register))
            if life is not None:
                life.break_off(node)
        elif life is not None and node in life.inside:
            life.release(self._now, node)

    def _let_arrive(self, life: Life) -> None:
        for node, due in list(life.due.items()):
            seat = node, life.places[node]
            if due > self._now or node in self._silent or not self._model.ready(*seat):
                continue
            bits = self._network.data_bits
            data = self._rng.getrandbits(bits) if bits else 0
            last = life.takes(self._now, node)
            self._arrive[seat] = data
            if last:
                self._last.add(seat)
            index = node * self._network.port_registers + seat[1]
            self.stimuli.append(Stimulus(self._now, StimulusKind.ARRIVE, index, data, int(last)))
            member = life.nodes.index(node)
            self.arrivals.append(Arrival(self._now, life.number, member, data))

    # The story.

    def _begin(self) -> Cycles[None]:
        for group in self.plan.engine_groups:
            yield from self._perform(self._software.set_up(self._enter(group)))
        yield from self._until(lambda: all(map(self._is_open, self.lives.values())))

    def _enter(self, group: GroupPlan) -> GroupPlan:
        """Begin a group's life, before it is set up."""
        life = self._live(group)
        life.places = dict(zip(life.nodes, group.registers, strict=True))
        for seat in life.places.items():
            self._seats[seat] = life
            self.notes.append(Begun(self._now, life.number, *seat))
        return group

    def _is_open(self, life: Life) -> bool:
        """Whether all members may arrive."""
        return all(self._model.ready(*seat) for seat in life.places.items())

    def _recover(self) -> Cycles[None]:
        dead, found_by = self.story.dead, self.story.patience
        self._die()
        self._model.inject(self.faults)
        gids = groups_hit(self.plan, dead)
        hit = [group for group in self.plan.engine_groups if group.id in gids]
        lives = [self.lives[gid] for gid in gids]
        if not hit:
            return
        if self._network.watched:
            self.notes += [Broken(self._now, life.number) for life in lives]
        yield from self._until(
            lambda: any(life.complains(self._now, found_by, self._silent) for life in lives)
        )
        # From here on software knows what is dead. It lets nobody in, and nothing wait for it.
        found = self._now
        for life in lives:
            life.stop()
        costs = [Cost(group.id, detect=found - (self.event or 0)) for group in hit]
        self._cost = costs[0]
        yield from self._perform(_writes(fences(self._network, dead)))
        for group, cost in zip(hit, costs, strict=True):
            cost.wait, start, self._cost = self._now - found, self._now, cost
            self.notes.append(Broken(self._now, self.lives[group.id].number))
            living = {r: e for r, e in group.placement.items() if r not in dead.routers}
            yield from self._perform(self._chain.kill(replace(group, placement=living)))
            cost.end = self._now - start
        for group, cost in zip(hit, costs, strict=True):
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
        yield from self._perform(set_up(self._enter(group)))
        cost.set_up, start, life = self._now - start, self._now, self.lives[gid]
        yield from self._until(lambda: self._is_open(life))
        cost.go, start = self._now - start, self._now
        life.begin(start)
        yield from self._until(lambda: bool(life.latency))
        cost.first = self._now - start
        self.costs.append(cost)

    def _perform(self, steps: Steps[None]) -> Cycles[None]:
        """Perform a program, and count what it does."""
        sent = self._requests_sent()
        yield from perform(self._counted(steps), self.port, lambda: self._now)
        self._cost.packets += 2 * (self._requests_sent() - sent)

    def _counted(self, steps: Steps[None]) -> Steps[None]:
        step = next(steps, None)
        while step is not None:
            for _, address, word in step.requests if isinstance(step, Ask) else ():
                if word is not None and address == manager_address(ManagerWord.COMMAND):
                    self._cost.commands += 1
                elif word is not None and address >> ADDRESS_BITS != Target.MANAGER:
                    self._cost.writes += 1
            answers = yield step
            try:
                step = steps.send(answers)
            except StopIteration:
                return

    def _requests_sent(self) -> int:
        return sum(map(self._model.requests_sent, self._model.managers))


def _writes(writes: Iterable[tuple[int, int, int]]) -> Steps[None]:
    yield Ask(list(writes))
