"""What software does in every recovery: groups begin, something happens, and they go on."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable

from syncfabric.models.errors import PlanError
from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.planes.collective_network import CollectiveNetwork
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.layout.setup import Operation
from syncfabric.models.planning.plan import AnyGroupPlan, BarrierPlan
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.churn.notes import Born, Came, Note, Ordered, Told
from syncfabric.sim.drive.config_port import ConfigPort, Cycles, perform
from syncfabric.sim.drive.driving import Arrival
from syncfabric.sim.drive.recovery.life import Life
from syncfabric.sim.drive.recovery.plans import dead_links, groups_hit
from syncfabric.sim.drive.recovery.story import Cost, Story
from syncfabric.sim.lifecycle.effects import Ask, FoundError, Steps

__all__ = ["Telling"]

HOST = -1
"""In place of a manager's node."""


class Telling(ABC):
    """Sets groups up, lets them synchronize, lets something die or move, and sees to it.

    Parameters
    ----------
    plan, after : BarrierPlan
        The plan that all begin with, and that of those that are hit afterwards.
    story : Story
    model : CollectiveNetwork or StaticModel
        Is looked at for releases and answers; stepping it is the caller's.

    Attributes
    ----------
    lives : dict of int to Life
        Of groups that are set up, by GID.
    history : list of Life
        All lives so far.
    costs : list of Cost
        Of the groups that came back.
    event, well : int or None
        Cycle in which it happens, and in which all groups have come back.
    refused : str or None
        What could not be done.
    """

    def __init__(
        self,
        plan: BarrierPlan,
        after: BarrierPlan,
        story: Story,
        model: CollectiveNetwork | StaticModel,
    ) -> None:
        self.plan, self.after, self.story = plan, after, story
        self._places = model
        self._bits = plan.spec.network.data_bits
        self._registers = plan.spec.network.port_registers
        self._rng = random.Random(story.seed)
        self.port = ConfigPort()
        self.stimuli: list[Stimulus] = []
        self.faults: list[Fault] = []
        self.arrivals: list[Arrival] = []
        self.notes: list[Note] = []
        self.lives: dict[int, Life] = {}
        self.history: list[Life] = []
        self.costs: list[Cost] = []
        self.event: int | None = None
        self.well: int | None = None
        self.refused: str | None = None
        self.finished = False
        self._now = 0
        self._silent: set[int] = set()
        self._seats: dict[tuple[int, int], Life] = {}
        self._arrive: dict[tuple[int, int], int] = {}
        self._last: set[tuple[int, int]] = set()
        self._cost = Cost(-1)
        self._breaks = False  # watchdogs release members of a group of which something is dead
        self._story = self._run()

    def unfinished(self) -> list[int]:
        """Return the groups that are not done."""
        return list(self.lives)

    # A cycle.

    def next_cycle(self, now: int) -> int | None:
        """Return the next cycle in which it acts: something may happen in any."""
        return now

    def inputs(self, now: int) -> tuple[dict[tuple[int, int], int], set[tuple[int, int]]]:
        """Act in a cycle; return who arrives, and who for the last time."""
        self._now, self._arrive, self._last = now, {}, set()
        self.port.hear(now, self._places.config_answer)
        for node, register, _ in self._places.release:
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
        if self._places.broken(node, register):
            self.notes.append(Told(self._now, node, register))
            if life is not None:
                life.break_off(node)
        elif life is not None and node in life.inside:
            life.release(self._now, node)

    def _let_arrive(self, life: Life) -> None:
        for node, due in list(life.due.items()):
            seat = node, life.places[node]
            if due > self._now or node in self._silent or not self._places.ready(*seat):
                continue
            data = self._rng.getrandbits(self._bits) if self._bits else 0
            last = life.takes(self._now, node)
            self._arrive[seat] = data
            if last:
                self._last.add(seat)
            index = node * self._registers + seat[1]
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
        yield from self._begin()
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

    @abstractmethod
    def _begin(self) -> Cycles[None]:
        """Set all groups up."""

    def _recover(self) -> Cycles[None]:
        """Let links and nodes die, and bring the groups back that this hits."""
        dead = self.story.dead
        self._silent = set(dead.nodes)
        links = dead_links(self.plan.spec.network, dead)
        self.faults += [Fault(self._now, link, FaultKind.DEAD) for link in links]
        self._places.inject(self.faults)
        hit = groups_hit(self.plan, dead)
        if not hit:
            return
        lives = [self.lives[gid] for gid in hit]
        if self._breaks:
            self._note_kill(*lives)
        patience = self.story.patience
        yield from self._until(
            lambda: any(life.complains(self._now, patience, self._silent) for life in lives)
        )
        # From here on software knows what is dead. It lets nobody in, and nothing wait for it.
        for life in lives:
            life.stop()
        yield from self._bring_back(hit)

    @abstractmethod
    def _bring_back(self, hit: list[int]) -> Cycles[None]:
        """End groups of which something has died, and set them up around it."""

    @abstractmethod
    def _move(self) -> Cycles[None]:
        """Bring members to other nodes: their groups end, and come back."""

    def _enter(self, group: AnyGroupPlan) -> Life:
        """Begin a group's life, before anybody arrives."""
        number = len(self.history)
        nodes = [self.plan.spec.network.topology.index(member) for member in group.members]
        rng = random.Random(f"{self.story.seed}/{number}")
        life = Life(group, number, nodes, rng, self.story.jitter)
        life.places = dict(zip(nodes, group.places.values(), strict=True))
        self.lives[group.id] = life
        self.history.append(life)
        self.notes.append(Born(self._now, number, group.id, group.op, tuple(nodes)))
        for member, seat in enumerate(life.places.items()):
            self._seats[seat] = life
            self.notes.append(Came(self._now, number, member, *seat))
        return life

    def _note_kill(self, *lives: Life) -> None:
        """Note that lives are killed: members may be released broken from now on."""
        self.notes += [Ordered(self._now, life.number, HOST, Operation.KILL) for life in lives]

    def _until(self, holds: Callable[[], bool]) -> Cycles[None]:
        while not holds():
            yield

    def _perform(self, steps: Steps[None]) -> Cycles[None]:
        """Perform a program, and count what it does."""
        yield from perform(self._counted(steps), self.port, lambda: self._now)

    def _counted(self, steps: Steps[None]) -> Steps[None]:
        step = next(steps, None)
        while step is not None:
            for _, address, word in step.requests if isinstance(step, Ask) else ():
                if word is not None:
                    self._count(address)
            answers = yield step
            try:
                step = steps.send(answers)
            except StopIteration:
                return

    def _count(self, address: int) -> None:
        """Count a write."""
        self._cost.writes += 1
