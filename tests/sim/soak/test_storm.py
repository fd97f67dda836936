"""All groups of a network killed at once, during their barriers and beside packets."""

import pytest

from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan, make_plan
from syncfabric.sim.assemble.player import Stimulus, StimulusKind
from syncfabric.sim.campaign.bench import Bench
from syncfabric.sim.fabric import Fabric
from syncfabric.sim.lifecycle import ByChain, lifecycle_of
from syncfabric.sim.lifecycle.effects import HANG
from syncfabric.sim.soak.software import OnEngines
from tests.sim.soak.networks import BUILD, ENGINES

RATE, AT, AFTERWARDS = 1.0, 1_000, 5


class Storm(Bench):
    """A network whose groups are killed together, by managers or the host; with an escape after."""

    def __init__(self, fabric: Fabric, plan: BarrierPlan, by: str) -> None:
        super().__init__(fabric, plan)
        network = plan.spec.network
        assert isinstance(network, MessageSpec)
        self._way = OnEngines(fabric, network)
        self._software = lifecycle_of(network.shape)
        self._host, self._by = ByChain(network.shape), by
        self._host.epochs = self._software.epochs
        fabric.seed(seed=1, jitter=7, hang=HANG)
        self._wait(2)
        self._script(Stimulus(self._cycle, StimulusKind.LOAD, data=1))
        self._wait(2)
        self._rate(RATE)

    def open(self, episodes: int) -> None:
        """Set all groups up, and let their members begin."""
        for group in self._plan.engine_groups:
            self._perform(self._software.set_up(group))
            self._perform(self._software.await_ready(group))
            self._fabric.group(group.id, self.seats(group), op=group.op)
            self._fabric.open(group.id, episodes)

    def seats(self, group: GroupPlan) -> list[tuple[int, int]]:
        return [(group.graph.node(member), r) for member, r in group.places.items()]

    def strike(self) -> None:
        """Kill all groups; see that every member is released broken."""
        for group in self._plan.groups:
            self._fabric.close(group.id)
        killer = self._software if self._by == "managers" else self._host
        self._perform(killer.kill(*self._plan.engine_groups))
        for group in self._plan.groups:
            assert self._fabric.inside(group.id) == 0
            self._fabric.dismiss(group.id)
        for group in self._plan.engine_groups if self._by == "escape" else ():
            for place in group.placement.items():
                self._perform(self._host.free(*place))

    def await_ends(self) -> None:
        """Let all groups have their last barrier."""
        end = self._cycle + HANG
        while len(self._over) < len(self._plan.groups) and self._cycle < end:
            self._play(100)
        for group in self._plan.engine_groups:
            self._perform(self._software.tear_down(group))

    def see(self) -> None:
        """See that nothing was wrong, and nothing is left."""
        self._rate(0.0)
        end = self._cycle + 100 * HANG
        while self._under_way() and self._cycle < end:
            self._wait(HANG)
        told = [wrong for wrong in self._wrong if "released, and sits in no group" in wrong.text]
        assert bool(told) is (self._by == "escape")  # BROKEN, of registers that are in no group
        assert len(told) == len(self._wrong)
        assert self._packets_wrong() == ""
        self._perform(self._way.see_the_end(killed=True))


NETWORKS = {
    **ENGINES,
    "sixteen groups": load("soak-4x4"),
}


LONG = [
    pytest.param(name, by, marks=pytest.mark.long)
    for name in NETWORKS
    for by in ("managers", "host", "escape")
    if name != "engines"
]


@pytest.mark.parametrize(
    ("name", "by"), [("engines", "managers"), ("engines", "host"), ("engines", "escape"), *LONG]
)
def test_nothing_is_lost_when_all_groups_are_killed_at_once(name: str, by: str) -> None:
    plan = make_plan(NETWORKS[name])
    with Fabric(BUILD(plan.spec.network)) as fabric:
        storm = Storm(fabric, plan, by)
        for _ in range(3):
            storm.open(10**6)
            storm._wait(AT)
            storm.strike()
        storm.open(AFTERWARDS)
        storm.await_ends()
        storm.see()
