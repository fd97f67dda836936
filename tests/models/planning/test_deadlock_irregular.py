"""Channel-dependence graphs of irregular networks: rings, datelines, and the sync plane."""

import random
import re
import time

import pytest
from hypothesis import given, settings

from syncfabric.models.errors import DeadlockError
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.spec import GroupSpec
from syncfabric.models.planning import deadlock
from syncfabric.models.planning.deadlock import SwitchChannel
from syncfabric.models.planning.plan import BarrierPlan, make_plan
from syncfabric.models.planning.updown import updown_tables
from tests.models.planning.irregular import clusters, draw_network, network_of
from tests.models.planning.test_tables import RING, one_way

ROUND = tuple(map(tuple, one_way()))


def test_a_ring_that_goes_one_way_is_refused_with_the_cycle() -> None:
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
        (SwitchChannel(a, 0, f"packets {v}"), SwitchChannel(b, 0, f"packets {w}"))
        for a, v, b, w in first
    }
    if channels == 4:
        expected |= {
            (
                SwitchChannel(a, 0, f"packets {int(v) + 2}"),
                SwitchChannel(b, 0, f"packets {int(w) + 2}"),
            )
            for a, v, b, w in first
        }
    assert edges == expected


def test_a_dateline_the_other_way_does_not_help() -> None:
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
    assert sorted((a.switch, b.switch) for a, b in edges) == [(0, 1), (1, 2)]


def walked(topology: Irregular, tables: list[list[int]]) -> set[tuple[Place, Place]]:
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
    expected = walked(topology, updown_tables(topology).tolist())
    for channel in range(3):
        lane = f"packets {channel}"
        edges = {((a.switch, a.port), (b.switch, b.port)) for a, b in graph.edges if a.lane == lane}
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
