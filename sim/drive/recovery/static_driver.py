"""A recovery on a static network: routes are loaded anew, and only those that differ change."""

from __future__ import annotations

from syncfabric.models.golden.static import StaticModel
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.models.planning.plan import BarrierPlan
from syncfabric.sim.drive.churn.notes import Gone
from syncfabric.sim.drive.config_port import Cycles
from syncfabric.sim.drive.recovery.story import Cost, Story
from syncfabric.sim.drive.recovery.telling import Telling
from syncfabric.sim.lifecycle.routes import ByRoutes

__all__ = ["StaticRecoveryDriver"]


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
