"""The software of a recovery: what dies or moves, and how its groups come back."""

from __future__ import annotations

import random

from syncfabric.models.errors import PlanError
from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.model import GoldenModel
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.messages import FENCE
from syncfabric.models.planning.plan import BarrierPlan, MessageGroupPlan
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.driver import Arrival
from syncfabric.sim.drive.recovery.life import Life
from syncfabric.sim.drive.recovery.notes import Begun, Broken
from syncfabric.sim.drive.recovery.registrar import Registrar, Steps
from syncfabric.sim.drive.recovery.story import Cost, Story
from syncfabric.sim.drive.recovery.world import dead_links, fence_words, is_hit

__all__ = ["RecoveryDriver"]

EPOCHS = 4


class RecoveryDriver(Registrar):
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
    event, well : int or None
        Cycle in which it happens, and in which all groups have come back.
    refused : str or None
        What could not be done.
    """

    def __init__(
        self, plan: BarrierPlan, after: BarrierPlan, story: Story, model: GoldenModel
    ) -> None:
        super().__init__(plan, story, model)
        self.after = after
        self._rng = random.Random(story.seed)
        self.stimuli: list[Stimulus] = []
        self.faults: list[Fault] = []
        self.arrivals: list[Arrival] = []
        self.costs: list[Cost] = []
        self.event: int | None = None
        self.well: int | None = None
        self.refused: str | None = None
        self.finished = False
        self._steps = self._run()
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
            yield from self._set_up(self.plan, group, 0, Cost(group.id))
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
        links = dead_links(self._network, dead)
        self.faults += [Fault(self._now, link, FaultKind.DEAD) for link in links]
        self._model.inject(self.faults)
        self._silent = set(dead.nodes)
        hit = [g for g in self.plan.message_groups if is_hit(self._network, g, dead)]
        if not hit:
            return
        patience = self.story.patience
        lives = [self.lives[group.id] for group in hit]
        if self._network.watchdog:
            self.notes += [Broken(self._now, life.number) for life in lives]
        yield from self._until(
            lambda: any(life.complains(self._now, patience, self._silent) for life in lives)
        )
        found = self._now
        assert self.event is not None
        # From here on software knows what is dead. It lets nobody in, and nothing wait for it.
        for group in hit:
            self.lives[group.id].stop()
        yield from self._fence()
        for group in hit:
            cost = Cost(group.id, detect=found - self.event, wait=self._now - found)
            yield from self._kill(self.lives[group.id], cost)
            anew = next((g for g in self.after.message_groups if g.id == group.id), None)
            if anew is None:
                del self.lives[group.id]
            else:
                yield from self._come_back(anew, cost)

    def _fence(self) -> Steps:
        """Close what is dead at the ends that live."""
        words = fence_words(self._network, self.story.dead)
        yield from self._write(
            ConfigRequest(target, FENCE, True, word) for target, word in words.items()
        )

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
        yield from self._set_up(self.after, group, epoch, cost)
        life = self.lives[group.id]
        start = self._now
        life.begin(start)
        yield from self._until(lambda: bool(life.latency))
        cost.first = self._now - start
        self.costs.append(cost)
