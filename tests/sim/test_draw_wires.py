"""Pictures of trees on barrier wires: along their links, with who is passed, and the slot."""

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

from syncfabric import Network
from syncfabric.models.networks.irregular import Irregular
from syncfabric.models.planning.plan import BarrierPlan, GroupPlan
from syncfabric.sim.draw import group_figure, plan_figure, to_svg
from syncfabric.sim.draw.canvas import PAPER, depth_colours
from syncfabric.sim.draw.mesh.chart import MeshChart, branches

SLOTS = {1: 0, 2: 1}
"""Of the groups of wires-both that are on wires."""


def plan_of(name: str) -> BarrierPlan:
    return Network.load(name).plan()


def discs(axes: Axes) -> list[tuple[tuple[float, float], str, str]]:
    """Return the place of each disc, its colour, and that of its rim."""
    found = []
    for collection in axes.collections:
        if type(collection).__name__ == "PathCollection":
            points = np.asarray(collection.get_offsets())
            face, edge = (
                np.broadcast_to(np.asarray(ink), (len(points), 4))
                for ink in (collection.get_facecolor(), collection.get_edgecolor())
            )
            for (x, y), a, b in zip(points, face, edge, strict=True):
                found.append(((float(x), float(y)), to_hex(tuple(a)), to_hex(tuple(b))))
    return found


@pytest.mark.parametrize("name", ["wires-4x4", "wires-both", "wires-16x16"])
def test_ways_are_the_links_of_the_tree(name: str) -> None:
    plan = plan_of(name)
    mesh = plan.spec.network.topology
    for group in plan.engine_groups:
        depths, ways = branches(group, mesh)  # type: ignore[arg-type]
        edges = {(mesh.node(child), mesh.node(parent)) for child, parent in group.shape.edges}
        assert {(way[-1], way[0]) for _, way in ways} == edges
        for depth, (parent, child) in ways:
            assert depths[child] == depths[parent] + 1 == depth
            assert abs(parent[0] - child[0]) + abs(parent[1] - child[1]) == 1
        assert set(group.members) <= set(depths)
        assert max(depths.values()) == group.height


def test_routers_that_are_passed_are_rings() -> None:
    plan = plan_of("wires-4x4")
    group = plan.group(2)
    assert isinstance(group, GroupPlan)
    (axes,) = group_figure(plan, group).axes
    colours = depth_colours(group.height)
    drawn = discs(axes)
    tree, members = group.shape, set(group.members)
    for router, depth in zip(tree.routers.tolist(), tree.depth.tolist(), strict=True):
        x, y = node = group.graph.member(router)
        face = colours[depth] if node in members else PAPER
        assert ((float(x), float(y)), face, colours[depth]) in drawn
    assert group.relays


def test_the_slot_and_the_key() -> None:
    plan = plan_of("wires-both")
    texts = [text.get_text() for text in plan_figure(plan).texts]
    for group in plan.groups:
        line = texts[texts.index(f"group {group.id} · {len(group.members)} members") + 1]
        start = f"slot {SLOTS[group.id]} · root" if group.id in SLOTS else "root"
        assert line.startswith(start)
    chart = MeshChart(plan.spec.network.topology, 6.4)  # type: ignore[arg-type]
    passed = "on the way, not a member"
    words = {
        group.id: [mark.words for mark in chart.tree_key([group])]  # type: ignore[list-item]
        for group in plan.groups
    }
    assert [gid for gid, key in words.items() if passed in key] == [
        group.id for group in plan.engine_groups if group.relays
    ]


def test_trees_over_switches() -> None:
    plan = plan_of("wires-cluster")
    network = plan.spec.network.topology
    assert isinstance(network, Irregular)
    for group in plan.engine_groups:
        switches = group.shape.routers.tolist()
        depths = dict(zip(switches, group.shape.depth.tolist(), strict=True))
        ports = zip(switches, group.shape.parent_port.tolist(), strict=True)
        up_ports = [(switch, port) for switch, port in ports if port >= 0]
        assert {switch for switch, _ in group.members} <= depths.keys()
        assert len(up_ports) == len(depths) - 1
        for switch, port in up_ports:
            end = network.across(switch, port)
            assert end is not None
            assert depths[switch] == depths[end[0]] + 1
        texts = [text.get_text() for text in group_figure(plan, group).texts]
        assert "slot " in texts[1]
        assert f" · height {group.height}" in texts[1]


@pytest.mark.parametrize("name", ["wires-4x4", "wires-cluster"])
def test_the_same_bytes_every_time(name: str) -> None:
    assert to_svg(plan_figure(plan_of(name))) == to_svg(plan_figure(plan_of(name)))
