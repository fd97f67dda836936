"""Channel-dependence graphs: none of ours has a cycle, and known bad networks do."""

import itertools
import re
from typing import Any

import networkx as nx
import pytest

from syncfabric.models.errors import DeadlockError, SpecError
from syncfabric.models.networks import reader
from syncfabric.models.networks.mesh import Mesh, Port, Turn
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.deadlock import Channel
from syncfabric.models.planning.plan import BarrierPlan, make_plan

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
Network routed can deadlock: 4 channels wait for each other in a cycle:
  sync: link north from (1, 0)
  sync: link west from (1, 1)
  sync: link south from (0, 1)
  sync: link east from (0, 0)
  sync: link north from (1, 0)"""
    plan = routed(2)
    with pytest.raises(DeadlockError, match=f"^{re.escape(message)}$"):
        deadlock.check(plan, shared_sync_channel=True)
    deadlock.check(plan)


def routed(side: int, **keys: Any) -> BarrierPlan:
    """A mesh with one group of everybody, whose messages are routed."""
    given = {"kind": "mesh", "width": side, "height": side, "transport": "routed", **keys}
    network = MeshSpec.model_validate(given)
    group = GroupSpec(id=1, members=tuple(network.topology.nodes), planner="cs")
    return make_plan(NetworkSpec(name="routed", network=network, groups=(group,)))


def test_messages_from_neighbour_to_neighbour_wait_for_nothing() -> None:
    """Each ends at the next engine: one channel or two, only packets wait."""
    plan = make_plan(reader.load("mesh-4x4"))
    for shared in (False, True):
        graph = deadlock.channel_graph(plan, shared_sync_channel=shared)
        assert {channel.lane for channel in graph} == {"packets 0"}


def test_a_cycle_is_a_way_round_the_graph() -> None:
    graph = deadlock.channel_graph(routed(5), shared_sync_channel=True)
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
        graph = deadlock.channel_graph(routed(k))
        edges[k] = graph.number_of_edges() / k**2
    assert edges[32] < 1.2 * edges[8]


def test_every_message_of_a_plan_is_in_the_graph() -> None:
    """Walked by hand: the ways of all between any two nodes, and so those of any plan, to the end.

    A message passes its links in one channel, X-Y or Y-X.
    """
    plan, mesh = routed(4), Mesh(4, 4)
    graph = deadlock.channel_graph(plan)
    for here, there in itertools.permutations(mesh.nodes, 2):
        for turn, lane in ((Turn.X_FIRST, "sync X-Y"), (Turn.Y_FIRST, "sync Y-X")):
            way = [Channel(*link, lane) for link in mesh.path(here, there, turn)]
            assert nx.is_path(graph, [*way, Channel(there, Port.LOCAL, lane)])


def test_channels_are_named_for_a_reader() -> None:
    assert str(Channel((1, 2), Port.WEST, "packets 0")) == "packets 0: link west from (1, 2)"
    assert str(Channel((1, 2), Port.LOCAL, "sync X-Y")) == "sync X-Y: taken in at (1, 2)"
