"""The selector against a list."""

import random
from typing import Any

import pytest
from amaranth.sim import Simulator

from syncfabric.rtl.parts.selector import Selector
from tests.rtl.support import SEED


@pytest.mark.parametrize("count", range(1, 7))
def test_the_word_selected_or_0(count: int) -> None:
    rng, part = random.Random(f"{SEED}/{count}"), Selector(count, 9)

    async def look(context: Any) -> None:
        for _ in range(20):
            words = [rng.getrandbits(9) for _ in range(count)]
            for i, word in enumerate(words):
                context.set(getattr(part, f"word_{i}"), word)
            for chosen in range(count):
                context.set(part.select, 1 << chosen)
                assert context.get(part.word) == words[chosen], (chosen, words)
            context.set(part.select, 0)
            assert context.get(part.word) == 0, words

    simulator = Simulator(part)
    simulator.add_testbench(look)
    simulator.run()
