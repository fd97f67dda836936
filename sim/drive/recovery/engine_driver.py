"""The software of a recovery on a network of engines: groups die or move, and come back."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import replace

from syncfabric.models.errors import PlanError
from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.planes.collective_network import CollectiveNetwork
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.layout.engine import ADDRESS_BITS
from syncfabric.models.layout.node import Target
from syncfabric.models.layout.setup import ManagerWord
from syncfabric.models.networks.spec import EngineSpec
from syncfabric.models.planning.links.set_up import manager_address
from syncfabric.models.planning.plan import BarrierPlan, EngineGroupPlan
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.config_port import ConfigPort
from syncfabric.sim.drive.driver import Arrival
from syncfabric.sim.drive.performing import Cycles, perform
from syncfabric.sim.drive.recovery.engine_world import dead_links, fences, is_hit
from syncfabric.sim.drive.recovery.life import Life
from syncfabric.sim.drive.recovery.notes import Begun, Broken, RecoveryNote, Told
from syncfabric.sim.drive.recovery.story import Cost, Story
from syncfabric.sim.lifecycle import ByChain, lifecycle_of
from syncfabric.sim.lifecycle.effects import Ask, FoundError, Steps

__all__ = ["EngineRecoveryDriver"]


class EngineRecoveryDriver:
    """Sets groups up, lets them synchronize, lets something die or move, and sees to it.

    Groups are set up as the network is built for, by managers or over the config chain. What dies
    may be on the way of managers' packets, so that groups which are hit are killed and set up again
    over the chain; parameters and attributes are those of ``RecoveryDriver``.
    """

    def __init__(
        self, plan: BarrierPlan, after: BarrierPlan, story: Story, model: CollectiveNetwork
    ) -> None:
        network = plan.spec.network
        assert isinstance(network, EngineSpec)
        self.plan, self.after, self.story = plan, after, story
        self._network, self._model = network, model
        self._software = lifecycle_of(model.shape)
        self._chain = ByChain(model.shape)
        self._chain.epochs = self._software.epochs
        self.port = ConfigPort()
        self._rng = random.Random(story.seed)
        self.stimuli: list[Stimulus] = []
        self.faults: list[Fault] = []
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
        self._cost = Cost(-1)
        self._silent: set[int] = set()
        self._seats: dict[tuple[int, int], Life] = {}
        self._arrive: dict[tuple[int, int], int] = {}
        self._last: set[tuple[int, int]] = set()
        self._story = self._run()

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

    def _run(self) -> Cycles[None]:
        try:
            yield from self._tell()
        except (PlanError, FoundError) as error:
            self.refused = str(error)
        self.finished = True

    def _tell(self) -> Cycles[None]:
        story, lives = self.story, self.lives
        for group in self.plan.engine_groups:
            yield from self._perform(self._software.set_up(self._enter(group)))
        yield from self._until(lambda: all(map(self._is_open, lives.values())))
        least = self._now + story.at
        for life in lives.values():
            life.begin(self._now)
        yield from self._until(
            lambda: (
                self._now >= least
                and all(len(life.latency) >= story.episodes for life in lives.values())
            )
        )
        self.event = self._now
        yield from self._recover() if story.dead else self._move()
        self.well = self._now
        marks = {gid: len(life.latency) for gid, life in lives.items()}
        yield from self._until(
            lambda: all(
                len(life.latency) >= marks[gid] + story.episodes for gid, life in lives.items()
            )
        )

    def _enter(self, group: EngineGroupPlan) -> EngineGroupPlan:
        """Begin a group's life, before it is set up."""
        number, network = len(self.history), self._network
        nodes = [network.topology.index(member) for member in group.members]
        rng = random.Random(f"{self.story.seed}/{number}")
        life = Life(group, number, 0, nodes, {}, rng, self.story.jitter)
        life.places = dict(zip(nodes, group.registers, strict=True))
        self.lives[group.id] = life
        self.history.append(life)
        for seat in life.places.items():
            self._seats[seat] = life
            self.notes.append(Begun(self._now, number, *seat))
        return group

    def _is_open(self, life: Life) -> bool:
        """Whether all members may arrive."""
        return all(self._model.ready(*seat) for seat in life.places.items())

    def _recover(self) -> Cycles[None]:
        """Let links and nodes die, and bring the groups back that this hits."""
        dead, found_by = self.story.dead, self.story.patience
        self.faults += [
            Fault(self._now, link, FaultKind.DEAD) for link in dead_links(self._network, dead)
        ]
        self._model.inject(self.faults)
        self._silent = set(dead.nodes)
        hit = [g for g in self.plan.engine_groups if is_hit(self._network, g, dead)]
        lives = [self.lives[group.id] for group in hit]
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
        """Bring members to other nodes: their groups end, and come back one after the other."""
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
        self, gid: int, cost: Cost, set_up: Callable[[EngineGroupPlan], Steps[None]]
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

    def _until(self, holds: Callable[[], bool]) -> Cycles[None]:
        while not holds():
            yield


def _writes(writes: Iterable[tuple[int, int, int]]) -> Steps[None]:
    yield Ask(list(writes))
