"""The ready-made ``cluster-fig1`` against every statement of paper BTIN on Figures 1 to 3.

The trees are built here anew. The paper compares whole breadth-first trees and then prunes; the
planner prunes first. In this network both ways lead to the same root.
"""

import pytest

from syncfabric.models.networks import reader

SPEC = reader.load("cluster-fig1")
NETWORK = SPEC.network
MEMBERS = SPEC.groups[0].members
MEMBER_SWITCHES = {switch for switch, _ in MEMBERS}

Parents = dict[int, int]


def neighbours(switch: int) -> set[int]:
    assert NETWORK.kind == "irregular"
    ends = [(a[0], b[0]) for a, b in NETWORK.links]
    return {b for a, b in ends if a == switch} | {a for a, b in ends if b == switch}


def whole_tree(root: int) -> tuple[dict[int, int], Parents]:
    """Return level and parent (the lowest-numbered of the level above) of every switch."""
    level, parent, front = {root: 0}, {}, {root}
    while front:
        found = {new for switch in front for new in neighbours(switch)} - level.keys()
        for switch in found:
            parent[switch] = min(neighbours(switch) & front)
        level.update(dict.fromkeys(found, level[min(front)] + 1))
        front = found
    return level, parent


def leaves(parent: Parents) -> set[int]:
    return parent.keys() - set(parent.values())


def pruned(parent: Parents) -> Parents:
    left = dict(parent)
    while bare := leaves(left) - MEMBER_SWITCHES:
        for switch in bare:
            del left[switch]
    return left


def test_figure_1() -> None:
    assert NETWORK.kind == "irregular"
    assert (NETWORK.ports, NETWORK.switches) == (8, 9)
    assert (len(NETWORK.nodes), len(NETWORK.links), len(MEMBERS)) == (26, 12, 14)
    # A nonmember switch is set up by one of its nodes.
    assert {switch for switch, _ in NETWORK.nodes} == set(range(9))


def test_figure_2() -> None:
    _, parent = whole_tree(3)
    assert pruned(parent) == {0: 3, 1: 3, 6: 3, 7: 3, 4: 1, 5: 1}
    assert 1 not in MEMBER_SWITCHES
    assert [node for node in MEMBERS if node[0] == 3] == [(3, 4), (3, 5)]


def test_figure_3() -> None:
    trees = {root: whole_tree(root) for root in sorted(MEMBER_SWITCHES)}
    height = {root: max(level.values()) for root, (level, _) in trees.items()}
    low = [root for root in trees if height[root] == min(height.values())]
    assert min(height.values()) == 2
    # Three, with as many edges; the second is chosen, for it has two leaves (at the lowest level).
    assert len(low) == 3
    assert low[1] == 3
    assert {len(trees[root][1]) for root in low} == {8}
    lowest = {
        root: sum(level[switch] == 2 for switch in leaves(pruned(parent)))
        for root, (level, parent) in trees.items()
        if root in low
    }
    assert lowest[3] == 2
    assert min(lowest[root] for root in low if root != 3) > 2


@pytest.mark.parametrize("prune_first", [False, True])
def test_the_root_is_switch_3_whether_pruned_before_or_after(prune_first: bool) -> None:
    ranks = {}
    for root in MEMBER_SWITCHES:
        level, parent = whole_tree(root)
        tree = pruned(parent) if prune_first else parent
        height = max(level[switch] for switch in tree)
        shape = leaves(tree) if prune_first else [s for s in leaves(tree) if level[s] == height]
        ranks[root] = (height, len(tree), len(shape), root)
    assert min(ranks, key=ranks.__getitem__) == 3
