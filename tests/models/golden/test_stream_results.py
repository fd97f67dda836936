"""Results of reductions by arrays against the operators, word by word."""

from itertools import product

import numpy as np
import pytest

from syncfabric.models.golden.joins import Operators
from syncfabric.models.golden.stream_results import Order, operand, reduced
from syncfabric.models.layout.streams import Function, Type, built
from tests.models.golden.test_stream_traffic import OPERATIONS, SIZE, layout, words_of


@pytest.mark.parametrize(("function", "kind"), sorted(built(OPERATIONS)))
def test_results_are_those_of_operators(function: Function, kind: Type) -> None:
    bits = 64
    here = layout(bits)
    combine = Operators(here).of(function, kind)
    orders: tuple[Order, ...] = (2, (0, 1), ((0, 1), (2, 3)), (((0, 1), 2), 3))

    def by_words(order: Order, place: int) -> int:
        if isinstance(order, int):
            return given[order][place]
        return combine(by_words(order[0], place), by_words(order[1], place))

    for order, last in product(orders, (0, SIZE[kind])):
        arrays = {i: operand(1000 * i + last, 50, here, kind) for i in range(4)}
        given = {i: words_of(array) for i, array in arrays.items()}
        mask = (1 << 8 * (last or 8)) - 1
        for words in given.values():
            words[-1] &= mask
        wanted = [by_words(order, place) for place in range(50)]
        wanted[-1] &= mask
        assert words_of(reduced(here, function, kind, arrays, order, last)) == wanted
    assert np.unique(arrays[0]).size > 90
