"""Tables 1 to 8 and Figs. 1, 4, 5 and 6 of paper ADAPT."""

import pytest

from syncfabric.models.broadcast import near, tree
from syncfabric.models.broadcast.costs import MatrixCosts
from syncfabric.models.broadcast.layout import Layout
from syncfabric.models.broadcast.tree import Policy, Tree
from syncfabric.sim.experiments.papers import adapt_more
from syncfabric.sim.experiments.papers.adapt_more import FIG_1, TABLE_1, TABLE_5
from tests.sim.experiments.papers.done import ours, work_of


def test_figure_1_left_is_built_from_table_1() -> None:
    tree = Tree(TABLE_1)
    assert tree.nodes == FIG_1
    links = {tree.parent(node): set() for node in FIG_1[1:]}  # type: ignore[var-annotated]
    for node in FIG_1[1:]:
        links[tree.parent(node)].add(node)
    assert links == {0: {5, 7, 3}, 7: {4}, 3: {2, 6}, 6: {1}}
    costs = [tree.layout.link(x) for x in range(1, 8)]
    assert costs == [3, 0, 3, 0, 2, 0, 2]


def test_table_2() -> None:
    tree = Tree(TABLE_1)
    assert list(tree.paths().items()) == [(5, 3), (4, 3), (2, 2), (1, 2)]
    assert tree.cost == tree.initial == 3


def test_table_3_and_figure_1_right() -> None:
    layout = Layout(MatrixCosts(TABLE_1), FIG_1)
    layout.swap(FIG_1.index(5), FIG_1.index(6))
    paths = {int(layout.at[x]): layout.path(x) for x in layout.leaves()}
    assert list(paths.items()) == [(6, 0), (4, 3), (2, 2), (1, 8)]
    assert layout.cost == 8


def test_tables_4_to_6_and_figure_4() -> None:
    before = Tree(TABLE_1, policy=Policy(join=None))
    before.join(dict(enumerate(TABLE_5[8][:8])))
    assert list(before.paths().items()) == [(5, 3), (4, 3), (2, 2), (1, 2), (8, 4)]
    assert before.nodes == (*FIG_1, 8)

    tree = Tree(TABLE_1)
    change = tree.join(dict(enumerate(TABLE_5[8][:8])))
    assert (change.before, change.raised, change.cost) == (3, 4, 3)
    # First with node 1 at position 7, then with node 6 at position 6.
    assert (change.steps, change.swapped, change.node) == (2, (8, 6), 8)
    assert tree.nodes == (0, 5, 7, 4, 3, 2, 8, 1, 6)
    assert list(tree.paths().items()) == [(5, 3), (4, 3), (2, 2), (1, 2), (6, 0)]


def test_table_7_and_figure_5() -> None:
    tree = Tree(TABLE_1, policy=Policy(leave=None))
    tree.leave(7)
    assert tree.nodes == (0, 5, 1, 4, 3, 2, 6)
    assert list(tree.paths().items()) == [(5, 3), (4, 7), (2, 2), (6, 0)]
    assert tree.cost == 7


def test_figure_6_left_a_path_swap_does_not_help() -> None:
    tree = Tree(TABLE_1)
    change = tree.leave(7)
    assert (change.raised, change.cost, change.steps, change.swapped) == (7, 7, 1, None)
    tree.layout.swap(tree.position(1), tree.position(4))
    assert tree.cost == 8


def test_table_8_and_figure_6_right() -> None:
    tree = Tree(TABLE_1, policy=Policy(leave="position"))
    change = tree.leave(7)
    # First with node 4 at position 3, then with node 5 at position 1.
    assert (change.before, change.raised, change.cost) == (3, 7, 3)
    assert (change.steps, change.swapped) == (2, (1, 5))
    assert list(tree.paths().items()) == [(1, 2), (4, 3), (2, 2), (6, 0)]


@pytest.mark.parametrize("goal", ["initial", "before"])
def test_both_goals_end_where_the_tables_do(goal: str) -> None:
    tree = Tree(TABLE_5, nodes=range(8), policy=Policy(goal=goal))  # type: ignore[arg-type]
    assert tree.join(node=8).cost == 3


def test_a_million_nodes_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapt_more, "MILLION", 5_000)
    found = ours(work_of("adapt-million", 20))
    assert all(isinstance(value, float) and value > 0 for value in found.values())


def test_candidates_are_compared_with_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapt_more, "SIZES", (1_000,))
    monkeypatch.setattr(near, "ALL_NODES", 100)
    monkeypatch.setattr(tree, "ALL_NODES", 100)
    found = ours(work_of("adapt-candidates", 1))
    ratios = {what: value for what, value in found.items() if what.endswith("over all pairs")}
    assert len(ratios) == 5
    assert all(ratio == 1 for what, ratio in ratios.items() if ", hint" in what)
    assert all(ratio <= adapt_more.MOST_RATIO for ratio in ratios.values())
