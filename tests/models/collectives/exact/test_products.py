"""Scatters on products of graphs: right, and at the bound where the factors are."""

import pytest

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.exact.products import factors, scatter_on_product
from syncfabric.models.collectives.library import named
from syncfabric.models.collectives.task import Rules
from tests.models.collectives.tasks import STORE, assert_right, task


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
def test_it_meets_the_bound(name: str, rules: Rules, steps: int) -> None:
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


def test_tasks_of_others() -> None:
    for name, kind, rules in (
        ("ring-8", "AAS", Rules()),
        ("mesh-4x4", "AAB", Rules()),
        ("mesh-4x4", "AAS", STORE),
        ("fat-tree-2x2", "AAS", Rules()),
        ("moore-petersen", "AAS", Rules()),
    ):
        assert scatter_on_product(task(name, kind, rules), 1) is None
