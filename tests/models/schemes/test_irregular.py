"""Schemes of irregular networks: counted by hand on Fig. 1, and by brute force on random ones."""

import random

import networkx as nx
import pytest

from syncfabric.models.errors import PlanError
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.networks.reader import load
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.models.planning import updown
from syncfabric.models.planning.updown import updown_tables
from syncfabric.models.schemes.irregular import IRREGULAR, Group, Routes, along, by_packets
from syncfabric.models.schemes.scheme import Cost
from syncfabric.models.timing.btin import PacketTiming, Timing
from tests.models.planning.irregular import draw_network

SCHEMES = {scheme.name: scheme for scheme in IRREGULAR}
FIG1 = load("cluster-fig1")

# Around switch 3 BTIN has 0, 1, 6, 7, and 4 and 5 below 1, which has no member. Up/down routes come
# from a tree around switch 0; to switch 3 the members' paths are of 0: 1, 4 and 5: 2, 6 and 7: 1,
# and with 2, 3, 2, 3, 2 members there these are 2 + 6 + 4 + 3 + 2 = 17 links. In that tree 1 and 2
# are no member switches, 6 hangs below 1, 7 below 2. 24 ends of links on 9 switches: c = 8 / 3.
HAND = {
    "btin": Cost(1, 7, 2, 7160, 2 * 6),
    "updown": Cost(2, 8, 2, 7160, 2 * 7),
    "multicast": Cost(5, 6, 2, 7160 + 13 * 300 * 3 / 8, 17 + 6),
    "unicast": Cost(0, 1, 13, 7160 + 13 * 300 * 3 / 8 + 12 * 2000, 17 + 17),
}


def counted(topology: Irregular, members: list[tuple[int, int]]) -> dict[str, int]:
    """Follow every message of a barrier, link by link."""
    graph: nx.Graph[int] = nx.Graph([(a[0], b[0]) for a, b in topology.links])
    graph.add_nodes_from(range(topology.switches))
    wanted = {switch for switch, _ in members}
    trees = {}
    for root in wanted:
        level = nx.single_source_shortest_path_length(graph, root)
        parent = {s: min(n for n in graph[s] if level[n] < level[s]) for s in graph if s != root}
        kept = set(wanted)
        for switch in sorted(parent, key=lambda s: -level[s]):
            if switch in kept:
                kept.add(parent[switch])
        inner = {parent[switch] for switch in kept - {root}}
        shape = (max(level[s] for s in kept), len(kept) - 1, len(kept - inner), root)
        trees[shape] = {(switch, parent[switch]) for switch in kept - {root}}
    height, _, _, root = min(trees)
    edges = trees[min(trees)]
    tables = updown_tables(topology)

    def path(switch: int, to: int) -> int:
        steps = 0
        while switch != to:
            end = topology.across(switch, int(tables[switch][to]))
            assert end is not None
            switch, steps = end[0], steps + 1
        return steps

    inward = sum(path(switch, root) for switch, _ in members)
    outward = sum(path(root, switch) for switch, _ in members)
    return {
        "height": height,
        "btin": 2 * len(edges),
        "multicast": inward + len(edges),
        "unicast": inward + outward,
        "direct": sum(int(nx.shortest_path_length(graph, s, root)) for s, _ in members),
        "held": len(edges) + 1,
        "asked": len({root, *(s for s, _ in edges)} - wanted),
        "notified": len(wanted) - 1,
    }


@pytest.mark.parametrize("name", SCHEMES)
def test_figure_1_is_as_counted_by_hand(name: str) -> None:
    cost = SCHEMES[name].cost(FIG1.network, FIG1.groups[0].members)
    assert cost == HAND[name]


@pytest.mark.parametrize("seed", range(8))
def test_every_link_is_counted_as_messages_pass_it(seed: int) -> None:
    rng = random.Random(seed)
    topology = draw_network(rng, 14, 6, 30, ports=6)
    members = rng.sample(topology.nodes, rng.randint(2, len(topology.nodes)))
    group, found = Group(Routes(topology), members), counted(topology, members)
    tree, out, back = (
        along(group.tree, group, Timing()),
        by_packets("multicast", group, PacketTiming()),
        by_packets("unicast", group, PacketTiming()),
    )
    assert (tree.height, tree.traversals) == (found["height"], found["btin"])
    assert (tree.setup_messages, tree.setup_nodes) == (found["asked"], found["held"])
    assert (out.traversals, out.setup_messages) == (found["multicast"], found["notified"])
    assert (back.traversals, group.direct) == (found["unicast"], found["direct"])
    assert group.direct <= group.inward


def test_tables_of_a_network_file_lead_its_packets() -> None:
    """A triangle whose tables go the longer path, 0 -> 1 -> 2, and back straight."""
    links = (((0, 0), (1, 0)), ((1, 1), (2, 0)), ((2, 1), (0, 1)))
    nodes = tuple((switch, 2) for switch in range(3))
    tables = ((-1, 0, 0), (0, -1, 1), (1, 0, -1))
    network = IrregularSpec(
        kind="irregular", ports=3, switches=3, links=links, nodes=nodes, tables=tables
    )
    members = ((0, 2), (2, 2))
    assert SCHEMES["multicast"].cost(network, members).traversals == 1 + 1
    assert SCHEMES["unicast"].cost(network, members).traversals == 1 + 2
    assert SCHEMES["btin"].cost(network, members).traversals == 2


@pytest.mark.parametrize("name", SCHEMES)
def test_one_member_costs_nothing(name: str) -> None:
    assert SCHEMES[name].cost(FIG1.network, FIG1.groups[0].members[:1]) == Cost()


def test_all_nodes_on_one_switch_share_the_root_s_port() -> None:
    alone = Irregular(4, 1, (), tuple((0, port) for port in range(4)))
    group = Group(Routes(alone), alone.nodes)
    assert by_packets("multicast", group, PacketTiming()) == Cost(0, 1, 0, 5880 + 3 * 300, 0)
    assert by_packets("unicast", group, PacketTiming()) == Cost(
        0, 1, 3, 5880 + 3 * 300 + 2 * 2000, 0
    )


def test_other_readings_are_times_to_set() -> None:
    members = FIG1.groups[0].members
    port, software = PacketTiming(t_in=300), PacketTiming(t_in=2000, t_out=100)
    assert SCHEMES["multicast"].cost(FIG1.network, members, port).latency_ns == 7160 + 13 * 300
    cost = SCHEMES["unicast"].cost(FIG1.network, members, software)
    assert cost.latency_ns == 7160 + 13 * 2000 + 12 * 100
    with pytest.raises(PlanError, match=r"^PacketTiming: t_in must be 0 to 100000 ns, not -1$"):
        PacketTiming(t_in=-1)


def test_packets_are_not_led_through_networks_without_tables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(updown, "MOST_ROUTED", 10)
    links = tuple(((s, 0), (s + 1, 1)) for s in range(10))
    line = Irregular(3, 11, links, ((0, 2), (9, 2)))
    group = Group(Routes(line), line.nodes)
    assert along(group.tree, group, Timing()).traversals == 18
    with pytest.raises(PlanError, match=r"^Packets' paths: 11 switches are too many .* 10 can"):
        by_packets("multicast", group, PacketTiming())
