"""Matrices of costs, as Python gives them to a tree."""

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncfabric.models.broadcast.tree import Tree
from syncfabric.models.errors import SyncfabricError
from tests.fuzz.campaign import fuzzed
from tests.fuzz.holds import BYTES, SECONDS, within
from tests.fuzz.mutation import NUMBERS, TEXTS, mutated

HOPS = [[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0]]
ODD: list[Any] = [None, [], [[]], {}, "", b"", 1, np.zeros((2, 3)), np.full((2, 2), "x"), [HOPS]]


@pytest.fixture(autouse=True, scope="module")
def _compiled() -> None:
    """Compile what trees call, which takes a while the first time."""
    tree = Tree(HOPS)
    tree.update_cost(0, 1, 9.0)
    tree.update_cost(0, 1, 1.0)


@fuzzed(2)
@given(st.one_of(mutated(HOPS), st.sampled_from(ODD)))
def test_a_matrix(matrix: Any) -> None:
    with within(SECONDS, BYTES), suppress(SyncfabricError):
        Tree(matrix).paths()


@fuzzed()
@given(
    st.sampled_from([0, 1, 3, 4, -1, 2**70, None, "x", 0.5]),
    st.sampled_from([0, 2, 4, -1, 2**70, None, "x", 0.5]),
    st.sampled_from([*NUMBERS, *TEXTS[:5], None]),
)
def test_a_new_cost(one: Any, other: Any, cost: Any) -> None:
    with within(SECONDS, BYTES), suppress(SyncfabricError):
        Tree(HOPS).update_cost(one, other, cost)
