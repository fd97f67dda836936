from __future__ import annotations

import random

import numpy as np

from syncfabric.models.broadcast.pairs import Pairs


def test_as_a_dictionary() -> None:
    draw, table, known = random.Random(1), Pairs(), dict[tuple[int, int], float]()
    asked = [(a, b) for a in range(30) for b in range(30)]
    for number in range(3_000):
        one, other = draw.randrange(30), draw.randrange(30)
        if draw.random() < 0.05:
            table.drop(one)
            known = {pair: value for pair, value in known.items() if one not in pair}
        else:
            table.put(one, other, number)
            known[one, other] = number
        assert len(table) == len(known)
        if number % 100 == 0:
            found = table.find(*np.array(asked).T)
            right = [known.get(pair, np.nan) for pair in asked]
            np.testing.assert_array_equal(found, right)


def test_a_pair_has_an_order() -> None:
    table = Pairs()
    table.put(2, 1, 7.0)
    found = table.find(np.array([2, 1]), np.array([1, 2]))
    np.testing.assert_array_equal(found, [7, np.nan])
