"""A recovery on a static network: routes are loaded anew, and only those that differ change."""

from __future__ import annotations

import random
from collections.abc import Callable, Generator, Iterable

from syncfabric.models.faults.fault import Fault, FaultKind
from syncfabric.models.golden.record import ConfigRequest
from syncfabric.models.golden.static import StaticModel
from syncfabric.models.messages.static import INIT, ROLE_WORD, LoaderWord, Role, StaticWord
from syncfabric.models.networks.mesh import Port
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan, StaticGroupPlan
from syncfabric.models.planning.static_images import (
    SETTLING,
    StaticWrite,
    role_of,
    route_writes,
    static_writes,
)
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.drive.driver import Arrival
from syncfabric.sim.drive.recovery.life import Life
from syncfabric.sim.drive.recovery.notes import Begun, Broken, RecoveryNote
from syncfabric.sim.drive.recovery.story import Cost, Story
from syncfabric.sim.drive.recovery.world import dead_outputs, way_is_hit

__all__ = ["StaticRecoveryDriver"]

Steps = Generator[None, None, None]


class StaticRecoveryDriver:
    """Loads routes, lets groups synchronize, lets something die or move, and loads them anew.

    Parameters and attributes are those of ``RecoveryDriver``. All groups that are hit come back
    together, by one STROBE.
    """

    def __init__(
        self, plan: BarrierPlan, after: BarrierPlan, story: Story, model: StaticModel
    ) -> None:
        self.plan, self.after, self.story, self._model = plan, after, story, model
        network = plan.spec.network
        assert isinstance(network, StaticSpec)
        self._network = network
        self._links = dead_outputs(story.dead)
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
        self._seats: dict[int, Life] = {}
        self._request: ConfigRequest | None = None
        self._waits = False
        self._steps = self._run()

    def unfinished(self) -> list[int]:
        """Return the groups that are not done."""
        return list(self.lives)

    def inputs(self, now: int) -> tuple[dict[tuple[int, int], int], set[tuple[int, int]]]:
        """Act in a cycle; return who arrives."""
        self._now, self._request = now, None
        if self._model.config_answer[0] and self._waits:
            self._waits = False
            if self._model.config_answer[1] and self.refused is None:
                self.refused = "a write of the set-up was refused"
        for node, _, _ in self._model.release:
            life = self._seats.get(node)
            if life is not None and node in life.inside:
                life.release(now, node)
        arrive: dict[tuple[int, int], int] = {}
        if now:
            next(self._steps, None)
            for life in self.lives.values():
                self._let_arrive(life, arrive)
        return arrive, set()

    def request(self) -> ConfigRequest | None:
        """Return the request of this cycle."""
        return self._request

    def _let_arrive(self, life: Life, arrive: dict[tuple[int, int], int]) -> None:
        for node, due in list(life.due.items()):
            if due > self._now or node in self._silent or not self._model.ready(node):
                continue
            life.takes(self._now, node)
            self._seats[node] = life
            arrive[node, 0] = 0
            self.stimuli.append(Stimulus(self._now, StimulusKind.ARRIVE, node))
            self.arrivals.append(Arrival(self._now, life.number, life.nodes.index(node), 0))
            self.notes.append(Begun(self._now, life.number, node, 0))

    def _run(self) -> Steps:
        yield from self._tell()
        self.finished = True

    def _tell(self) -> Steps:
        story, groups = self.story, self.plan.static_groups
        yield from self._write(static_writes(self._network, groups), Cost(-1))
        for group in groups:
            self._enter(group).begin(self._now)
        least = self._now + story.at
        yield from self._until(
            lambda: (
                self._now >= least
                and all(len(life.latency) >= story.episodes for life in self.lives.values())
            )
        )
        self.event = self._now
        hit = yield from self._break() if story.dead else self._rest()
        if hit:
            yield from self._load_anew(hit)
        self.well = self._now
        marks = {gid: len(life.latency) for gid, life in self.lives.items()}
        yield from self._until(
            lambda: all(
                len(life.latency) >= marks[gid] + story.episodes for gid, life in self.lives.items()
            )
        )

    def _enter(self, group: StaticGroupPlan) -> Life:
        """Begin a group's life, before anybody arrives."""
        number = len(self.history)
        nodes = [self._network.topology.index(member) for member in group.members]
        rng = random.Random(f"{self.story.seed}/{number}")
        life = Life(group, number, 0, nodes, {}, rng, self.story.jitter)
        self.lives[group.id] = life
        self.history.append(life)
        return life

    def _break(self) -> Generator[None, None, list[int]]:
        """Let links and nodes die; return the groups that this hits, when one has waited long."""
        story = self.story
        self.faults += [Fault(self._now, link, FaultKind.DEAD) for link in self._links]
        self._model.die(self._links)
        self._silent = set(story.dead.nodes)
        groups = self.plan.static_groups
        hit = [group.id for group in groups if way_is_hit(self._network, group, story.dead)]
        lives = [self.lives[gid] for gid in hit]
        yield from self._until(
            lambda: (
                not lives
                or any(life.complains(self._now, story.patience, self._silent) for life in lives)
            )
        )
        return hit

    def _rest(self) -> Generator[None, None, list[int]]:
        """Let groups that change end their barriers; return them."""
        hit = list(dict.fromkeys(move.group for move in self.story.moves))
        lives = [self.lives[gid] for gid in hit]
        for life in lives:
            life.end_soon()
        yield from self._until(lambda: all(life.is_over for life in lives))
        return hit

    def _load_anew(self, hit: list[int]) -> Steps:
        """Load the routes of all groups, and set those up that are hit."""
        assert self.event is not None
        network, found = self._network, self._now
        old = {group.id: group for group in self.plan.static_groups}
        for gid in hit:
            self.lives[gid].stop()
            self.notes.append(Broken(found, self.lives.pop(gid).number))
        anew = [group for group in self.after.static_groups if group.id in hit]
        stay = [group for gid, group in old.items() if gid not in hit]
        routes = {out: port for group in (*stay, *anew) for out, port in group.routes().items()}
        changed = [*(old[gid] for gid in hit), *anew]
        flush = {
            *(output for group in changed for output in group.routes()),
            *((*node, Port.LOCAL) for group in changed for node in group.members),
        }
        cost = Cost(-1)
        yield from self._write(route_writes(network, routes, flush), cost)
        end = self._now - found
        start = self._now
        yield from self._write(self._roles(old, anew, hit), cost)
        set_up = self._now - start
        for group in anew:
            life = self._enter(group)
            life.begin(self._now)
        start = self._now
        for group in anew:
            life = self.lives[group.id]
            yield from self._until(lambda life=life: bool(life.latency))  # type: ignore[misc]
            first = life.latency[0][0] - start
            detect = found - self.event
            self.costs.append(Cost(group.id, detect, 0, end, set_up, 0, first, writes=cost.writes))

    def _roles(
        self, old: dict[int, StaticGroupPlan], anew: list[StaticGroupPlan], hit: list[int]
    ) -> Iterable[StaticWrite]:
        """Yield what members' agents are told: those that are none any more, the others, INIT."""
        index = self._network.topology.index
        now = {node for group in anew for node in group.members}
        for gid in hit:
            for node in old[gid].members:
                if node not in now and index(node) not in self._silent:
                    none = ROLE_WORD.pack({"role": Role.NONE})
                    yield StaticWrite(index(node), StaticWord.ROLE, none)
        for group in anew:
            for node in group.members:
                word = ROLE_WORD.pack({"role": role_of(group, node), "flits": group.flits or 0})
                yield StaticWrite(index(node), StaticWord.ROLE, word)
        for group in anew:
            if len(group.members) > 1:
                yield StaticWrite(index(group.root), StaticWord.COMMAND, INIT)

    def _write(self, writes: Iterable[StaticWrite], cost: Cost) -> Steps:
        """Write words, each after the answer to the one before."""
        for target, address, data in writes:
            self._request = ConfigRequest(target, address, True, data)
            index = target << 12 | address
            self.stimuli.append(Stimulus(self._now, StimulusKind.CONFIG, index, data, 1))
            self._waits = True
            cost.writes += 1
            yield
            yield from self._until(lambda: not self._waits)
            if target == self._network.layout.loader and address == LoaderWord.STROBE:
                end = self._now + SETTLING
                yield from self._until(lambda end=end: self._now >= end)  # type: ignore[misc]

    def _until(self, holds: Callable[[], bool]) -> Steps:
        while not holds():
            yield
