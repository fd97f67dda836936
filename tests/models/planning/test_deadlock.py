"""Channel-dependence graphs: none of ours has a cycle, and known bad networks do."""

import random
import re

import networkx as nx
import pytest

from syncfabric.models.errors import DeadlockError, SpecError
from syncfabric.models.networks import reader
from syncfabric.models.networks.mesh import Mesh, Port, Turn
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.deadlock import Channel
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan, make_plan

STATIC = {name for name in reader.ready_made() if reader.load(name).network.kind == "static"}


@pytest.mark.parametrize("name", sorted(reader.ready_made().keys() - STATIC))
def test_no_ready_made_network_can_deadlock(name: str) -> None:
    deadlock.check(make_plan(reader.load(name)))


def test_a_static_network_has_no_channels_that_wait() -> None:
    """A ring is a cycle of links; what keeps it going are its buffers (test_buffers)."""
    with pytest.raises(SpecError, match=r"^reflex-2x2 is static, and has neither packets nor "):
        deadlock.check(make_plan(reader.load("reflex-2x2")))


def test_one_channel_for_both_classes_is_refused_with_the_cycle() -> None:
    message = """\
Network mesh-2x2 can deadlock: 4 channels wait for each other in a cycle:
  sync: link north from (1, 0)
  sync: link west from (1, 1)
  sync: link south from (0, 1)
  sync: link east from (0, 0)
  sync: link north from (1, 0)"""
    plan = make_plan(reader.load("mesh-2x2"))
    with pytest.raises(DeadlockError, match=f"^{re.escape(message)}$"):
        deadlock.check(plan, shared_sync_channel=True)


def crowd() -> BarrierPlan:
    """Many random groups, whose own messages turn every way."""
    rng, nodes = random.Random(3), Mesh(5, 5).nodes
    groups = tuple(GroupSpec(id=i, members=tuple(rng.sample(nodes, 9))) for i in range(16))
    mesh = MeshSpec(
        kind="mesh",
        width=5,
        height=5,
        barrier_registers=16,
    )
    return make_plan(NetworkSpec(name="crowd", network=mesh, groups=groups))


def test_a_plans_own_messages_close_a_cycle_in_one_channel_but_not_in_two() -> None:
    plan = crowd()
    shared = deadlock.channel_graph(plan, shared_sync_channel=True, any_group=False)
    assert deadlock.find_cycle(shared)
    assert not deadlock.find_cycle(deadlock.channel_graph(plan, any_group=False))
    deadlock.check(plan)


def test_replication_that_waits_in_the_input_buffer_can_deadlock() -> None:
    """What the barrier register is for: without it two trees hold what the other waits for."""
    plan = crowd()
    with pytest.raises(DeadlockError, match=r"^Network crowd can deadlock: \d+ channels wait"):
        deadlock.check(plan, absorbing=False)


def test_a_cycle_is_a_way_round_the_graph() -> None:
    graph = deadlock.channel_graph(crowd(), shared_sync_channel=True)
    cycle = deadlock.find_cycle(graph)
    for here, there in zip(cycle, [*cycle[1:], cycle[0]], strict=True):
        assert graph.has_edge(here, there)
    assert len(set(cycle)) == len(cycle)


def test_a_channel_that_waits_for_itself_is_a_cycle() -> None:
    graph: nx.DiGraph[Channel] = nx.DiGraph()
    channel = Channel((0, 0), Port.EAST, "sync")
    assert deadlock.find_cycle(graph) == []
    graph.add_edge(channel, channel)
    assert deadlock.find_cycle(graph) == [channel]


def test_the_graph_grows_with_the_nodes() -> None:
    edges = {}
    for k in (8, 16, 32):
        graph = deadlock.channel_graph(make_plan(reader.load(f"mesh-{k}x{k}")))
        edges[k] = graph.number_of_edges() / k**2
    assert edges[32] < 1.2 * edges[8]


def test_every_message_of_the_plan_is_in_the_graph() -> None:
    """Walked by hand: each register's REDUCE and DISTRIBUTE, link by link, to where it ends."""
    plan = make_plan(reader.load("fig1"))
    graph = deadlock.channel_graph(plan, any_group=False)
    mesh, group = Mesh(8, 8), plan.groups[0]
    assert isinstance(group, GroupPlan)
    for register in group.registers():
        if register.parent is None:
            continue
        lane = "sync X-Y" if register.turn is Turn.X_FIRST else "sync Y-X"
        way = [
            Channel(*link, lane)
            for link in mesh.path(register.node, register.parent, register.turn)
        ]
        assert nx.is_path(graph, [*way, Channel(register.parent, Port.LOCAL, lane)])


def test_channels_are_named_for_a_reader() -> None:
    assert str(Channel((1, 2), Port.WEST, "packets 0")) == "packets 0: link west from (1, 2)"
    assert str(Channel((1, 2), Port.LOCAL, "sync X-Y")) == "sync X-Y: taken in at (1, 2)"
