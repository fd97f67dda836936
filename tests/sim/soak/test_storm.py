"""All groups of a network killed at once, during their barriers and beside packets."""

import pytest

from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import MessageSpec
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.sim.fabric import Fabric
from syncfabric.sim.lifecycle import TRIES
from syncfabric.sim.lifecycle.effects import HANG
from syncfabric.sim.soak.bench import Bench
from syncfabric.sim.soak.groups import EngineGroups
from tests.sim.soak.networks import BUILD, ENGINES

RATE, AT, AFTERWARDS = 1.0, 1_000, 5


class Storm(Bench):
    """A network whose groups are killed together, by managers or the host; with an escape after."""

    def __init__(self, fabric: Fabric, plan: BarrierPlan, by: str) -> None:
        super().__init__(fabric, plan)
        network = plan.spec.network
        assert isinstance(network, MessageSpec)
        self.groups, self.by = EngineGroups(fabric, plan, timeout=HANG, tries=TRIES), by
        fabric.seed(seed=1, jitter=7, hang=HANG)
        self.wait(2)
        self.seed_packets(1)
        self.wait(2)
        self.set_rate(RATE)

    def open(self, episodes: int) -> None:
        """Set all groups up, and let their members begin."""
        for group in self.plan.engine_groups:
            self.perform(self.groups.set_up(group))
            self.watch(group)
            self.fabric.open(group.id, episodes)

    def strike(self) -> None:
        """Kill all groups: every member is released broken."""
        groups = self.plan.engine_groups
        for group in groups:
            self.fabric.close(group.id)
        killer = self.groups._software if self.by == "managers" else self.groups._host
        self.perform(killer.kill(*groups))
        for group in groups:
            assert self.fabric.inside(group.id) == 0
            self.fabric.dismiss(group.id)
        for group in groups if self.by == "escape" else ():
            for place in group.placement.items():
                self.perform(self.groups._host.free(*place))

    def await_ends(self) -> None:
        """Let all groups have their last barrier."""
        end = self.cycle + HANG
        while len(self.over) < len(self.plan.groups) and self.cycle < end:
            self.play(100)
        for group in self.plan.engine_groups:
            self.perform(self.groups.tear_down(group))

    def check(self) -> None:
        """Nothing was wrong, and nothing is left."""
        self.set_rate(0.0)
        self.drain(100 * HANG)
        told = [wrong for wrong in self.wrong if "released, and sits in no group" in wrong.text]
        assert bool(told) is (self.by == "escape")  # BROKEN, of registers that are in no group
        assert len(told) == len(self.wrong)
        assert self.wrong_packets() == ""
        self.perform(self.groups.check_end(killed=True))


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
            storm.wait(AT)
            storm.strike()
        storm.open(AFTERWARDS)
        storm.await_ends()
        storm.check()
