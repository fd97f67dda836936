"""Planner btin: the reference trees, the rule written out, and one tree from many."""

import json
import random
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings

from syncfabric.models.errors import PlanError
from syncfabric.models.networks import reader
from syncfabric.models.networks.irregular import Irregular, Place
from syncfabric.models.networks.spec import GroupSpec, IrregularSpec
from syncfabric.models.planning.btin import build_tree, root_switch
from syncfabric.models.planning.centre import least_eccentric
from syncfabric.models.planning.plan import IrregularGroupPlan, make_plan
from syncfabric.models.planning.setup_register import setup_register
from syncfabric.models.planning.switch_graph import SwitchGraph
from syncfabric.models.planning.switch_tree import PortRegister
from tests.models.planning.irregular import (
    check_tree,
    clusters,
    draw_network,
    member_switches,
    network_of,
)

REFERENCE = Path(__file__).parents[2] / "data" / "btin_trees.json"
CASES = json.loads(REFERENCE.read_text(encoding="utf-8"))["cases"]


def places(pairs: Iterable[list[int]]) -> tuple[Place, ...]:
    return tuple((switch, port) for switch, port in pairs)


@pytest.mark.parametrize("case", CASES, ids=[f"{len(c['links'])}-links" for c in CASES])
def test_reference_trees(case: dict[str, Any]) -> None:
    links = tuple(((a, b), (c, d)) for (a, b), (c, d) in case["links"])
    switches = 1 + max(end[0] for link in links for end in link)
    topology = Irregular(case["ports"], switches, links, places(case["nodes"]))
    (group,) = make_plan(
        network_of(topology, GroupSpec(id=1, members=places(case["members"])))
    ).groups
    assert isinstance(group, IrregularGroupPlan)
    assert group.planner == "btin"
    assert group.root_switch == case["root_switch"]
    assert group.root == group.root_node == tuple(case["root_node"])
    assert group.height == group.longest_path == case["tree_height"]
    assert group.edges == sorted(case["edges"])


def test_figure_1() -> None:
    """Three switches have height 2; pruned, that of 0 has an edge more than those of 3 and 6."""
    spec = reader.load("cluster-fig1")
    (group,) = make_plan(spec).groups
    assert isinstance(group, IrregularGroupPlan)
    assert (group.root_switch, group.root_node, group.height) == (3, (3, 4), 2)
    assert group.edges == [[0, 3], [1, 3], [4, 1], [5, 1], [6, 3], [7, 3]]
    assert isinstance(spec.network, IrregularSpec)
    members = member_switches(group.members)
    graph = SwitchGraph.of(spec.network.topology)
    nearest, height = least_eccentric(graph, members, members)
    assert (nearest.tolist(), height) == ([0, 3, 6], 2)
    edges, leaves = graph.shapes(nearest, members)
    assert (edges.tolist(), leaves.tolist()) == ([7, 6, 6], [5, 5, 5])


def literal_root(topology: Irregular, members: set[int]) -> int:
    """Build every member's whole tree, prune it leaf by leaf, compare."""
    graph = nx.Graph((a[0], b[0]) for a, b in topology.links)
    graph.add_nodes_from(range(topology.switches))
    ranks = []
    for root in sorted(members):
        level = nx.single_source_shortest_path_length(graph, root)
        parent = {
            switch: min(n for n in graph[switch] if level[n] == level[switch] - 1)
            for switch in graph
            if switch != root
        }
        while spare := set(parent) - set(parent.values()) - members:
            for switch in spare:
                del parent[switch]
        height = max((level[switch] for switch in parent), default=0)
        leaves = len({root, *parent} - set(parent.values()))
        ranks.append((height, len(parent), leaves, root))
    return min(ranks)[3]


@settings(max_examples=150, deadline=None)
@given(clusters())
def test_the_root_is_that_of_the_rule_written_out(drawn: tuple[Irregular, list[Place]]) -> None:
    topology, members = drawn
    switches = member_switches(members)
    graph = SwitchGraph.of(topology)
    assert root_switch(graph, switches) == literal_root(topology, set(switches.tolist()))
    tree = build_tree(graph, switches)
    check_tree(topology, tree, members)
    whole = nx.Graph((a[0], b[0]) for a, b in topology.links)
    for switch, depth in zip(tree.switches.tolist(), tree.depth.tolist(), strict=True):
        assert depth == (nx.shortest_path_length(whole, tree.root, switch) if depth else 0)


@pytest.mark.parametrize("seed", range(4))
def test_the_root_of_larger_networks(seed: int) -> None:
    """More member switches than are measured at once, and ties between many."""
    rng = random.Random(seed)
    topology = draw_network(rng, 200, 20 if seed % 2 else 240, 500)
    members = set(rng.sample(range(200), 160 if seed < 2 else 200))
    found = root_switch(SwitchGraph.of(topology), np.array(sorted(members)))
    assert found == literal_root(topology, members)


@settings(max_examples=60, deadline=None)
@given(clusters(most=14))
def test_independent_setups_make_the_one_tree(drawn: tuple[Irregular, list[Place]]) -> None:
    """Every member runs Setup_Register by itself; each register is written by just one."""
    topology, members = drawn
    group = GroupSpec(id=9, members=tuple(members), op="xor")
    for turnaround in ("switch", "node"):
        (plan,) = make_plan(network_of(topology, group, turnaround=turnaround)).message_groups
        written: list[PortRegister] = []
        for place, member in enumerate(members):
            others = members[place:] + members[:place]
            written += setup_register(topology, others, member, 9, op="xor", turnaround=turnaround)
        assert len(written) == len(set(written))
        assert set(written) == set(plan.registers())


def test_a_representative_sets_up_the_nonmember_switches_below_it() -> None:
    """Members at the ends of 0 - 1 - 2 - 3, and one more at 0 that represents nothing."""
    links = tuple(((s, 1), (s + 1, 0)) for s in range(3))
    topology = Irregular(4, 4, links, ((0, 2), (0, 3), (3, 2)))
    members = topology.nodes
    assert setup_register(topology, members, (0, 2), 5) == (
        PortRegister(5, (0, 2), 0, (1,)),
        PortRegister(5, 0, None, (1, 2, 3)),
        PortRegister(5, 1, 0, (1,)),
        PortRegister(5, 2, 0, (1,)),
    )
    assert setup_register(topology, members, (0, 3), 5) == (PortRegister(5, (0, 3), 0, (1,)),)
    assert setup_register(topology, members, (3, 2), 5) == (
        PortRegister(5, (3, 2), 0, (1,)),
        PortRegister(5, 3, 0, (2,)),
    )


def test_only_members_set_up_registers() -> None:
    topology = Irregular(2, 1, (), ((0, 0), (0, 1)))
    rule = r"^Node \(0, 1\) must be a member of group 4 to set up its register$"
    with pytest.raises(PlanError, match=rule):
        setup_register(topology, [(0, 0)], (0, 1), 4)


@pytest.mark.parametrize(
    ("pairs", "members", "root"),
    [
        # Height 2 with 5 edges and 3 leaves; 2 has a lower number, 4 edges, 2 leaves and height 3.
        ("04 05 12 14 15 25 34", [2, 3, 4, 5], 4),
        # Of height 2 are 2, 3 and 4: 6, 5 and 5 edges. 2 has a lower number and fewer leaves.
        ("03 12 15 23 24 34 45 46", [0, 2, 3, 4, 5, 6], 3),
        # All have height 2 and 4 edges; 1 and 4 have 2 leaves, the others 3.
        ("03 04 12 13 23 24", [0, 1, 2, 3, 4], 1),
        # All is equal.
        ("02 12 13 23", [1, 3], 1),
    ],
    ids=["height", "edges", "leaves", "number"],
)
def test_what_decides(pairs: str, members: list[int], root: int) -> None:
    topology = joined([(int(pair[0]), int(pair[1])) for pair in pairs.split()])
    assert literal_root(topology, set(members)) == root
    assert root_switch(SwitchGraph.of(topology), np.array(members)) == root
    nodes = [(switch, 7) for switch in members]
    _, register, *_ = setup_register(topology, nodes, (root, 7), 1)
    assert (register.seat, register.parent) == (root, None)


def joined(pairs: list[tuple[int, int]]) -> Irregular:
    """Link pairs of switches, each by its lowest free port."""
    free: Counter[int] = Counter()
    links = []
    for a, b in pairs:
        links.append(((a, free[a]), (b, free[b])))
        free.update((a, b))
    return Irregular(8, len(free), tuple(links), ())


def test_of_parallel_links_the_parents_lowest_port_is_taken() -> None:
    links = (((0, 3), (1, 0)), ((0, 1), (1, 2)), ((1, 1), (0, 2)))
    topology = Irregular(5, 2, links, ((0, 4), (1, 3)))
    (group,) = make_plan(
        network_of(topology, GroupSpec(id=1, members=topology.nodes))
    ).message_groups
    assert list(group.registers())[2:] == [
        PortRegister(1, 0, None, (1, 4)),
        PortRegister(1, 1, 2, (3,)),
    ]
