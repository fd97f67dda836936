"""KILL at any moment: all members get loose, and the GID can be used again."""

import random

import pytest

from syncfabric.models.messages import Request
from syncfabric.models.setup.explore import run
from syncfabric.models.setup.life import Stage, life_of
from syncfabric.models.setup.managed import ManagedNetwork
from tests.models.planning.irregular import draw_network
from tests.models.setup.instances import plan


def killed_after(seed: int, moment: int, turnaround: str) -> ManagedNetwork:
    """Kill a group ``moment`` events after its set-up; then it lives once more."""
    rng = random.Random(seed)
    topology = draw_network(rng, 5, 2, 8, 6)
    members = rng.sample(topology.nodes, 5)
    group = plan(topology, 9, members, turnaround)
    lives = [
        life_of(group, 0, barriers=50, kill=True),
        life_of(group, 1, epoch=1, barriers=2, after=0, patience=1000),
    ]
    network = ManagedNetwork(topology, lives)
    kill = ("command", 0, Request.KILL)
    while network.progress[0].stage is not Stage.ALIVE or moment:
        moment -= network.progress[0].stage is Stage.ALIVE
        network.apply(rng.choice([event for event in network.events() if event != kill]))
    network.apply(kill)
    return run(network, rng)


@pytest.mark.parametrize("turnaround", ["switch", "node"])
@pytest.mark.parametrize("seed", range(4))
def test_at_any_moment(seed: int, turnaround: str) -> None:
    strays = 0
    for moment in range(40):
        network = killed_after(seed, moment, turnaround)
        assert network.killed == {0}
        strays += network.strays
    assert strays > 40, "old messages are counted"
