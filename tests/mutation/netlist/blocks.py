# amaranth: UnusedElaboratable=no
"""All blocks that are mutated, by name."""

import dataclasses
import random
from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType
from typing import Any

from amaranth import Module
from amaranth.lib import wiring

from syncfabric.models.golden.router import Dimension
from syncfabric.models.layout.engine import EngineLayout
from syncfabric.models.layout.slots import SlotLayout
from syncfabric.models.networks.grid import Grid
from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.engine.engine import Engine
from syncfabric.rtl.engine.node_port import NodePort
from syncfabric.rtl.lifecycle.manager import Manager
from syncfabric.rtl.slots.plane import SlotPlane
from syncfabric.rtl.static.agents import RingAgent, TreeAgent
from syncfabric.rtl.static.switch import StaticSwitch
from syncfabric.rtl.transport.config_chain import ConfigNode
from tests.formal import routers
from tests.formal.properties import Properties
from tests.formal.static_switch import FLIT, StaticProof
from tests.models.golden.router_stimuli import RouterBuild
from tests.models.golden.sink_stimuli import SinkBuild
from tests.mutation.netlist.around import Around
from tests.mutation.netlist.benches import Play, plays_of
from tests.mutation.netlist.block import Block
from tests.mutation.netlist.plays import NAMES, among, lockstep
from tests.mutation.netlist.stream_blocks import STREAM_BLOCKS
from tests.rtl.engine import bench_engine
from tests.rtl.engine.lockstep import build
from tests.rtl.guard.lockstep import ReceiverLockstep, SenderLockstep
from tests.rtl.lifecycle.test_manager import ManagerLockstep
from tests.rtl.lifecycle.test_set_up_port import SetUp, SinkLockstep
from tests.rtl.planes.lockstep import ChainLockstep, PortLockstep
from tests.rtl.router.lockstep import RouterCase, RouterLockstep
from tests.rtl.slots.test_plane import WATCHDOG, SlotLockstep
from tests.rtl.static import bench_agents, bench_switch

STATIC = StaticSpec(
    kind="static",
    width=2,
    height=2,
    flit_bits=FLIT,
    switch_buffer=2,
    core_buffer=2,
    injection_buffer=2,
)
ENGINE = build(2, 4, 1, "bitwise", 1, watchdog=7)
MESH = Grid((4, 4), pairs=True)
PAIRS = Dimension(MESH, (1, 1), 5).pairs
ANY_ROUTER = RouterCase(
    RouterBuild(5, 1, 2, 16, "dimension", False, PAIRS, grid=MESH, place=(1, 1))
)
PORT = EngineLayout(4, True, 4, 2, "bitwise")
WIRES = SlotLayout(EngineLayout(2, True, 2, 1, "bitwise"), 2, True)
SINK = SinkBuild(EngineLayout(2, False, 4, 0, "none"), 2, 1, 2, 9, 5)


def _benches(
    module: ModuleType, name: str, spec: Any, names: int = NAMES
) -> Callable[[], list[Play]]:
    return lambda: [
        play for number in range(names) for play in plays_of(module, f"{name}_{number}", spec)
    ]


def _agents(case: str) -> Callable[[], list[Play]]:
    return lambda: list(plays_of(bench_agents, case))


class _Router(routers.FlitProof):
    """A router among senders and receivers, with nothing claimed."""

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self._place(m, Properties(m))
        return m


def _router(router: routers.Router, part: wiring.Component) -> wiring.Component:
    return _Router(dataclasses.replace(router, component=part), 1, 2)


def _flits(names: Mapping[str, str] | list[str]) -> dict[str, str]:
    return {f"{name}_out__flit": f"|plain_{name}_out__valid" for name in names}


_MESSAGES = {f"{name}__message": f"plain_{name}__valid" for name in ("out_0", "out_1", "release")}

BLOCKS = (
    Block(
        "static switch",
        "rtl/static/switch.py",
        lambda: StaticSwitch(STATIC),
        _benches(bench_switch, "mutants", STATIC),
        lambda part: StaticProof(2, 2, 2, part),
        _flits(["east", "north", "west", "south", "core"]),
        NAMES,
    ),
    Block(
        "engine",
        "rtl/engine/engine.py",
        lambda: Engine(ENGINE.layout, **ENGINE.options),
        _benches(bench_engine, "mutants", ENGINE),
        Around,
        {**_MESSAGES, "freed_entry": "plain_freed_valid"},
        NAMES,
    ),
    Block(
        "router of any ports",
        "rtl/router/router.py",
        lambda: ANY_ROUTER.part,
        lockstep(lambda rng: RouterLockstep(ANY_ROUTER, rng)),
        partial(_router, routers.xy(1, 2)),
        {f"out_{p}__flit": f"|plain_out_{p}__valid" for p in range(5)},
        NAMES,
    ),
    Block(
        "node port",
        "rtl/engine/node_port.py",
        lambda: NodePort(PORT, 3),
        lockstep(lambda rng: PortLockstep(PORT, 3, rng)),
        Around,
        {"send__message": "plain_send__valid"},
        NAMES,
    ),
    Block(
        "config node",
        "rtl/transport/config_chain.py",
        lambda: ConfigNode((0, 1)),
        lockstep(lambda rng: ChainLockstep(3, (0, 1), rng)),
        partial(Around, fixed={"index": 3}),
        {"next__request": "plain_next__request_valid"},
        NAMES,
    ),
    Block(
        "slots of barrier wires",
        "rtl/slots/plane.py",
        lambda: SlotPlane(WIRES, WATCHDOG, reports=True),
        among(lambda rng: SlotLockstep(WIRES, rng, managed=True)),
        Around,
        {f"release_{s}__message": f"plain_release_{s}__valid" for s in range(2)},
        NAMES,
    ),
    Block(
        "manager",
        "rtl/lifecycle/manager.py",
        lambda: Manager(ManagerLockstep(1, random.Random(1), 2).shape),
        among(lambda rng: ManagerLockstep(1, rng, 2)),
        partial(Around, fixed={"enable": 1, "index": 1}),
        {
            "request_flit": "plain_request_valid",
            "config__rdata": "plain_config__ready",
            "config__error": "plain_config__ready",
        },
        NAMES,
    ),
    Block(
        "set-up sink and its port",
        "rtl/lifecycle/sink.py, set_up_port.py, access.py",
        lambda: SetUp(SINK),
        among(lambda rng: SinkLockstep(SINK, rng)),
        partial(Around, fixed={"number": SINK.router}),
        {"router_in__flit": "|plain_router_in__valid"},
        NAMES,
    ),
    *(
        Block(
            f"guard of a link's {name}",
            "rtl/guard/ends.py",
            lambda kind=kind: kind(random.Random(1), 1).part,  # type: ignore[misc]
            among(lambda rng, kind=kind: kind(rng, 1)),  # type: ignore[misc]
            Around,
            guards,
            NAMES,
        )
        for name, kind, guards in (
            ("sender", SenderLockstep, {}),
            (
                "receiver",
                ReceiverLockstep,
                {"inside__flit": "|plain_inside__valid || plain_inside__sync_valid"},
            ),
        )
    ),
    Block(
        "ring agent",
        "rtl/static/agents.py",
        lambda: RingAgent(2),
        _agents("ring_2"),
        Around,
        mutants=150,
    ),
    Block("tree agent", "rtl/static/agents.py", TreeAgent, _agents("tree_16"), Around, mutants=150),
    *STREAM_BLOCKS,
)
