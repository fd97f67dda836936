"""A recovery on a static network: routes are loaded anew, and only those that differ change."""

from __future__ import annotations

from collections.abc import Iterable

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
from syncfabric.sim.drive.performing import Cycles
from syncfabric.sim.drive.recovery.life import Life
from syncfabric.sim.drive.recovery.notes import Begun, Broken
from syncfabric.sim.drive.recovery.story import Cost, Story
from syncfabric.sim.drive.recovery.telling import Telling
from syncfabric.sim.drive.recovery.world import groups_hit

__all__ = ["StaticRecoveryDriver"]


class StaticRecoveryDriver(Telling):
    """Does so with routes that are loaded anew.

    All groups that are hit come back together, by one STROBE.

    Parameters
    ----------
    plan, after : BarrierPlan
    story : Story
        See ``Telling``.
    model : StaticModel
    """

    def __init__(
        self, plan: BarrierPlan, after: BarrierPlan, story: Story, model: StaticModel
    ) -> None:
        super().__init__(plan, after, story)
        network = plan.spec.network
        assert isinstance(network, StaticSpec)
        self._network, self._model = network, model
        self._seats: dict[int, Life] = {}
        self._request: ConfigRequest | None = None
        self._waits = False

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
            next(self._story, None)
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

    def _begin(self) -> Cycles[None]:
        groups = self.plan.static_groups
        yield from self._write(static_writes(self._network, groups), Cost(-1))
        for group in groups:
            self._live(group)

    def _recover(self) -> Cycles[None]:
        story = self.story
        self._model.die(self._die())
        hit = groups_hit(self.plan, story.dead)
        lives = [self.lives[gid] for gid in hit]
        if not hit:
            return
        yield from self._until(
            lambda: any(life.complains(self._now, story.patience, self._silent) for life in lives)
        )
        yield from self._load_anew(hit)

    def _move(self) -> Cycles[None]:
        hit = list(dict.fromkeys(move.group for move in self.story.moves))
        lives = [self.lives[gid] for gid in hit]
        for life in lives:
            life.end_soon()
        yield from self._until(lambda: all(life.is_over for life in lives))
        yield from self._load_anew(hit)

    def _load_anew(self, hit: list[int]) -> Cycles[None]:
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
            self._live(group).begin(self._now)
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

    def _write(self, writes: Iterable[StaticWrite], cost: Cost) -> Cycles[None]:
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
