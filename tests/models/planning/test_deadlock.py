"""The channel-dependence graph of meshes and irregular networks, and plans that can deadlock."""

import itertools
import random
import re
import time
from collections.abc import Callable
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings

from syncfabric.models.errors import DeadlockError, SpecError
from syncfabric.models.golden.router import Dimension
from syncfabric.models.networks import reader
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.mesh import Mesh, Port
from syncfabric.models.networks.spec import GroupSpec, MeshSpec, NetworkSpec
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.deadlock import Channel
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.updown import updown_tables
from syncfabric.sim.network import Network
from tests.models.planning.irregular import clusters, draw_network, network_of
from tests.models.planning.laws import mesh_path
from tests.models.planning.test_tables import RING, clockwise

STATIC = {name for name in reader.ready_made() if reader.load(name).network.kind == "static"}


@pytest.mark.parametrize("name", sorted(reader.ready_made().keys() - STATIC))
def test_no_ready_made_network_can_deadlock(name: str) -> None:
    deadlock.check(make_plan(reader.load(name)))


def test_a_static_network_has_no_channels_that_wait() -> None:
    """A ring is a cycle of links; what keeps it going are its buffers (test_buffers)."""
    plan = make_plan(reader.load("reflex-2x2"))
    deadlock.check(plan)
    with pytest.raises(SpecError, match=r"^reflex-2x2 is static, and has neither packets nor "):
        deadlock.channel_graph(plan)


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
        deadlock.check(plan, shared=True)
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
        graph = deadlock.channel_graph(plan, shared=shared)
        assert {channel.lane for channel in graph} == {"packets 0"}


def test_a_cycle_is_a_closed_path_of_the_graph() -> None:
    graph = deadlock.channel_graph(routed(5), shared=True)
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
    """By hand: the routes of all between any two nodes, and so those of any plan, to the end.

    A message passes its links in one channel, X-Y or Y-X.
    """
    plan, mesh = routed(4), Mesh(4, 4)
    graph = deadlock.channel_graph(plan)
    for here, there in itertools.permutations(mesh.nodes, 2):
        for turned, lane in ((False, "sync X-Y"), (True, "sync Y-X")):
            path = [Channel(*link, lane) for link in mesh_path(here, there, turned=turned)]
            assert nx.is_path(graph, [*path, Channel(there, Port.LOCAL, lane)])


def test_channels_are_named_for_a_reader() -> None:
    assert str(Channel((1, 2), Port.WEST, "packets 0")) == "packets 0: link west from (1, 2)"
    assert str(Channel((1, 2), Port.LOCAL, "sync X-Y")) == "sync X-Y: taken in at (1, 2)"


ROUND = tuple(map(tuple, clockwise()))


def test_a_ring_in_one_direction_is_refused_with_the_cycle() -> None:
    message = """\
Network cluster can deadlock: 4 channels wait for each other in a cycle:
  packets 0: link from switch 1, port 0
  packets 0: link from switch 2, port 0
  packets 0: link from switch 3, port 0
  packets 0: link from switch 0, port 0
  packets 0: link from switch 1, port 0"""
    with pytest.raises(DeadlockError, match=f"^{re.escape(message)}$"):
        deadlock.check(make_plan(network_of(RING, tables=ROUND)))


@pytest.mark.parametrize("channels", [2, 4])
def test_a_dateline_breaks_the_ring(channels: int) -> None:
    spec = network_of(RING, tables=ROUND, channels=channels, datelines=((2, 0),))
    plan = make_plan(spec)
    deadlock.check(plan)
    edges = set(deadlock.channel_graph(plan).edges)
    first = [
        (0, "0", 1, "0"),
        (1, "0", 2, "1"),
        (2, "1", 3, "1"),
        (3, "0", 0, "0"),
        (3, "1", 0, "1"),
    ]
    expected = {
        (Channel(a, 0, f"packets {v}"), Channel(b, 0, f"packets {w}")) for a, v, b, w in first
    }
    if channels == 4:
        expected |= {
            (
                Channel(a, 0, f"packets {int(v) + 2}"),
                Channel(b, 0, f"packets {int(w) + 2}"),
            )
            for a, v, b, w in first
        }
    assert edges == expected


def test_a_dateline_in_the_other_direction_does_not_help() -> None:
    spec = network_of(RING, tables=ROUND, channels=2, datelines=((2, 1),))
    with pytest.raises(DeadlockError, match="4 channels wait"):
        deadlock.check(make_plan(spec))


def test_more_channels_alone_do_not_help() -> None:
    with pytest.raises(DeadlockError, match="4 channels wait"):
        deadlock.check(make_plan(network_of(RING, tables=ROUND, channels=2)))


def test_switches_without_nodes_send_nothing() -> None:
    """With a node on switch 0 alone no packet holds the link out of switch 3."""
    lonely = Irregular(RING.ports, RING.switches, RING.links, ((0, 2),))
    plan = make_plan(network_of(lonely, tables=ROUND))
    deadlock.check(plan)
    edges = deadlock.channel_graph(plan).edges
    assert sorted((a.place, b.place) for a, b in edges) == [(0, 1), (1, 2)]


def dependencies(topology: Irregular, tables: list[list[int]]) -> set[tuple[Place, Place]]:
    """Follow every packet, link by link."""
    found = set()
    for start in {switch for switch, _ in topology.nodes}:
        for to in range(topology.switches):
            here, last = start, None
            while here != to:
                link = (here, tables[here][to])
                if last:
                    found.add((last, link))
                end = topology.across(*link)
                assert end is not None
                here, last = end[0], link
    return found


@settings(max_examples=40, deadline=None)
@given(clusters(most=12))
def test_the_edges_are_those_of_every_packet(drawn: tuple[Irregular, list[Place]]) -> None:
    topology, _ = drawn
    plan = make_plan(network_of(topology, channels=3))
    graph = deadlock.channel_graph(plan)
    expected = dependencies(topology, updown_tables(topology).tolist())
    for channel in range(3):
        lane = f"packets {channel}"
        edges = {((a.place, a.port), (b.place, b.port)) for a, b in graph.edges if a.lane == lane}
        assert edges == expected
        assert all(a.lane == b.lane for a, b in graph.edges)
    assert len(graph) == 4 * (2 * len(topology.links) + 2 * len(topology.nodes))


def triangle() -> BarrierPlan:
    """Three switches in a triangle, and three groups whose trees have each another middle."""
    links = (((0, 0), (1, 1)), ((1, 0), (2, 1)), ((2, 0), (0, 1)))
    nodes = tuple((switch, port) for switch in range(3) for port in (2, 3, 4))
    topology = Irregular(5, 3, links, nodes)
    groups = []
    for root in range(3):
        groups.append(GroupSpec(id=root, members=tuple((s, 2 + root) for s in range(3))))
    return make_plan(network_of(topology, *groups))


def test_sync_messages_wait_for_nothing_that_they_hold() -> None:
    plan = triangle()
    graph = deadlock.channel_graph(plan)
    assert not any("sync" in (a.lane, b.lane) for a, b in graph.edges)
    deadlock.check(plan)


def test_300_switches_are_checked_in_seconds() -> None:
    topology = draw_network(random.Random(1), 300, 89, 1024)
    group = GroupSpec(id=1, members=topology.nodes)
    plan = make_plan(network_of(topology, group, channels=2))
    begin = time.process_time()
    deadlock.check(plan)
    assert time.process_time() - begin < 5


def on_rings(topology: str, keys: str = "") -> BarrierPlan:
    """A network whose packets go by dimensions."""
    head = f'name = "rings"\n[network]\nkind = "irregular"\ntopology = "{topology}"\n'
    return make_plan(reader.loads(head + keys))


def test_a_ring_without_datelines_is_refused_with_the_cycle() -> None:
    """Up it goes as far as halfway around, and so does each packet behind it.

    In a ring of four only packets from even places go two links, and none waits for the next.
    """
    message = """\
Network rings can deadlock: 6 channels wait for each other in a cycle:
  packets 0: link from switch 1, port 0
  packets 0: link from switch 2, port 0
  packets 0: link from switch 3, port 0
  packets 0: link from switch 4, port 0
  packets 0: link from switch 5, port 0
  packets 0: link from switch 0, port 0
  packets 0: link from switch 1, port 0"""
    for keys in ("channels = 1", "channels = 3", "channels = 2\ndatelines = []"):
        with pytest.raises(DeadlockError, match=f"^{re.escape(message)}$"):
            deadlock.check(on_rings("ring-6", keys))
        deadlock.check(on_rings("ring-4", keys))
    with pytest.raises(DeadlockError, match="packets 0: link from switch 8, port 1"):
        deadlock.check(on_rings("torus-4x8x4", "channels = 4\ndatelines = [[3, 1]]"))


@pytest.mark.parametrize("refuse", [Network.plan, Network.verilog])
def test_plan_and_build_refuse_it(refuse: Callable[[Network], object]) -> None:
    text = 'name = "a"\n[network]\nkind = "irregular"\ntopology = "torus-5x4"\nchannels = 1\n'
    with pytest.raises(DeadlockError, match="5 channels wait for each other in a cycle:"):
        refuse(Network.loads(text))
    Network.loads(text.replace("channels", 'routing = "table"\nchannels')).plan()


@pytest.mark.parametrize("name", ["torus-6x6", "torus-5x5", "torus-4x3x5", "torus-8x8"])
def test_packets_that_keep_the_odd_channel_as_they_turn_could_deadlock(name: str) -> None:
    plan = on_rings(name)
    deadlock.check(plan)
    with pytest.raises(DeadlockError, match=r"packets 1: link from switch"):
        deadlock.check(plan, restart=False)


ADAPTIVE = 'routing = "adaptive"'


@pytest.mark.parametrize("name", ["mesh-4x4", "torus-4x4", "hypercube-16", "ring-6", "torus-5x3x2"])
def test_escape_channels_alone_wait_for_each_other(name: str) -> None:
    """Packets that adapt can always escape: the graph is that of dimension order."""
    plan, ordered = on_rings(name, f"{ADAPTIVE}\nchannels = 4"), on_rings(name)
    deadlock.check(plan)
    graph = deadlock.channel_graph(plan)
    assert {*graph.edges} == {*deadlock.channel_graph(ordered).edges}


@pytest.mark.parametrize("name", ["torus-6x4", "torus-5x5", "ring-6"])
def test_packets_that_go_back_to_adaptive_channels_could_deadlock_on_rings(name: str) -> None:
    """They are past the dateline on adaptive channels, and escape in channel 0 again: indirect."""
    plan = on_rings(name, ADAPTIVE)
    with pytest.raises(DeadlockError, match=r"channels wait .*\n  packets 0: link from switch"):
        deadlock.check(plan, escape="left")


@pytest.mark.parametrize("name", ["mesh-4x4", "hypercube-16", "mesh-3x2x3", "torus-2x2"])
def test_without_rings_they_could_go_back(name: str) -> None:
    plan = on_rings(name, ADAPTIVE)
    deadlock.check(plan, escape="left")
    direct, both = (deadlock.channel_graph(plan, escape=escape) for escape in ("kept", "left"))
    links = {end for edge in both.edges for end in edge}
    assert {edge for edge in direct.edges if {*edge} <= links} <= {*both.edges}


def test_a_path_up_on_adaptive_channels_joins_links_of_two_rows() -> None:
    graph = deadlock.channel_graph(on_rings("mesh-4x4", ADAPTIVE), escape="left")
    assert graph.has_edge(Channel(0, 0, "packets 0"), Channel(4 + 1, 0, "packets 0"))


@pytest.mark.parametrize("name", ["mesh-2x2", "mesh-4x4", "torus-4x4", "hypercube-8"])
def test_adaptive_channels_alone_can_deadlock(name: str) -> None:
    with pytest.raises(DeadlockError, match="4 channels wait for each other in a cycle:"):
        deadlock.check(on_rings(name, ADAPTIVE), escape="none")


@pytest.mark.parametrize("refuse", [Network.plan, Network.verilog])
def test_an_escape_without_datelines_is_refused(refuse: Callable[[Network], object]) -> None:
    head = 'name = "a"\n[network]\nkind = "irregular"\ntopology = "torus-5x4"\n'
    with pytest.raises(DeadlockError, match=r"cycle:\n  packets 0: link from switch 1, port 0\n"):
        refuse(Network.loads(f"{head}{ADAPTIVE}\ndatelines = []"))
    Network.loads(head + ADAPTIVE).plan()


def test_packets_that_wait_for_replies_need_channels_that_they_never_go_over_to() -> None:
    plan = on_rings("ring-5", "channels = 4")
    deadlock.check(plan, replies={0: 2, 1: 2})
    for reply in (0, 1):
        with pytest.raises(DeadlockError, match="channels wait for each other in a cycle"):
            deadlock.check(plan, replies={0: reply, 1: reply})
    deadlock.check(on_rings("mesh-3x3", "channels = 2"), replies={0: 1})


GRIDS = ["torus-4x3", "torus-5x2x4", "ring-6", "ring-7", "mesh-3x2x4", "hypercube-8", "torus-3x3"]


@pytest.mark.parametrize("name", GRIDS)
@pytest.mark.parametrize("plain", [False, True])
def test_the_edges_are_those_of_every_packet_by_dimensions(name: str, plain: bool) -> None:
    """Each is followed by the golden routing, in the channels of the contract (N1.9)."""
    plan = on_rings(name)
    network = plan.spec.message_network
    shape, grid = network.shape, network.shape.router.grid
    assert grid
    routings = [Dimension(grid, grid.place(r), shape.router.ports) for r in range(grid.routers)]
    expected = set()
    for start, to in itertools.permutations(range(grid.routers), 2):
        here, port, odd, held = start, shape.router.links, 0, None
        while here != to:
            routing = routings[here]
            output, _ = routing.route(port, shape.header_of((to, shape.router.links)), plain)
            odd = odd and not routing.turns(port, output)
            odd = int(not plain and (odd or (here, output) in shape.datelines))
            now = (here, output, "set-up" if plain else f"packets {odd}")
            if held:
                expected.add((held, now))
            held = now
            here, port = shape.ends[here, output]
    lanes = {"set-up"} if plain else {"packets 0", "packets 1"}
    edges = {
        tuple((end.place, end.port, end.lane) for end in edge)
        for edge in deadlock.channel_graph(plan).edges
        if edge[1].port != shape.router.links and edge[0].lane in lanes
    }
    assert edges == expected


def test_a_torus_of_a_thousand_routers_is_checked_in_a_second() -> None:
    plan = on_rings("torus-32x32")
    begin = time.process_time()
    deadlock.check(plan)
    assert time.process_time() - begin < 2
