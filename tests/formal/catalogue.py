"""All proofs, by name."""

from functools import partial
from typing import Any

from syncfabric.models.layout.shape import NodeShape
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter, RoundRobinArbiter
from tests.formal.arbiters import ArbiterProof
from tests.formal.clocks import ClockProof
from tests.formal.credits import CounterProof, CreditProof, LevelProof
from tests.formal.engine_entry import EntryProof
from tests.formal.engine_joined import ChainProof, SharesProof
from tests.formal.engine_parts import ChoiceProof, CommandsProof, MemoryProof, VisitsProof
from tests.formal.fences import ReceiverFenceProof, SenderFenceProof
from tests.formal.fifo import CapacityProof, FifoProof, channel, flit_buffer, messages, waiting
from tests.formal.groups import GroupsProof
from tests.formal.guards import GuardProof, OwnLinkProof
from tests.formal.kinds import Proof
from tests.formal.lifecycle_packets import (
    LinkEndProof,
    LocalPortProof,
    ManagerProof,
    SinkPortProof,
)
from tests.formal.lifecycle_sink import AccessProof, SinkProof
from tests.formal.node_ports import NodePortProof
from tests.formal.operators import FloatProof, IntegerProof
from tests.formal.routed import OutputProof, SlotsProof
from tests.formal.routers import FlitProof, PacketProof, source, xy
from tests.formal.slots import WireSlotProof
from tests.formal.static_access import CoreAccessProof
from tests.formal.static_routes import LoaderProof, NodeRoutesProof
from tests.formal.static_switch import StaticProof
from tests.formal.stream_guards import StreamGuardProof
from tests.formal.stream_planes import PlaneProof, ServiceProof
from tests.formal.stream_ports import OperandsProof, ResultsProof
from tests.formal.stream_sharing import SharingProof
from tests.formal.stream_trees import ForkProof, JoinProof
from tests.formal.streams import StreamBufferProof

ENTRIES = {
    "stages 1": ("rule", (1, 4, 4), False),
    "stages 2": ("engine", (2, 2, 2), False),
    "stages 2, shared links": ("sources", (2, 4, 4), True),
    "stages 3, shared links": ("engine", (3, 2, 2), True),
    "stages 4": ("engine", (4, 2, 2), False),
}
"""Blocks; stages, links and groups; whether links are shared."""

ENGINE_PROOFS = (
    *(
        Proof(
            f"engine: an entry, {name}",
            f"rtl/engine/{block}.py",
            partial(EntryProof, *size, shared=shared),
            reset=True,
        )
        for name, (block, size, shared) in ENTRIES.items()
    ),
    *(
        Proof(
            f"engine: choice of 4 sources, {interval} cycles a service",
            "rtl/engine/sources.py",
            partial(ChoiceProof, 4, interval),
        )
        for interval in (1, 2, 3)
    ),
    Proof(
        "engine: an entry, routed messages",
        "rtl/engine/rule.py",
        partial(EntryProof, 2, 2, 2, shared=True, routed=True),
        reset=True,
    ),
    Proof(
        "engine: an entry, all operations",
        "rtl/engine/rule.py",
        partial(EntryProof, 2, 2, 2, shared=False, operations="all", data_bits=4),
        reset=True,
    ),
    Proof(
        "engine: an entry, keys",
        "rtl/engine/rule.py",
        partial(EntryProof, 3, 2, 2, shared=False, key_bits=2),
        reset=True,
    ),
    Proof(
        "fifo: engine's queue, cut to 4", "rtl/engine/sources.py", partial(FifoProof, messages, 5)
    ),
    Proof(
        "fifo: engine's queue in block RAM, cut to 4",
        "rtl/engine/sources.py",
        partial(FifoProof, partial(messages, block=True), 4),
    ),
    Proof("engine: room in a queue, cut to 4", "rtl/engine/sources.py", CapacityProof),
    *(
        Proof(
            f"engine: {name} of entries",
            "rtl/engine/rule.py",
            partial(MemoryProof, block=block),
            any_memory=True,
        )
        for name, block in (("LUT RAM", False), ("block RAM", True))
    ),
    Proof("engine: visits, every 10 cycles", "rtl/engine/sources.py", partial(VisitsProof, 10)),
    Proof("engine: config port", "rtl/engine/commands.py", CommandsProof),
    Proof(
        "node port of 3 registers",
        "rtl/engine/node_port.py",
        partial(NodePortProof, 3),
        any_memory=True,
    ),
    Proof(
        "slots of barrier wires beside an engine", "rtl/slots/slot.py", WireSlotProof, reset=True
    ),
    Proof(
        "slots of barrier wires with streams",
        "rtl/slots/plane.py",
        partial(WireSlotProof, streams=True),
        reset=True,
    ),
    Proof("links that packets and messages share", "rtl/transport/link.py", SharesProof),
    Proof("routed messages: slots", "rtl/transport/routed.py", SlotsProof),
    Proof("routed messages: an output", "rtl/transport/routed.py", OutputProof),
    Proof("config chain of 2 nodes", "rtl/transport/config_chain.py", ChainProof),
    Proof("router: a flit, X-Y", "rtl/router/routing.py", lambda: FlitProof(xy(1, 2), 1, 2)),
    Proof("router: packets, X-Y", "rtl/router/router.py", lambda: PacketProof(xy(1, 2), 1, 2)),
    Proof(
        "router: a flit, source routes, output register",
        "rtl/router/routing.py",
        lambda: FlitProof(source(1, 1, output_register=True), 1, 1),
    ),
    Proof(
        "router: packets, source routes, 2 channels",
        "rtl/router/input_port.py",
        lambda: PacketProof(source(2, 1), 2, 1),
    ),
)


_AT_END = ((0, 0b111), (2, 0b110)), 14
GROUPS_PROOFS = tuple(
    Proof(
        f"groups: {name}",
        "rtl/engine/engine.py",
        partial(GroupsProof, plans, eager),
        cycles=cycles,
        only=only,
    )
    for name, plans, eager, cycles, only in (
        ("a root at the end, from GO on", *_AT_END, 26, ""),
        ("a root at the end, after the last barrier", *_AT_END, 38, "nothing is left"),
        ("a root between two members, from GO on", ((1, 0b101), (1, 0b111)), 14, 26, ""),
        ("a root at the end, from reset on", _AT_END[0], 0, 16, ""),
    )
)
"""Three nodes and two groups: plans, cycles in which they are set up, cycles of runs, claims."""

LIFECYCLE_PROOFS = (
    Proof("set-up: sink", "rtl/lifecycle/sink.py", SinkProof),
    Proof("set-up: an engine's port for two", "rtl/lifecycle/set_up_port.py", AccessProof),
    Proof("set-up: port of a process", "rtl/lifecycle/set_up_port.py", LocalPortProof),
    Proof("set-up: port of a sink", "rtl/lifecycle/set_up_port.py", SinkPortProof),
    Proof("set-up: end of a link", "rtl/planes/interface.py", LinkEndProof),
    Proof("set-up: manager", "rtl/lifecycle/manager.py", ManagerProof, any_memory=True),
)


OPERATOR_PROOFS = (
    Proof("operators: a lane of integers", "rtl/streams/operators.py", IntegerProof),
    *(
        Proof(
            f"operators: a lane of {name}",
            "rtl/streams/floating.py",
            partial(FloatProof, fraction),
        )
        for name, fraction in (("bf16", 7), ("fp32", 23))
    ),
)


ACCESS_PROOFS = (
    Proof(
        "core of a static node, whatever is tried",
        "rtl/static/node.py",
        partial(CoreAccessProof, 1),
    ),
    Proof(
        "core of a static node with a watchdog, whatever is tried",
        "rtl/static/node.py",
        partial(CoreAccessProof, 3, watchdog=5),
    ),
    Proof("loader of routes, whatever is asked", "rtl/static/config.py", LoaderProof),
    Proof("static node, whatever processes send", "rtl/static/node.py", NodeRoutesProof),
)


STREAM_PROOFS = (
    Proof(
        "streams: a buffer, cut to 3", "rtl/streams/buffer.py", StreamBufferProof, any_memory=True
    ),
    Proof("streams: a fork", "rtl/streams/plane.py", ForkProof),
    *(
        Proof(f"streams: {join} join", "rtl/streams/join.py", partial(JoinProof, join))
        for join in ("tree", "serial")
    ),
    *(
        Proof(
            f"streams: credits of a router, channels {channels}",
            "rtl/streams/plane.py",
            partial(PlaneProof, channels),
        )
        for channels in (1, 2)
    ),
    *(
        Proof(
            f"streams: guards of a link{', whatever is harmed' if harm else ''}",
            "rtl/streams/guard.py",
            partial(StreamGuardProof, harm=harm),
        )
        for harm in (True, False)
    ),
    Proof("streams: two channels of a router", "rtl/streams/plane.py", ServiceProof),
    *(
        Proof(
            f"streams: links shared with packets, {join} join",
            "rtl/streams/pauses.py",
            partial(SharingProof, join),
        )
        for join in ("tree", "serial")
    ),
    *(
        Proof(
            f"streams: {what} of a process, channels {channels}",
            "rtl/streams/process.py",
            partial(kind, channels),
        )
        for what, kind in (("operands", OperandsProof), ("results", ResultsProof))
        for channels in (1, 2)
    ),
)

CLOCKED: dict[str, Any] = {
    **{"links": 2, "own": True, "groups": 2, "data_bits": 0, "operations": "none"},
    **{"channels": 1, "buffer_flits": 2, "flit_bits": 16, "registers": 1, "clock_enables": True},
}
"""A small node whose clock may stand."""

CLOCKS: dict[str, dict[str, Any]] = {
    "a node": {"data_bits": 1, "operations": "bitwise"},
    "shared links, a register before each": {"message_links": "shared", "output_register": True},
    "routed messages": {"transport": "routed", "routing": "dimension", "sides": (2, 2)},
    "a router of three links": {"links": 3, "own": False, "registers": 0, "engine_stages": 2},
}

PROOFS = (
    *(
        Proof(
            f"fifo: channel of {n} places",
            "rtl/router/input_port.py",
            partial(FifoProof, channel, n),
        )
        for n in (1, 3, 4)
    ),
    *(
        Proof(
            f"fifo: static buffer of {n}",
            "rtl/static/buffer.py",
            partial(FifoProof, flit_buffer, n),
        )
        for n in (1, 2, 3)
    ),
    Proof("fifo: traffic queue of 4", "rtl/traffic/queue.py", partial(FifoProof, waiting, 4)),
    *(
        Proof(
            f"credits: link of any delay, {n} places",
            "rtl/parts/credit.py",
            partial(CreditProof, n),
        )
        for n in (1, 4)
    ),
    *(
        Proof(f"credits: static link, {n} places", "rtl/static/buffer.py", partial(LevelProof, n))
        for n in (1, 2, 3)
    ),
    Proof("counter of single events", "rtl/parts/counter.py", partial(CounterProof, 8, 1)),
    Proof("counter of up to 9 a cycle", "rtl/parts/counter.py", partial(CounterProof, 8, 9)),
    Proof(
        "arbiter: least recently sent, 5",
        "rtl/parts/arbiter.py",
        partial(ArbiterProof, LeastRecentArbiter, 5),
    ),
    Proof(
        "arbiter: round robin, 5",
        "rtl/parts/arbiter.py",
        partial(ArbiterProof, RoundRobinArbiter, 5),
    ),
    *(
        Proof(
            f"clocks: {name}",
            "rtl/parts/activity.py",
            partial(ClockProof, NodeShape(**CLOCKED | keys)),
        )
        for name, keys in CLOCKS.items()
    ),
    Proof("static switch", "rtl/static/switch.py", partial(StaticProof, 2, 2, 2)),
    Proof("guards: a sound link", "rtl/guard/ends.py", GuardProof),
    Proof("guards: messages alone, up to 3 wires flipped", "rtl/guard/ends.py", OwnLinkProof),
    Proof(
        "guards: flits and credits lost",
        "rtl/guard/ends.py",
        partial(GuardProof, loses=True),
    ),
    Proof(
        "guards: up to 3 wires flipped, and losses",
        "rtl/guard/ends.py",
        partial(GuardProof, loses=True, flips=True),
    ),
    Proof("fence of a sender", "rtl/guard/ends.py", SenderFenceProof),
    Proof("fence of a receiver", "rtl/guard/ends.py", ReceiverFenceProof),
    *ENGINE_PROOFS,
    *GROUPS_PROOFS,
    *LIFECYCLE_PROOFS,
    *OPERATOR_PROOFS,
    *ACCESS_PROOFS,
    *STREAM_PROOFS,
)
