"""The selector against a list."""

import random

import pytest

from syncfabric.rtl.parts.selector import Selector
from tests.rtl.support import SEED, evaluate


@pytest.mark.parametrize("count", range(1, 7))
def test_the_word_selected_or_0(count: int) -> None:
    rng, cases = random.Random(f"{SEED}/{count}"), list[dict[str, int]]()
    for _ in range(20):
        words = {f"word_{i}": rng.getrandbits(9) for i in range(count)}
        cases += [{**words, "select": chosen} for chosen in (0, *(1 << i for i in range(count)))]
    for case, seen in zip(cases, evaluate(Selector(count, 9), cases), strict=True):
        assert seen["word"] == case.get(f"word_{case['select'].bit_length() - 1}", 0), case
