# amaranth: UnusedElaboratable=no
"""The streams of a router against their golden model, in every cycle, with whatever may come."""

import random

import pytest

from syncfabric.models.layout.streams import StreamLayout
from syncfabric.rtl.streams.plane import StreamPlane
from tests.rtl.planes.lockstep import together
from tests.rtl.streams.lockstep import StreamLockstep
from tests.rtl.support import SEED

CYCLES = 4000
SHAPES = {
    "mesh": StreamLayout(1, 32, ("add",), "tree", 5, True),
    "two": StreamLayout(2, 32, ("add",), "tree", 5, True),
    "four_serial": StreamLayout(4, 32, ("add",), "serial", 3, False, 1),
    "four_wide": StreamLayout(4, 64, ("add",), "tree", 4, False, 2),
    "serial": StreamLayout(1, 32, ("add",), "serial", 5, True),
    "pair": StreamLayout(2, 32, ("add",), "tree", 2, True, 3),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_streams_do_what_their_model_does(shape: str) -> None:
    layout = SHAPES[shape]
    lockstep = StreamLockstep(layout, random.Random(f"{SEED} {shape}"))
    together(StreamPlane(layout), lockstep, SEED, CYCLES)
    wanted = ("words", "copies", "results", "failed", "broken")
    assert all(lockstep.seen[name] for name in wanted), lockstep.seen
