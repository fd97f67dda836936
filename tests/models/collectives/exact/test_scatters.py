"""Scatters that are known: right, and at the bound, on products where it is the factors'."""

import pytest

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.collective import collective
from syncfabric.models.collectives.exact.constructions import construct
from syncfabric.models.collectives.exact.scatters import factors, is_cube, scatter_on_product
from syncfabric.models.collectives.files import permutation
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.task import Rules, Task
from tests.models.collectives.tasks import STORE, assert_right, task


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


@pytest.mark.parametrize(
    ("family", "sizes", "part"),
    [("ring", (4, 8, 12, 20, 64), 8), ("octagon", (8, 12, 16, 20, 64), 16)],
)
def test_scatters_meet_their_bound(family: str, sizes: tuple[int, ...], part: int) -> None:
    for nodes in sizes:
        asked = task(f"{family}-{nodes}", "AAS", Rules())
        best = nodes * nodes // part
        assert lower_bounds(asked)[0].value == best
        assert_right(asked, construct(asked, best), best)


def test_other_scatters() -> None:
    for name in ("ring-16", "octagon-16"):
        graph = named(name)
        some = Task(graph, collective("MNS", graph, [0, 3, 5], [1, 2, 3, 8]))
        assert_right(some, construct(some, 32))
    assert construct(task("ring-10", "AAS", Rules()), 99) is None
    assert construct(task("ring-8", "AAS", Rules(1)), 99) is None
    assert construct(task("ring-8", "AAS", STORE), 99) is None


@pytest.mark.parametrize(
    ("name", "rules", "steps"),
    [
        ("mesh-4x4", Rules(1), 16),
        ("mesh-4x8", Rules(), 64),
        ("mesh-8x8", Rules(), 128),
        ("mesh-4x4x4", Rules(), 64),
        ("torus-4x8", Rules(), 32),
        ("torus-8x8", Rules(), 64),
    ],
)
def test_products_meet_the_bound(name: str, rules: Rules, steps: int) -> None:
    asked = task(name, "AAS", rules)
    assert lower_bounds(asked)[0].value == steps
    assert_right(asked, scatter_on_product(asked, 1), steps)


def test_factors_that_do_not_fill_their_steps() -> None:
    asked = task("mesh-2x3", "AAS", Rules(1))
    assert_right(asked, scatter_on_product(asked, 1), 6)
    assert_right(task("octagon-8x8", "AAS"), scatter_on_product(task("octagon-8x8", "AAS"), 1))


@pytest.mark.nightly
@pytest.mark.parametrize(("name", "steps"), [("mesh-16x16", 1024), ("torus-16x16", 512)])
def test_large_products(name: str, steps: int) -> None:
    asked = task(name, "AAS")
    assert_right(asked, scatter_on_product(asked, 1), steps)


@pytest.mark.parametrize(
    ("name", "sides"),
    [
        ("mesh-4x6x5", [4, 6, 5]),
        ("hypercube-16", [2, 2, 2, 2]),
        ("octagon-8x8", [8, 8]),
        ("ring-12", [12]),
        ("moore-petersen", [10]),
    ],
)
def test_the_factors_of_a_network(name: str, sides: list[int]) -> None:
    assert [factor.nodes for factor in factors(named(name))] == sides


def test_what_is_no_product() -> None:
    for name, kind, rules in (
        ("ring-8", "AAS", Rules()),
        ("mesh-4x4", "AAB", Rules()),
        ("mesh-4x4", "AAS", STORE),
        ("fat-tree-2x2", "AAS", Rules()),
        ("moore-petersen", "AAS", Rules()),
    ):
        assert scatter_on_product(task(name, kind, rules), 1) is None
