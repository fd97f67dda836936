"""All-to-all scatter on tori at the bound."""

import pytest

from syncfabric.models.collectives.bounds import lower_bounds
from syncfabric.models.collectives.exact.tori import Torus, scatter_on_torus
from syncfabric.models.collectives.search import search
from tests.models.collectives.tasks import ONE, STORE, assert_right, task


def meets_its_bound(name: str) -> None:
    asked = task(name, "AAS")
    steps = scatter_on_torus(asked, 1, lambda: 100)
    assert_right(asked, steps, lower_bounds(asked)[0].value)


@pytest.mark.parametrize(
    "name", ["torus-3x3", "torus-4x4", "torus-5x5", "torus-6x6", "torus-3x3x3", "torus-4x4x4"]
)
def test_the_bound_is_met(name: str) -> None:
    meets_its_bound(name)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["torus-7x7", "torus-8x8", "torus-10x10", "torus-16x16"])
def test_the_bound_is_met_on_large_ones(name: str) -> None:
    meets_its_bound(name)


@pytest.mark.parametrize(
    ("name", "side", "dimensions"),
    [
        ("torus-4x4", 4, 2),
        ("torus-3x3x3", 3, 3),
        ("torus-5x5", 5, 2),
        ("ring-8", 0, 0),
        ("torus-4x5", 0, 0),
        ("hypercube-8", 0, 0),
        ("mesh-4x4", 0, 0),
        ("octagon-8x8", 0, 0),
        ("fat-octagon-16", 0, 0),
    ],
)
def test_what_is_a_torus_with_equal_sides(name: str, side: int, dimensions: int) -> None:
    torus = Torus.of(task(name, "AAS"))
    if not side:
        assert torus is None
    else:
        assert torus is not None
        assert (torus.side, torus.dimensions) == (side, dimensions)
        assert sorted(torus.node.values()) == list(range(side**dimensions))


def test_what_is_left_to_others() -> None:
    for asked in (
        task("torus-4x4", "AAS", ONE),
        task("torus-4x4", "AAS", STORE),
        task("torus-4x4", "OAS"),
        task("torus-20x20", "AAS"),
    ):
        assert scatter_on_torus(asked, 1, lambda: 100) is None


def test_it_stops_when_there_is_no_time() -> None:
    assert scatter_on_torus(task("torus-4x4", "AAS"), 1, lambda: 0) is None


def test_the_search_finds_it() -> None:
    result = search(task("torus-5x5", "AAS"), seed=2)
    assert (result.steps, result.optimal, result.method) == (15, True, "torus")
    assert result.schedule == search(task("torus-5x5", "AAS"), seed=2).schedule
