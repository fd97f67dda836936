"""Short round trips: an order of all places that no small change makes shorter."""

import random
from itertools import permutations

import pytest

from syncfabric.models.networks.mesh import Node, hops
from syncfabric.models.planning.tour import short_tour


def length(places: list[Node], order: list[int]) -> int:
    return sum(
        hops(places[a], places[b]) for a, b in zip(order, [*order[1:], order[0]], strict=True)
    )


def changed(order: list[int], size: int) -> list[list[int]]:
    """Return every order with ``size`` places in a row elsewhere, or turned where they are."""
    found = []
    for first in range(len(order)):
        ring = order[first:] + order[:first]
        piece, rest = ring[:size], ring[size:]
        for cut in range(len(rest) + 1):
            found += [[*rest[:cut], *part, *rest[cut:]] for part in (piece, piece[::-1])]
    return found


def drawn(rng: random.Random, count: int, side: int) -> list[Node]:
    return [(rng.randrange(side), rng.randrange(side)) for _ in range(count)]


@pytest.mark.parametrize("seed", range(40))
def test_no_small_change_makes_it_shorter(seed: int) -> None:
    """2-opt and Or-opt: no part turned round is better, and none of up to three moved."""
    rng = random.Random(seed)
    places = drawn(rng, rng.randint(5, 20), 12)
    order = short_tour(places)
    assert order[0] == 0
    assert sorted(order) == list(range(len(places)))
    mine = length(places, order)
    for size in (1, 2, 3):
        assert min(length(places, other) for other in changed(order, size)) >= mine
    for size in range(2, len(places)):
        turned = (
            ring[:size][::-1] + ring[size:]
            for first in range(len(places))
            if (ring := order[first:] + order[:first])
        )
        assert min(length(places, other) for other in turned) >= mine


def test_it_is_nearly_as_short_as_any() -> None:
    """By all orders of seven places; together less than 2 % longer."""
    rng, mine, least = random.Random(1), 0, 0
    for _ in range(20):
        places = drawn(rng, 7, 10)
        mine += length(places, short_tour(places))
        least += min(length(places, [0, *order]) for order in permutations(range(1, 7)))
    assert least <= mine <= 1.02 * least


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_places(count: int) -> None:
    assert short_tour([(0, 0), (5, 5), (0, 1)][:count]) == [[0], [0, 1], [0, 2, 1]][count - 1]


def test_places_in_one_spot() -> None:
    assert sorted(short_tour([(1, 1)] * 6)) == list(range(6))
