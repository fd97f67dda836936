"""What a message passing library calls, and the errors it gets."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from syncfabric.models.broadcast.balanced_path import least_cost
from syncfabric.models.broadcast.costs import Floats, Ints, MatrixCosts
from syncfabric.models.broadcast.start_up import StartUp
from syncfabric.models.broadcast.tree import Policy, Strategy, Tree
from syncfabric.models.errors import SpecError, SyncfabricError
from syncfabric.models.timing.loggp import LogGP
from syncfabric.sim.experiments.papers.adapt_more import FIG_1, TABLE_1, TABLE_5
from tests.models.broadcast.events import broken

RING = [[min(abs(i - j), 8 - abs(i - j)) for j in range(8)] for i in range(8)]


def _line(one: Ints, other: Ints) -> Floats:
    return np.abs(one - other).astype(np.float64)


def test_says_who_sends_to_whom() -> None:
    tree = Tree(TABLE_1)
    assert (tree.root, tree.nodes, len(tree)) == (0, FIG_1, 8)
    assert tree.children(0) == (3, 7, 5)
    assert tree.children(3) == (6, 2)
    assert tree.children(1) == ()
    assert [tree.parent(node) for node in range(8)] == [None, 6, 3, 0, 7, 0, 3, 0]
    assert [tree.position(node) for node in FIG_1] == list(range(8))
    assert 7 in tree
    assert 8 not in tree


def test_nodes_root_and_order_are_chosen() -> None:
    tree = Tree(TABLE_5, root=8, nodes=[3, 8, 1])
    assert tree.root == 8
    assert set(tree.nodes) == {1, 3, 8}
    plain = Tree(TABLE_1, order=range(8))
    assert plain.nodes == tuple(range(8))
    assert plain.children(0) == (4, 2, 1)
    assert Tree(_line, order=[5, 7]).cost == 2
    assert Tree(_line, nodes=range(8), root=4).nodes == Tree(_matrix(8), root=4).nodes


def _matrix(nodes: int) -> Floats:
    return _line(np.arange(nodes)[:, None], np.arange(nodes)[None])


def test_a_matrix_is_copied() -> None:
    costs = np.array(RING)
    tree = Tree(costs, order=range(8))
    tree.update_cost(0, 1, 99)
    assert costs.tolist() == RING


def test_a_node_alone() -> None:
    tree = Tree([[0]])
    assert (tree.cost, tree.paths(), tree.children(0)) == (0, {0: 0}, ())
    assert tree.join({0: 4}).cost == 4
    assert tree.nodes == (0, 1)


def test_a_rise_off_the_critical_path_takes_no_step() -> None:
    tree = Tree(TABLE_1)
    change = tree.update_cost(6, 1, 3)
    assert (change.raised, change.steps, change.gain, change.swapped) == (3, 0, 0, None)


def test_a_rise_off_the_tree_is_noted_down() -> None:
    tree = Tree(TABLE_1, policy=Policy(join=None))
    assert tree.update_cost(0, 4, 90).cost == 3
    tree.layout.swap(tree.position(4), tree.position(5))
    assert tree.cost == 90


def test_a_rise_is_swapped_away() -> None:
    tree = Tree(TABLE_1)
    # Nodes 0 and 3 stand at positions 0 and 4: only 3 can move, down its costliest path.
    change = tree.update_cost(0, 3, 10)
    assert (change.before, change.raised, change.cost, change.steps) == (3, 12, 3, 1)
    assert change.swapped == (3, 6)
    assert change.gain == 0.75
    assert broken(tree) is None


def test_a_fall_only_recomputes_unless_asked() -> None:
    tree = Tree(TABLE_1, policy=Policy(rise=None))
    tree.update_cost(0, 3, 10)
    assert tree.cost == 12
    change = tree.update_cost(0, 3, 4)
    assert (change.raised, change.cost, change.steps) == (6, 6, 0)


def _four(costs: dict[tuple[int, int], float], fall: Strategy) -> Tree:
    """Node x at position x, all links at 5 but these."""
    matrix = np.full((4, 4), 5.0)
    for (i, j), cost in costs.items():
        matrix[i, j] = matrix[j, i] = cost
    return Tree(matrix, order=range(4), policy=Policy(fall=fall))


def test_a_fall_off_the_tree_brings_its_ends_together() -> None:
    tree = _four({(0, 3): 9}, "path")
    change = tree.update_cost(0, 3, 1)
    # 3 is tried next to the root, at positions 1 and 2; there 2 is behind it.
    assert (change.before, change.raised, change.cost) == (10, 10, 6)
    assert (change.steps, change.swapped) == (2, (3, 2))
    assert broken(tree) is None


def test_a_fall_in_the_tree_tries_all_swaps() -> None:
    tree = _four({(2, 3): 9, (0, 1): 1, (1, 3): 0}, "position")
    change = tree.update_cost(2, 3, 1)
    assert (change.before, change.raised, change.cost) == (14, 6, 5)
    assert (change.steps, change.swapped) == (2, (2, 1))
    assert broken(tree) is None


def test_a_fall_takes_no_swap_that_does_not_help() -> None:
    change = _four({(2, 3): 9}, "position").update_cost(3, 2, 1)
    assert (change.cost, change.steps, change.swapped) == (6, 2, None)


def test_the_lowest_free_number_joins() -> None:
    tree = Tree(TABLE_1, policy=Policy(join=None, leave=None))
    tree.leave(5)
    assert tree.join(dict.fromkeys(tree.nodes, 1)).node == 5
    assert tree.join(dict.fromkeys(tree.nodes, 1)).node == 8
    assert tree.nodes[-1] == 8


def test_a_far_number_joins() -> None:
    tree = Tree(TABLE_1)
    assert tree.join(dict.fromkeys(range(8), 1), node=100).node == 100
    with pytest.raises(SpecError, match="node 50: its costs to the nodes of the tree are not"):
        tree.join(node=50)
    assert broken(tree) is None


def test_the_last_one_leaves_without_a_search() -> None:
    tree = Tree(TABLE_1, policy=Policy(leave="position"))
    change = tree.leave(1)
    assert (change.steps, tree.nodes) == (0, FIG_1[:-1])


def test_a_new_root_is_elected() -> None:
    tree = Tree(TABLE_1, policy=Policy(leave=None, new_root=True))
    change = tree.leave(0)
    # With 5, 7 or 3 as the root, and 1 in its place, the tree costs 9, 5 or 4.
    assert (tree.root, tree.cost, change.node) == (3, 4, 0)
    assert broken(tree) is None


def test_all_leave_but_one() -> None:
    tree = Tree(RING, policy=Policy(new_root=True))
    for _ in range(7):
        tree.leave(tree.root)
        assert broken(tree) is None
    assert (len(tree), tree.cost) == (1, 0)
    with pytest.raises(SpecError, match="the only one"):
        tree.leave(tree.root)


NAN, INF = float("nan"), float("inf")
FAR: Any = [[0, "far"], ["far", 0]]
MACHINE = LogGP(L=1, o=1, g=1, G=1, h=1)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Tree([[0, 1], [1, 0], [1, 1]]), "a square of numbers, not 3 x 2"),
        (lambda: Tree([[0, 1], [1]]), "a square of numbers"),
        (lambda: Tree(FAR), "a square of numbers"),
        (lambda: Tree(7), "a square of numbers, not a number"),
        (lambda: Tree([]), "a square of numbers, not 0"),
        (lambda: Tree([[0, -1], [-1, 0]]), r"\[0\]\[1\]: it must be finite and 0 or more, not -1"),
        (lambda: Tree([[0, 1], [2, 0]]), r"\[0\]\[1\] is 1 and \[1\]\[0\] 2; it must be symmetric"),
        (lambda: Tree([[0, NAN], [NAN, 0]]), "finite and 0 or more, not nan"),
        (lambda: Tree([[0, INF], [INF, 0]]), "finite and 0 or more, not inf"),
        (lambda: Tree(TABLE_1, root=8), "root 8: it is not among the nodes"),
        (lambda: Tree(TABLE_1, nodes=[0, 8]), "node 8: nodes are 0 to 7"),
        (lambda: Tree(TABLE_1, nodes=[0, -1]), "node -1: nodes are 0 to 7"),
        (lambda: Tree(TABLE_1, nodes=[0, 3, 3]), "node 3: it is given twice"),
        (lambda: Tree(TABLE_1, nodes=[]), "one or more"),
        (lambda: Tree(TABLE_1, nodes=[0, 1.5]), "node 1.5: it must be an integer"),  # type: ignore[list-item]
        (lambda: Tree(TABLE_1, order=range(8), root=0), "either an order, or nodes and a root"),
        (lambda: Tree(_line), "nodes or an order must be given"),
        (lambda: Tree(lambda a, b: a[:1] * 1.0, order=range(8)), "must return 7 costs, not shape"),
        (lambda: Tree(lambda a, b: -1.0 * b, order=range(8)), "between 0 and 1: it must be finite"),
        (
            lambda: Tree(lambda a, b: np.where(b == 6, NAN, 1.0), order=range(8)),
            "between 4 and 6: .* not nan",
        ),
        (lambda: Policy(rise="sideways"), "policy rise: 'sideways' is none of family, path"),  # type: ignore[arg-type]
        (lambda: Policy(goal="later"), "policy goal: 'later'"),  # type: ignore[arg-type]
        (lambda: StartUp.under(MACHINE, 0), "1 byte or more"),
        (lambda: StartUp(transfer=-1.0), "start-up transfer: it must be finite and 0 or more"),
        (lambda: StartUp(interval=NAN), "start-up interval: it must be finite and 0 or more"),
        (lambda: least_cost(MatrixCosts(np.ones((17, 17))), 0), "17 nodes are more than 16"),
        (lambda: least_cost(MatrixCosts(np.ones((4, 4))), 4), "root 4"),
    ],
)
def test_what_cannot_be_is_refused(make: Callable[[], object], words: str) -> None:
    with pytest.raises(SpecError, match=words):
        make()


def _eight(new_root: bool = False) -> Tree:
    return Tree(TABLE_1, policy=Policy(new_root=new_root))


def _but(costs: dict[Any, Any]) -> dict[Any, Any]:
    return dict.fromkeys(range(8), 1) | costs


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda tree: tree.update_cost(0, 8, 1), "node 8: it is not in the tree"),
        (lambda tree: tree.update_cost([], 1, 1), r"node \[\]: it is not in the tree"),
        (lambda tree: tree.update_cost(2, 2, 1), "node 2: it has no link to itself"),
        (lambda tree: tree.update_cost(0, 1, -2), "cost between 0 and 1: .* not -2"),
        (lambda tree: tree.update_cost(0, 1, float("nan")), "not nan"),
        (lambda tree: tree.update_cost(0, 1, "near"), "'near' is no number"),
        (lambda tree: tree.leave(8), "node 8: it is not in the tree"),
        (lambda tree: tree.leave(0), "node 0: it is the root"),
        (lambda tree: tree.children(9), "node 9: it is not in the tree"),
        (lambda tree: tree.parent(-1), "node -1: it is not in the tree"),
        (lambda tree: tree.join(_but({}), node=3), "node 3: it is in the tree already"),
        (lambda tree: tree.join(node=8), "node 8: nodes are 0 to 7"),
        (lambda tree: tree.join({0: 1}, node=8), "node 8: its cost to node 1 is missing"),
        (lambda tree: tree.join(_but({11: 1})), "its cost to node 11 is given, but it is not"),
        (lambda tree: tree.join(_but({5: -1})), "node 8: its cost to node 5: .* not -1"),
        (lambda tree: tree.join(_but({}), node=-1), "node -1: nodes are 0 to"),
        (lambda tree: tree.join(_but({}), node=1 << 40), "nodes are 0 to 8191"),
        (lambda tree: tree.join(_but({}), node="new"), "node 'new': it must be an integer"),
        (lambda tree: tree.join(_but({}), node=[]), r"node \[\]: it must be an integer"),
    ],
)
def test_refuses_wrong_events_and_stays_as_it_was(wrong: Any, words: str) -> None:
    tree = _eight()
    with pytest.raises(SpecError, match=words) as caught:
        wrong(tree)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, SyncfabricError)
    assert tree.nodes == FIG_1
    assert list(tree.paths().values()) == [3, 3, 2, 2]
    assert tree.join(_but({})).node == 8
