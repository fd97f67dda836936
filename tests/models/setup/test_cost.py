"""How many packets a group costs."""

import random
from collections.abc import Callable

import pytest

from syncfabric.models.setup.explore import run
from syncfabric.models.setup.life import Stage, life_of
from syncfabric.models.setup.managed import ManagedNetwork
from tests.models.planning.irregular import draw_network
from tests.models.setup.instances import plan


@pytest.mark.parametrize(("switches", "members"), [(8, 4), (24, 8), (75, 16), (75, 64)])
def test_packets(
    switches: int, members: int, record_property: Callable[[str, object], None]
) -> None:
    """Two a switch to set up; two to clear, and one that tells that the group is through."""
    rng = random.Random(1)
    topology = draw_network(rng, switches, switches // 2, 3 * switches, 8)
    group = plan(topology, 1, rng.sample(topology.nodes, members))
    network = ManagedNetwork(topology, [life_of(group, 0)])
    tree = len(group.tree)
    while network.progress[0].stage is not Stage.ALIVE:
        network.apply(rng.choice(network.events()))
    told = network.packets
    assert 2 * tree <= told <= 2 * tree + 1, "FREED may have overtaken the root's OK"
    run(network, rng)
    busy = sum(times for code, times in network.answers.items() if code.name == "BUSY")
    assert network.packets == 4 * tree + 1 + 2 * busy
    record_property(
        "coverage",
        f"set-up, {members} members over {tree} of {switches} switches: {2 * tree} packets to "
        f"set up, {2 * tree + 1} to clear and 2 for each BUSY ({busy} here)",
    )
