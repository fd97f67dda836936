"""Packing against all ways that there are."""

import itertools
import random

from syncfabric.models.planning.wires_pack import Packed, pack


def best(options: list[list[frozenset[int]]], slots: int) -> tuple[int, int]:
    """Return the most groups that fit and the fewest slots they take, by trying everything."""
    found = (0, 0)
    choices = [[None, *itertools.product(range(slots), trees)] for trees in options]
    for way in itertools.product(*choices):
        placed = [place for place in way if place is not None]
        units = [(slot, unit) for slot, tree in placed for unit in tree]
        if len(set(units)) == len(units):
            found = max(found, (len(placed), -len({slot for slot, _ in placed})))
    return found


def test_random_groups() -> None:
    rng = random.Random(5)
    for _ in range(40):
        units, slots = range(rng.randint(2, 6)), rng.randint(1, 2)
        options = [
            [frozenset(rng.sample(units, rng.randint(1, 2))) for _ in range(rng.randint(1, 2))]
            for _ in range(rng.randint(1, 5))
        ]
        packed = pack(options, slots)
        placed = [place for place in packed if place is not None]
        for place, trees in zip(packed, options, strict=True):
            assert place is None or place.units in trees
        taken = [(place.slot, unit) for place in placed for unit in place.units]
        assert len(set(taken)) == len(taken)
        assert (len(placed), -len({place.slot for place in placed})) == best(options, slots)


def test_one_tree_makes_way_for_another() -> None:
    long_, short = frozenset({1, 2, 3}), frozenset({1, 4})
    assert pack([[long_, short], [frozenset({2, 3})]], 1) == [
        Packed(0, short),
        Packed(0, frozenset({2, 3})),
    ]


def test_no_groups() -> None:
    assert pack([], 3) == []
