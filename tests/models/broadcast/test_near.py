"""Balanced-Path with candidates beside Balanced-Path with all nodes."""

from typing import Any

import numpy as np
import pytest

from syncfabric.models.broadcast import balanced_path, near
from syncfabric.models.broadcast.costs import CostFunction, Floats, FunctionCosts, Ints
from syncfabric.models.broadcast.layout import Layout
from syncfabric.models.broadcast.near import Groups, Near, Places
from syncfabric.models.broadcast.tree import Tree
from syncfabric.models.errors import SpecError

NODES = 1_500


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let small trees be built as large ones are."""
    monkeypatch.setattr(near, "ALL_NODES", 100)
    monkeypatch.setattr(balanced_path, "EXACT", 8 * NODES)
    monkeypatch.setattr(balanced_path, "LAST", 64)


def plane(places: Floats) -> CostFunction:
    def away(one: Ints, other: Ints) -> Floats:
        found: Floats = ((places[one] - places[other]) ** 2).sum(axis=1)
        return found

    return away


def shared(labels: Ints) -> CostFunction:
    def levels(one: Ints, other: Ints) -> Floats:
        pod, rack = (labels[one] == labels[other]).T
        return np.where(pod, np.where(rack, 1.0, 10.0), 100.0)

    return levels


def mixed(one: Ints, other: Ints) -> Floats:
    """Return costs from 1 to 10 that follow from nothing, and differ from those back."""
    x = one.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) ^ other.astype(np.uint64)
    x = (x ^ x >> np.uint64(29)) * np.uint64(0xBF58476D1CE4E5B9)
    return 1 + 9 * (x >> np.uint64(11)).astype(np.float64) / 2**53


def order(costs: CostFunction, how: Near, nodes: int = NODES) -> Ints:
    known = FunctionCosts(costs, one_way=True)
    return balanced_path.balanced_path(known, np.arange(nodes), 3, how)


def test_places_find_the_tree_of_all_pairs() -> None:
    draw = np.random.default_rng(1)
    for places in (draw.integers(0, 9, (NODES, 2)), draw.random((NODES, 3))):
        costs = plane(places.astype(np.float64))
        assert (order(costs, Places(places)) == order(costs, "all")).all()


def test_groups_find_the_tree_of_all_pairs() -> None:
    labels = np.random.default_rng(1).integers(0, 8, (NODES, 2))
    costs = shared(labels)
    assert (order(costs, Groups(labels)) == order(costs, "all")).all()


@pytest.mark.parametrize("kind", ["plane", "groups", "nothing"])
def test_without_a_hint_trees_cost_hardly_more(kind: str) -> None:
    draw = np.random.default_rng(2)
    costs = {
        "plane": plane(draw.random((NODES, 2))),
        "groups": shared(draw.integers(0, 8, (NODES, 2))),
        "nothing": mixed,
    }[kind]
    tree = Tree(costs, nodes=range(NODES), root=3, one_way=True)
    assert sorted(tree.nodes) == list(range(NODES))
    exact = Layout(FunctionCosts(costs, one_way=True), order(costs, "all"))
    assert tree.cost == tree.initial <= 1.05 * exact.cost


def test_of_some_nodes_only_their_rows_count() -> None:
    places = np.random.default_rng(3).random((3 * NODES, 2))
    nodes = np.arange(1, 3 * NODES, 3)
    found = Tree(plane(places), nodes=nodes.tolist(), root=4, near=Places(places))
    usual = Tree(plane(places), nodes=nodes.tolist(), root=4, near="all")
    assert found.nodes == usual.nodes


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Places([[0.0, 1.0], [2.0, float("nan")]]), "places: they must be finite"),
        (lambda: Places("here"), "places: they must be"),
        (lambda: Groups([[0.5]]), "groups: they must be integers"),
        (lambda: order(mixed, Places([[1, 2]])), "places: there are 1 rows, and none of node 1499"),
        (lambda: order(mixed, "some"), "near: 'some' is none of"),  # type: ignore[arg-type]
    ],
)
def test_what_does_not_fit_is_refused(make: Any, words: str) -> None:
    with pytest.raises(SpecError, match=words):
        make()
