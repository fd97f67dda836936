# amaranth: UnusedElaboratable=no
"""Nodes of all kinds of parameters: the key table refuses, or the node is built."""

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Fragment

from syncfabric.models.layout.shape import NodeShape
from syncfabric.models.networks.kinds import MeshNodeShape
from syncfabric.rtl.planes.node import Node
from tests.nightly import nightly_but
from tests.rtl.planes.draws import drawn, headers, key_range

SEED, MOST = 4, 200

SHAPES = [shape for shape, _ in drawn(SEED, MOST) if shape]
"""Two hundred nodes, of which the first run in lock-step by default, and some more are built."""


@pytest.mark.parametrize("first", nightly_but([5], range(0, 20, 5)))
def test_twenty_combinations(first: int) -> None:
    for shape in SHAPES[first : first + 5]:
        Fragment.get(Node(shape, headers(shape)), None).prepare()


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(0, MOST, 20))
def test_two_hundred_combinations(first: int) -> None:
    """Each becomes RTL, with all that is checked on the way."""
    for shape in SHAPES[first : first + 20]:
        rtlil.convert(Node(shape, headers(shape)))


def test_all_keys_reach_both_ends_of_their_ranges() -> None:
    """Of the nodes that are built; and far more draws are refused, by the table alone."""
    for kind in (NodeShape, MeshNodeShape):
        shapes = [shape for shape in SHAPES if type(shape) is kind]
        for key in kind.model_fields:
            seen = {getattr(shape, key) for shape in shapes}
            values = key_range(kind, key)
            ends = {values[0], values[-1]} if isinstance(values, range) else set(values)
            # Only a mesh routes messages.
            ends -= {"routed"} if kind is NodeShape else set()
            assert seen >= ends, (kind, key, seen)
    assert sum(shape is None for shape, _ in drawn(SEED, MOST)) > 2 * MOST
