# amaranth: UnusedElaboratable=no
"""Blocks of the stream plane that are mutated."""

from collections.abc import Callable

from amaranth.lib import wiring

from syncfabric.models.layout.streams import StreamLayout
from syncfabric.rtl.streams.plane import StreamPlane
from syncfabric.rtl.streams.process import StreamPort
from tests.mutation.netlist.around import Around
from tests.mutation.netlist.block import Block
from tests.mutation.netlist.plays import NAMES, among
from tests.rtl.streams.guard_lockstep import GuardedPair, GuardLockstep
from tests.rtl.streams.layouts import layout_of
from tests.rtl.streams.lockstep import StreamLockstep
from tests.rtl.streams.port_lockstep import ProcessLockstep

PLANE = StreamLayout(2, 32, ("add",), "tree", 3, True)
PORT = StreamLayout(2, 32, ("add",), "tree", 3, True)
GUARDED = layout_of(2, check_bits=1, registers=1)


def _block(
    name: str,
    file: str,
    part: Callable[[], wiring.Component],
    model: Callable[..., object],
    layout: StreamLayout,
    guards: dict[str, str],
) -> Block:
    plays = among(lambda rng: model(layout, rng))
    return Block(name, file, part, plays, Around, guards, NAMES)


STREAM_BLOCKS = (
    _block(
        "streams of a router",
        "rtl/streams/plane.py",
        lambda: StreamPlane(PLANE),
        StreamLockstep,
        PLANE,
        {f"out_{p}__word": f"|plain_out_{p}__valid" for p in range(PLANE.ports)},
    ),
    _block(
        "a process's port of streams",
        "rtl/streams/process.py",
        lambda: StreamPort(PORT),
        ProcessLockstep,
        PORT,
        {"send__word": "|plain_send__valid"}
        | {f"m_axis__t{n}": "plain_m_axis__tvalid" for n in ("data", "keep", "last", "id", "user")},
    ),
    _block(
        "guards of a link of streams",
        "rtl/streams/guard.py",
        lambda: GuardedPair(GUARDED),
        GuardLockstep,
        GUARDED,
        {"far__word": "|plain_far__valid"},
    ),
)
