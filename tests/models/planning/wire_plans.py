"""What every plan on barrier wires must keep, read off the words that are written to the units."""

from collections.abc import Hashable, Sequence
from typing import Any

import networkx as nx

from syncfabric.models.networks.spec import IrregularSpec, MeshSpec
from syncfabric.models.planning.plan_wires import WireGroupPlan, WireImage
from syncfabric.models.planning.port_words import port_words

__all__ = ["check_groups", "image_words", "radius", "wired"]

STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))


def wired(network: MeshSpec | IrregularSpec) -> dict[tuple[int, int], tuple[int, int]]:
    """Return where each link of each unit leads, by the config port's numbers of the units."""
    ends: dict[tuple[int, int], tuple[int, int]] = {}
    if isinstance(network, MeshSpec):
        for x in range(network.width):
            for y in range(network.height):
                for port, (dx, dy) in enumerate(STEPS):
                    a, b = x + dx, y + dy
                    if 0 <= a < network.width and 0 <= b < network.height:
                        here, there = (n[1] * network.width + n[0] for n in ((x, y), (a, b)))
                        ends[here, port] = there, (port + 2) % 4
        return ends
    count = len(network.nodes)
    for (a, i), (b, j) in network.links:
        ends[count + a, i] = count + b, j
        ends[count + b, j] = count + a, i
    for node, (switch, port) in enumerate(network.nodes):
        ends[node, 0] = count + switch, port
        ends[count + switch, port] = node, 0
    return ends


def image_words(image: WireImage) -> dict[int, int]:
    """Return the words that are written to a unit by their addresses, the valid bit last."""
    words = {8 * image.number + word: value for word, value in port_words(image.register).items()}
    assert list(words) == [8 * image.number + 1, 8 * image.number]
    return words


def _members(network: MeshSpec | IrregularSpec, group: WireGroupPlan) -> set[int]:
    if isinstance(network, MeshSpec):
        return {y * network.width + x for x, y in group.members}
    return {network.nodes.index(node) for node in group.members}


def radius(network: MeshSpec | IrregularSpec, members: set[int]) -> int:
    """Return the least links from any unit to the farthest member's, by trying every unit."""
    if len(members) == 1:
        return 0
    graph: nx.Graph[int] = nx.Graph([(a, b) for (a, _), (b, _) in wired(network).items()])
    reach = [nx.single_source_shortest_path_length(graph, member) for member in members]
    return min(max(far[unit] for far in reach) for unit in graph)


def check_groups(
    network: MeshSpec | IrregularSpec, groups: Sequence[WireGroupPlan], brute: bool = True
) -> None:
    """Check every group's words by themselves, and that no slot of a unit is written twice."""
    taken: set[tuple[int, int]] = set()
    for group in groups:
        units = _check_group(network, group, brute)
        mine = {(unit, group.number) for unit in units}
        assert taken.isdisjoint(mine), f"group {group.id} takes a slot that is taken"
        taken |= mine


def _check_group(network: MeshSpec | IrregularSpec, group: WireGroupPlan, brute: bool) -> set[int]:
    mesh = isinstance(network, MeshSpec)
    ends, members = wired(network), _members(network, group)
    words: dict[int, dict[int, int]] = {}
    for image in group.images():
        assert image.number == group.number
        assert image.target not in words
        words[image.target] = image_words(image)
    tree: nx.DiGraph[Hashable] = nx.DiGraph()
    roots, arriving = [], set()
    for unit, (tree_word, control) in ((u, list(w.values())) for u, w in words.items()):
        tree.add_node(unit)
        assert control & 1, "valid"
        assert control >> 3 & 7 == ("or", "and", "xor").index(group.op)
        assert control >> 8 & 255 == group.id
        if control >> 1 & 1:
            roots.append(unit)
        process = 4 if mesh else 1
        for port in range(16):
            if not tree_word >> 4 + port & 1:
                continue
            if (mesh or unit < len(network.topology.nodes)) and port == process:
                arriving.add(unit)
                continue
            there, far = ends[unit, port]
            assert there in words, "a child has no unit of the group"
            assert next(iter(words[there].values())) & 15 == far, "the child looks elsewhere"
            tree.add_edge(unit, there)
    assert arriving == members
    (root,) = roots
    assert nx.is_arborescence(tree)
    depth: dict[Any, int] = nx.single_source_shortest_path_length(tree, root)
    assert {unit for unit in tree if not tree.out_degree(unit)} <= members
    assert max(depth.values()) == group.bound_links
    assert group.bound == 2 * group.bound_links * (1 + network.link_registers) + 2
    assert group.longest_path == group.height == group.bound_links - (not mesh and len(members) > 1)
    if brute:
        assert group.bound_links == radius(network, members)
    return set(words)
