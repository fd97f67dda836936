"""Schedules that need no search."""

import pytest

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.exact.constructions import construct, is_cube
from syncfabric.models.collectives.files import permutation
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.task import Rules, Task
from tests.models.collectives.tasks import STORE, assert_right, task


@pytest.mark.parametrize(
    ("name", "rules", "steps"),
    [
        ("torus-4x4", STORE, 4),
        ("torus-5x5", STORE, 6),
        ("torus-8x8", STORE, 16),
        ("torus-8x8", Rules(), 16),
        ("torus-4x4", Rules(1, "strict", "store-and-forward"), 15),
        ("torus-4x4", Rules(2, "single-use", "store-and-forward"), 8),
        ("torus-4x4x4", STORE, 11),
        ("hypercube-8", STORE, 3),
        ("hypercube-16", STORE, 4),
        ("hypercube-64", STORE, 11),
        ("hypercube-128", STORE, 19),
        ("octagon-8", STORE, 3),
        ("ring-9", STORE, 4),
        ("k-ring-16", STORE, 3),
        ("fat-octagon-16", STORE, 15),
    ],
)
def test_all_to_all_broadcast_meets_its_bound(name: str, rules: Rules, steps: int) -> None:
    asked = task(name, "AAB", rules)
    assert lower_bounds(asked)[0].value == steps
    found = construct(asked, steps)
    assert found is not None
    assert len(found) == steps
    assert_right(asked, found)


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "steps"), [("torus-16x16", 64), ("torus-32x32", 256)])
def test_large_tori(name: str, steps: int) -> None:
    asked = task(name, "AAB", STORE)
    assert_right(asked, construct(asked, steps))


def test_a_tree_needs_its_steps() -> None:
    assert construct(task("torus-4x4", "AAB", STORE), 3) is None


def test_where_no_tree_is_known() -> None:
    assert construct(task("mesh-4x4", "AAB", STORE), 8) is None
    assert construct(task("star-8", "AAB", STORE), 49) is None
    assert construct(task("torus-4x4", "OAB", STORE), 9) is None
    assert construct(task("moore-petersen", "AAB", STORE), 3) is None


@pytest.mark.parametrize("nodes", [4, 8, 32, 64])
@pytest.mark.parametrize(("ports", "steps"), [("all", 2), (2, 2), (1, 1)])
def test_scatters_on_hypercubes(nodes: int, ports: int, steps: int) -> None:
    asked = task(f"hypercube-{nodes}", "AAS", Rules(ports))
    best = nodes // 2 if steps == 2 else nodes - 1
    assert lower_bounds(asked)[0].value == best
    found = construct(asked, best)
    assert found is not None
    assert len(found) == best
    assert_right(asked, found)


def test_part_of_a_scatter_on_a_hypercube() -> None:
    cube = named("hypercube-16")
    some = Task(cube, collective("MNS", cube, [0, 3, 5], [1, 2, 3]))
    assert_right(some, construct(some, 8))
    shuffled = permutation("shuffle", 16)
    moved = Task(cube, collective("permutation", cube, targets=shuffled))
    assert_right(moved, construct(moved, 8))


@pytest.mark.parametrize("name", ["torus-4x4", "ring-4", "k-ring-16", "octagon-8", "mesh-2x4"])
def test_what_is_no_hypercube(name: str) -> None:
    # A torus of four by four is a hypercube with other numbers.
    assert not is_cube(named(name))


def test_scatters_by_other_rules_are_left_alone() -> None:
    assert construct(task("hypercube-8", "AAS", STORE), 99) is None
