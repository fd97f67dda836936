# amaranth: UnusedElaboratable=no
"""The streams of a router against their golden model, in every cycle, with whatever may come."""

import random
from typing import Any

import pytest
from amaranth import Module, Mux, Signal

from syncfabric.models.layout.streams import StreamLayout
from syncfabric.rtl.parts.delay import delayed
from syncfabric.rtl.streams.plane import StreamPlane
from tests.mixed import mixed
from tests.nightly import long_by_night
from tests.rtl.planes.lockstep import together
from tests.rtl.streams.lockstep import StreamLockstep
from tests.rtl.support import SEED

SHAPES = {
    "mesh": StreamLayout(1, 32, ("add",), "tree", 5, True),
    "two": StreamLayout(2, 32, ("add",), "tree", 5, True),
    "four_serial": StreamLayout(4, 32, ("add",), "serial", 3, False, 1),
    "four_wide": StreamLayout(4, 64, ("add",), "tree", 4, False, 2),
    "serial": StreamLayout(1, 32, ("add",), "serial", 5, True),
    "pair": StreamLayout(2, 32, ("add",), "tree", 2, True, 3),
    "own_operator": StreamLayout(2, 64, ("add", "offload"), "tree", 5, True, offload=mixed()),
    "own_operator_serial": StreamLayout(1, 64, ("offload",), "serial", 4, True, offload=mixed()),
    "shared": StreamLayout(1, 32, ("add",), "tree", 5, True, shared=True),
    "shared_two": StreamLayout(2, 64, ("fp32",), "tree", 5, True, 1, shared=True),
    "shared_four": StreamLayout(4, 32, ("add",), "tree", 2, False, shared=True),
    "shared_serial": StreamLayout(2, 32, ("add",), "serial", 4, False, shared=True),
}


def mixed_unit(module: str, *, i_clk: Any, i_valid: Any, i_op: Any, **pins: Any) -> Module:
    """Return what mixed.v is, in place of an instance of it, which Amaranth cannot simulate."""
    m = Module()
    made = Signal(64)
    m.d.comb += made.eq(Mux(i_valid, pins["i_a"] + 3 * pins["i_b"] + i_op, -1))
    m.d.comb += pins["o_y"].eq(delayed(m, made, 3, module)[-1])
    return m


@pytest.fixture(autouse=True)
def _an_own_operator_is_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("syncfabric.rtl.streams.join.Instance", mixed_unit)


@pytest.mark.parametrize(
    ("shape", "cycles"),
    long_by_night(
        ["two", "own_operator_serial", "shared_two", "shared_serial"], SHAPES, 3000, 6000
    ),
)
def test_streams_do_what_their_model_does(shape: str, cycles: int) -> None:
    layout = SHAPES[shape]
    lockstep = StreamLockstep(layout, random.Random(f"{SEED} {shape}"))
    together(StreamPlane(layout), lockstep, SEED, cycles)
    wanted = ["words", "copies", "results", "failed", "broken"] + ["late"] * layout.shared
    assert all(lockstep.seen[name] for name in wanted), lockstep.seen
