"""Up/down tables: legal, connected, deterministic; and the trees of planner updown."""

import random

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from syncfabric.models.errors import SpecError
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.spec import GroupSpec
from syncfabric.models.planning import deadlock, updown
from syncfabric.models.planning.plan import make_plan
from tests.models.planning.irregular import (
    check_tree,
    clusters,
    draw_network,
    member_switches,
    network_of,
)


def levels_of(topology: Irregular) -> dict[int, int]:
    """Levels from the lowest-numbered of the least eccentric switches."""
    graph = nx.Graph((a[0], b[0]) for a, b in topology.links)
    graph.add_nodes_from(range(topology.switches))
    far = eccentricities(graph)
    root = min(graph, key=lambda switch: (far[switch], switch))
    return dict(nx.single_source_shortest_path_length(graph, root))


def eccentricities(graph: "nx.Graph[int]") -> dict[int, int]:
    return {
        switch: max(nx.single_source_shortest_path_length(graph, switch).values())
        for switch in graph
    }


def legal_lengths(topology: Irregular) -> dict[int, dict[int, float]]:
    """Shortest paths up and then down, on a graph with every switch twice."""
    level = levels_of(topology)
    graph: nx.DiGraph[tuple[int, str]] = nx.DiGraph()
    for switch in range(topology.switches):
        graph.add_edge((switch, "up"), (switch, "down"), weight=0)
    for (a, _), (b, _) in topology.links:
        lower, upper = sorted((a, b), key=lambda switch: (level[switch], switch), reverse=True)
        graph.add_edge((lower, "up"), (upper, "up"), weight=1)
        graph.add_edge((upper, "down"), (lower, "down"), weight=1)
    found = {}
    for switch in range(topology.switches):
        lengths = nx.single_source_dijkstra_path_length(graph, (switch, "up"))
        found[switch] = {to: lengths[to, "down"] for to in range(topology.switches)}
    return found


@settings(max_examples=60, deadline=None)
@given(clusters())
def test_tables_are_connected_legal_and_free_of_deadlock(
    drawn: tuple[Irregular, list[Place]],
) -> None:
    topology, _ = drawn
    spec = network_of(topology)
    tables = updown.routing_tables(spec.network)  # type: ignore[arg-type]
    level, least = levels_of(topology), legal_lengths(topology)
    for start in range(topology.switches):
        assert tables[start][start] == -1
        for to in range(topology.switches):
            here, went_down, steps = start, False, 0
            while here != to:
                end = topology.across(here, tables[here][to])
                assert end is not None
                down = (level[end[0]], end[0]) > (level[here], here)
                assert down or not went_down, "up after down"
                here, went_down, steps = end[0], down, steps + 1
                assert steps <= 2 * topology.switches
            assert steps >= least[start][to]
    deadlock.check(make_plan(spec))


@settings(max_examples=40, deadline=None)
@given(clusters())
def test_routes_are_the_shortest_that_go_down_as_soon_as_they_can(
    drawn: tuple[Irregular, list[Place]],
) -> None:
    """What a table by destination alone allows: length and port of each entry, by the rule."""
    topology, _ = drawn
    level, count = levels_of(topology), topology.switches
    rank = {
        switch: place for place, switch in enumerate(sorted(level, key=lambda s: (level[s], s)))
    }
    tables = updown.updown_tables(topology)
    for to in range(count):
        down = {to: 0}
        for switch in sorted(rank, key=rank.__getitem__, reverse=True):
            steps = [
                down[b] + 1
                for _, b in neighbours(topology, switch)
                if rank[b] > rank[switch] and b in down
            ]
            if steps and switch != to:
                down[switch] = min(steps)
        length = dict(down)
        for switch in sorted(set(rank) - set(down), key=rank.__getitem__):
            length[switch] = 1 + min(
                length[b] for _, b in neighbours(topology, switch) if rank[b] < rank[switch]
            )
        for switch in range(count):
            if switch != to:
                best = [
                    port
                    for port, b in neighbours(topology, switch)
                    if (rank[b] > rank[switch]) == (switch in down)
                    and length.get(b) == length[switch] - 1
                    and (switch not in down or b in down)
                ]
                assert tables[switch, to] == min(best)


def neighbours(topology: Irregular, switch: int) -> list[tuple[int, int]]:
    ends = ((port, topology.across(switch, port)) for port in range(topology.ports))
    return [(port, end[0]) for port, end in ends if end is not None]


def test_tables_of_one_switch_are_empty() -> None:
    spec = network_of(Irregular(4, 1, (), ((0, 2),)))
    assert updown.routing_tables(spec.network) == ((-1,),)  # type: ignore[arg-type]


def test_tables_of_300_switches() -> None:
    topology = draw_network(random.Random(1), 300, 89, 1024)
    tables = updown.updown_tables(topology)
    assert tables.shape == (300, 300)
    assert (np.flatnonzero(tables == -1) == np.arange(300) * 301).all()


def test_networks_too_large_for_tables_can_be_planned_but_not_routed() -> None:
    links = tuple(((s, 1), (s + 1, 0)) for s in range(updown.MOST_ROUTED))
    topology = Irregular(3, updown.MOST_ROUTED + 1, links, ((0, 2),))
    plan = make_plan(network_of(topology, GroupSpec(id=1, members=topology.nodes)))
    message = (
        "network: 4097 switches are too many for routing tables, which grow with their square; "
        "at most 4096 can be routed, though more can be planned"
    )
    with pytest.raises(SpecError, match=f"^{message}$"):
        deadlock.check(plan)


@pytest.mark.parametrize("member_root", [False, True])
@settings(max_examples=60, deadline=None)
@given(drawn=clusters())
def test_trees_lie_in_the_spanning_tree(
    drawn: tuple[Irregular, list[Place]], *, member_root: bool
) -> None:
    topology, members = drawn
    graph, switches = topology, member_switches(members)
    tree = updown.updown_tree(graph, switches, member_root=member_root)
    check_tree(topology, tree, members)
    parents = graph.spanning(updown.tree_root(graph))
    spanning = {frozenset((s, p)) for s, p in enumerate(parents.tolist()) if p >= 0}
    assert {frozenset(edge) for edge in tree.edges} <= spanning
    inside: nx.Graph[int] = nx.Graph()
    inside.add_edges_from((child, parent) for child, parent in tree.edges)
    inside.add_node(tree.root)
    wanted = set(switches.tolist())
    if member_root:
        far = eccentricities(inside)
        assert tree.root == min(wanted, key=lambda switch: (far[switch], switch))
    else:
        below = sum(parent == tree.root for _, parent in tree.edges)
        assert tree.root in wanted or below > 1


def test_a_root_without_a_member() -> None:
    """Members at the ends of 0 - 1 - 2: the middle has none."""
    topology = Irregular(3, 3, (((0, 0), (1, 0)), ((1, 1), (2, 0))), ((0, 1), (2, 1)))
    group = GroupSpec(id=1, members=topology.nodes, planner="updown")
    (plan,) = (group.to_json() for group in make_plan(network_of(topology, group)).groups)
    assert (plan["root_switch"], plan["root_node"], plan["root"]) == (1, None, None)
    assert plan["height"] == 1
    tree = updown.updown_tree(topology, np.array([0, 2]), member_root=True)
    assert (tree.root, tree.height) == (0, 2)
