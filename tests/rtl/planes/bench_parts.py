"""Routers, nodes and their parts against golden models: every output in every cycle."""

import json
import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cocotb
from amaranth.lib import wiring

from syncfabric.models.golden.router import Adaptive, Dimension
from syncfabric.models.layout.engine import EngineLayout
from syncfabric.models.layout.streams import StreamLayout
from syncfabric.models.networks.grid import Grid
from syncfabric.rtl.engine.node_port import NodePort
from syncfabric.rtl.engine.ports import MessageSignature
from syncfabric.rtl.router.link import FlitSignature
from syncfabric.rtl.streams.plane import StreamPlane
from syncfabric.rtl.streams.process import StreamPort
from syncfabric.rtl.transport.config_chain import ConfigNode
from syncfabric.rtl.transport.link import LinkRegisters
from tests.models.golden.router_stimuli import RouterBuild
from tests.rtl.engine.lockstep import differences
from tests.rtl.planes.lockstep import ChainLockstep, Lockstep, PortLockstep, RegistersLockstep
from tests.rtl.router.lockstep import RouterCase, RouterLockstep
from tests.rtl.streams.lockstep import StreamLockstep
from tests.rtl.streams.port_lockstep import ProcessLockstep
from tests.rtl.support import Bench, Scoreboard

CYCLES, RESETS = 900, (300, 301, 600)


@dataclass(frozen=True)
class Case:
    """A part, and what it is compared with; ``wanted`` is what must happen."""

    part: Callable[[], wiring.Component]
    lockstep: Callable[[random.Random], Lockstep]
    wanted: frozenset[str]


def _port(registers: int, groups: int, bits: int = 0) -> Case:
    layout = EngineLayout(4, True, groups, bits, "bitwise" if bits else "none")
    return Case(
        lambda: NodePort(layout, registers),
        lambda rng: PortLockstep(layout, registers, rng),
        frozenset({"granted", "GO", "PLAIN", "LAST", "BROKEN", "offered"}),
    )


def _chain(number: int, targets: tuple[int, ...]) -> Case:
    return Case(
        lambda: ConfigNode(targets),
        lambda rng: ChainLockstep(number, targets, rng),
        frozenset({"passed", "error", "asked"}),
    )


def _registers(signature: wiring.Signature, registers: int) -> Case:
    return Case(
        lambda: LinkRegisters(signature, registers),
        lambda rng: RegistersLockstep(signature, registers, rng),
        frozenset({"delayed"}),
    )


def _streams(layout: StreamLayout) -> Case:
    return Case(
        lambda: StreamPlane(layout),
        lambda rng: StreamLockstep(layout, rng),
        frozenset({"words", "copies", "results"}),
    )


def _stream_port(layout: StreamLayout) -> Case:
    return Case(
        lambda: StreamPort(layout),
        lambda rng: ProcessLockstep(layout, rng),
        frozenset({"accepted", "stalled", "beats", "ended"}),
    )


MESH = Grid((4, 2), pairs=True)
TORUS = Grid((4, 5), wraps=True)
LINES = frozenset({0, 1, 3, 4})
CUBE = Grid((2, 2, 2))
BY_GRID = {"dimension": Dimension, "adaptive": Adaptive}


def _router(
    kind: str,
    ports: int = 5,
    channels: int = 1,
    places: int = 4,
    flit_bits: int = 16,
    *,
    register: bool = False,
    message_bits: int = 0,
    cut: bool = False,
    streams: int = 0,
    routers: int = 16,
    datelines: frozenset[int] = frozenset(),
    grid: Grid = MESH,
    own: bool = True,
    ordinary: int = 0,
) -> Case:
    others = {i: [o for o in range(ports) if o != i] for i in range(ports)}
    # An input that goes straight on, and one that goes back.
    few = {**others, 0: others[0][:1], ports - 1: list(range(ports))}
    build = RouterBuild(
        ports,
        channels,
        places,
        flit_bits,
        kind,
        register,
        BY_GRID[kind](grid, (), ports, own=own).pairs if kind in BY_GRID else few,
        grid=grid,
        place=tuple(side // 2 for side in grid.sides),
        own=own,
        number=routers // 2,
        routes=tuple(7 * r % ports for r in range(routers)) if kind == "table" else (),
        datelines=datelines,
        ordinary=ordinary,
    )
    case = RouterCase(build, message_bits, cut, streams)
    wanted = {"head", "tail", "dropped"} | ({"message"} if message_bits else set())
    wanted |= {"late"} if streams else set()
    wanted |= {"adapted", "escaped"} if kind == "adaptive" else set()
    return Case(lambda: case.part, lambda rng: RouterLockstep(case, rng), frozenset(wanted))


CASES = {
    "xy": _router("dimension"),
    "xy_shared": _router("dimension", channels=2, message_bits=11),
    "xy_wide": _router("dimension", register=True, message_bits=40, cut=True),
    "torus": _router("dimension", 5, 2, grid=TORUS, datelines=frozenset({0, 3})),
    "torus_set_up": _router(
        "dimension", 8, 3, grid=Grid((3, 5, 8), True), own=False, ordinary=2, datelines=LINES
    ),
    "cube": _router("dimension", 5, 2, grid=CUBE),
    "table_2_datelines": _router("table", 2, 4, 1, routers=3, datelines=frozenset({1})),
    "table_16": _router("table", 16, 1, 2),
    "table_6_shared": _router("table", 6, 3, 16, 32, register=True, message_bits=40),
    "source_3": _router("source", 3, 2, 3, 128),
    "source_9": _router("source", 9, 1, 1, register=True),
    "source_4_shared": _router("source", 4, 4, 4, message_bits=18, cut=True),
    "streamed_xy": _router("dimension", places=2, message_bits=36, streams=1),
    "streamed_table": _router("table", 3, 2, register=True, message_bits=68, streams=4),
    "torus_4": _router("dimension", 5, 4, message_bits=11, grid=TORUS, datelines=LINES),
    "adaptive": _router("adaptive", channels=2, grid=Grid((4, 3))),
    "adaptive_torus": _router("adaptive", 5, 4, 3, grid=TORUS, datelines=frozenset({0, 3})),
    "adaptive_set_up": _router(
        "adaptive", 8, 5, grid=Grid((3, 5, 8), True), own=False, ordinary=4, datelines=LINES
    ),
    "adaptive_cube": _router(
        "adaptive", 4, 3, 1, register=True, message_bits=11, grid=CUBE, cut=True
    ),
    "port_1": _port(1, 1),
    "port_4": _port(4, 16, 3),
    "port_16": _port(16, 256, 32),
    "chain_1": _chain(0, (0,)),
    "chain_2": _chain(700, (0, 2)),
    "chain_3": _chain(3, (0, 1, 2)),
    "streams_1": _streams(StreamLayout(1, 32, ("add",), "tree", 5, True)),
    "streams_2": _streams(StreamLayout(2, 32, ("add",), "tree", 3, True, 1)),
    "streams_4": _streams(StreamLayout(4, 64, ("add",), "serial", 3, False)),
    "streams_shared": _streams(StreamLayout(2, 32, ("add",), "tree", 5, True, shared=True)),
    "stream_port_1": _stream_port(StreamLayout(1, 32, ("add",), "tree", 5, True)),
    "stream_port_4": _stream_port(StreamLayout(4, 64, ("add",), "tree", 3, True, 1)),
    "registers_1": _registers(FlitSignature(4, 16, message_bits=40, cut=True), 1),
    "registers_3": _registers(MessageSignature(EngineLayout(4, True, 16, 4, "all")), 3),
}


@cocotb.test()
async def all_parts_agree_with_golden_models(dut: Any) -> None:
    """All at once, with resets amid whatever is under way."""
    bench, there = Bench(dut), json.loads(os.environ["RACK_PORTS"])
    cases = {name: case for name, case in CASES.items() if name in there}
    rng = Scoreboard("resets").rng
    locksteps = {name: case.lockstep(Scoreboard(name).rng) for name, case in cases.items()}
    await bench.reset(shaken=20)
    for cycle in range(CYCLES):
        if cycle in RESETS:
            await bench.reset_amid(rng)
            for lockstep in locksteps.values():
                lockstep.reset()
        stimuli = {}
        for name, lockstep in locksteps.items():
            stimuli[name] = lockstep.step()
            bench.pins[name].drive(stimuli[name][0])
        await bench.settle()
        for name, (driven, expected) in stimuli.items():
            wrong = differences(expected, bench.pins[name].read(expected))
            assert not wrong, f"{name}: cycle {cycle}: {wrong}; stimulus {driven}"
        await bench.edge()
    for name, lockstep in locksteps.items():
        seen = +lockstep.seen
        dut._log.info("%s: %s", name, dict(seen))
        assert seen.keys() >= cases[name].wanted, (name, cases[name].wanted - seen.keys())
