"""What software does in every recovery: groups begin, something happens, and they go on."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable

from syncfabric.models.errors import PlanError
from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan, StaticGroupPlan
from syncfabric.sim.assemble.player import Stimulus
from syncfabric.sim.drive.driver import Arrival
from syncfabric.sim.drive.performing import Cycles
from syncfabric.sim.drive.recovery.life import Life
from syncfabric.sim.drive.recovery.notes import RecoveryNote
from syncfabric.sim.drive.recovery.story import Cost, Story
from syncfabric.sim.drive.recovery.world import dead_links
from syncfabric.sim.lifecycle.effects import FoundError

__all__ = ["Telling"]


class Telling(ABC):
    """Sets groups up, lets them synchronize, lets something die or move, and sees to it.

    Parameters
    ----------
    plan, after : BarrierPlan
        The plan that all begin with, and that of those that are hit afterwards.
    story : Story

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

    def __init__(self, plan: BarrierPlan, after: BarrierPlan, story: Story) -> None:
        self.plan, self.after, self.story = plan, after, story
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
        self._silent: set[int] = set()
        self._story = self._run()

    def unfinished(self) -> list[int]:
        """Return the groups that are not done."""
        return list(self.lives)

    @abstractmethod
    def inputs(self, now: int) -> tuple[dict[tuple[int, int], int], set[tuple[int, int]]]:
        """Act in a cycle; return who arrives, and who for the last time."""

    @abstractmethod
    def request(self) -> ConfigRequest | None:
        """Return the request of this cycle."""

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

    @abstractmethod
    def _recover(self) -> Cycles[None]:
        """Let links and nodes die, and bring the groups back that this hits."""

    @abstractmethod
    def _move(self) -> Cycles[None]:
        """Bring members to other nodes: their groups end, and come back."""

    def _die(self) -> list[int]:
        """Note that links and nodes die; return the links."""
        dead = self.story.dead
        links = dead_links(self.plan.spec.network, dead)
        self.faults += [Fault(self._now, link, FaultKind.DEAD) for link in links]
        self._silent = set(dead.nodes)
        return links

    def _live(self, group: GroupPlan | StaticGroupPlan) -> Life:
        """Begin a group's life, before anybody arrives."""
        number = len(self.history)
        nodes = [self.plan.spec.network.topology.index(member) for member in group.members]
        rng = random.Random(f"{self.story.seed}/{number}")
        life = Life(group, number, nodes, rng, self.story.jitter)
        self.lives[group.id] = life
        self.history.append(life)
        return life

    def _until(self, holds: Callable[[], bool]) -> Cycles[None]:
        while not holds():
            yield
