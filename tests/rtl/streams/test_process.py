# amaranth: UnusedElaboratable=no
"""A process's ports of streams against their golden model, in every cycle."""

import random

import pytest

from syncfabric.models.layout.streams import StreamLayout
from syncfabric.rtl.streams.process import StreamPort
from tests.rtl.planes.lockstep import together
from tests.rtl.streams.port_lockstep import ProcessLockstep
from tests.rtl.support import SEED

CYCLES = 4000
SHAPES = {
    "one": StreamLayout(1, 32, ("add",), "tree", 5, True),
    "two": StreamLayout(2, 64, ("add",), "tree", 5, True),
    "four": StreamLayout(4, 32, ("add",), "tree", 3, True, 1),
    "shared": StreamLayout(2, 32, ("add",), "serial", 3, False, shared=True),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_process_port_does_what_its_model_does(shape: str) -> None:
    layout = SHAPES[shape]
    lockstep = ProcessLockstep(layout, random.Random(f"{SEED} {shape}"))
    together(StreamPort(layout), lockstep, SEED, CYCLES)
    wanted = ("accepted", "stalled", "beats", "ended")
    assert all(lockstep.seen[name] for name in wanted), lockstep.seen
