"""Proofs of the collective engine, of the router with any ports, and of what joins them."""

from functools import partial

from tests.formal.engine_entry import EntryProof
from tests.formal.engine_joined import ChainProof, SharesProof
from tests.formal.engine_parts import ChoiceProof, CommandsProof, MemoryProof, VisitsProof
from tests.formal.fifo import FifoProof, RoomProof, messages
from tests.formal.kinds import Proof
from tests.formal.node_ports import NodePortProof
from tests.formal.routed import OutputProof, SlotsProof
from tests.formal.routers import FlitProof, PacketProof, source, xy
from tests.formal.slots import WireSlotProof

__all__ = ["ENGINE_PROOFS"]

ENTRIES = {
    "stages 1": ("rule", (1, 4, 4), False),
    "stages 2": ("engine", (2, 2, 2), False),
    "stages 2, shared links": ("own_port", (2, 4, 4), True),
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
            "rtl/engine/queue.py",
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
    Proof("fifo: engine's queue, cut to 4", "rtl/engine/queue.py", partial(FifoProof, messages, 5)),
    Proof(
        "fifo: engine's queue in block RAM, cut to 4",
        "rtl/engine/queue.py",
        partial(FifoProof, partial(messages, block=True), 4),
    ),
    Proof("engine: room in a queue, cut to 4", "rtl/engine/queue.py", RoomProof),
    *(
        Proof(
            f"engine: {name} of entries",
            "rtl/engine/rule.py",
            partial(MemoryProof, block=block),
        )
        for name, block in (("LUT RAM", False), ("block RAM", True))
    ),
    Proof("engine: visits, every 10 cycles", "rtl/engine/own_port.py", partial(VisitsProof, 10)),
    Proof("engine: config port", "rtl/engine/commands.py", CommandsProof),
    Proof("node port of 3 registers", "rtl/engine/node_port.py", partial(NodePortProof, 3)),
    Proof(
        "slots of barrier wires beside an engine", "rtl/slots/slot.py", WireSlotProof, reset=True
    ),
    Proof("links that packets and messages share", "rtl/transport/link.py", SharesProof),
    Proof("routed messages: slots", "rtl/transport/routed.py", SlotsProof),
    Proof("routed messages: an output", "rtl/transport/routed.py", OutputProof),
    Proof("config chain of 2 nodes", "rtl/transport/config_chain.py", ChainProof),
    Proof("router: a flit, X-Y", "rtl/router/routing.py", lambda: FlitProof(xy(1, 2), 1, 2)),
    Proof("router: packets, X-Y", "rtl/router/output_port.py", lambda: PacketProof(xy(1, 2), 1, 2)),
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
