"""All proofs, by name."""

from collections.abc import Callable
from functools import partial

from amaranth.lib import wiring

from syncfabric.models.networks.wires import WirePlane
from syncfabric.rtl.parts.arbiter import LeastRecentArbiter, RoundRobinArbiter
from tests.formal.arbiters import ArbiterProof, SerialProof
from tests.formal.catalogue_of_access import ACCESS_PROOFS
from tests.formal.catalogue_of_engine import ENGINE_PROOFS
from tests.formal.catalogue_of_lifecycle import LIFECYCLE_PROOFS
from tests.formal.catalogue_of_messages import MESSAGE_PROOFS
from tests.formal.credits import CounterProof, CreditProof, LevelProof
from tests.formal.fifo import FifoProof, channel, flit_buffer, gids, waiting
from tests.formal.guards import GuardProof, WatchdogProof
from tests.formal.kinds import Proof
from tests.formal.kinds_of_routers import mesh, switch
from tests.formal.mesh_register import MeshRegisterProof
from tests.formal.register_life import LifeProof
from tests.formal.routers import FlitProof, PacketProof
from tests.formal.set_up_forged import ForgedProof
from tests.formal.set_up_forged import interface as managed_interface
from tests.formal.set_up_forged import mesh as managed_mesh
from tests.formal.set_up_forged import switch as managed_switch
from tests.formal.set_up_manager import ManagerProof
from tests.formal.set_up_sink import SinkProof
from tests.formal.set_up_ways import LocalPortProof, NodePacketsProof
from tests.formal.static_switch import StaticProof
from tests.formal.tree_register import TreeRegisterProof
from tests.formal.wires import SlotProof

__all__ = ["PROOFS"]


def _slot(
    links: int, *, process: bool, p: int = 0, shared: bool = False, parity: bool = False, h: int = 0
) -> Callable[[], wiring.Component]:
    plane = WirePlane(1, 0, link_registers=p, shared=shared, parity=parity, watchdog=h)
    return lambda: SlotProof(plane, links, process=process)


SLOTS: dict[str, Callable[[], wiring.Component]] = {
    "router": _slot(4, process=True),
    "router, shared wires": _slot(4, process=True, shared=True),
    "router with parity and watchdog": _slot(4, process=True, parity=True, h=5),
    "router, long links": _slot(4, process=True, p=1),
    "router, longer links, shared, with parity": _slot(
        4, process=True, p=2, shared=True, parity=True
    ),
    "switch": _slot(8, process=False),
    "switch, shared wires, with parity": _slot(6, process=False, p=1, shared=True, parity=True),
    "interface": _slot(1, process=True, h=3),
    "interface, shared wires, long link": _slot(1, process=True, p=1, shared=True),
}

PROOFS = (
    *(
        Proof(
            f"fifo: channel of {n} places", "rtl/parts/channel.py", partial(FifoProof, channel, n)
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
    Proof("fifo: GID queue, cut to 4", "rtl/parts/gid_queue.py", partial(FifoProof, gids, 4)),
    *(
        Proof(
            f"credits: link of any delay, {n} places",
            "rtl/parts/credit.py",
            partial(CreditProof, n),
        )
        for n in (1, 4)
    ),
    *(
        Proof(f"credits: static link, {n} places", "rtl/static/level.py", partial(LevelProof, n))
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
    Proof("arbiter: serial turn, 4 registers", "rtl/barrier/serial.py", partial(SerialProof, 4)),
    Proof("static switch", "rtl/static/switch.py", partial(StaticProof, 2, 2, 2)),
    Proof(
        "mesh router: a flit, 1 channel of 2",
        "rtl/mesh/packets.py",
        lambda: FlitProof(mesh(1, 2), 1, 2),
    ),
    Proof(
        "mesh router: packets, 1 channel of 2",
        "rtl/mesh/packets.py",
        lambda: PacketProof(mesh(1, 2), 1, 2),
    ),
    Proof(
        "irregular switch: a flit, 1 channel of 1",
        "rtl/irregular/switch.py",
        lambda: FlitProof(switch(1, 1), 1, 1),
    ),
    Proof(
        "irregular switch: packets, 1 channel of 1",
        "rtl/irregular/switch.py",
        lambda: PacketProof(switch(1, 1), 1, 1),
    ),
    Proof(
        "irregular switch: a flit, 1 channel of 1, 2 cycles a hop",
        "rtl/irregular/switch.py",
        lambda: FlitProof(switch(1, 1, cycles=2), 1, 1),
    ),
    Proof(
        "irregular switch: a flit, 1 channel of 1, by routes",
        "rtl/irregular/routing.py",
        lambda: FlitProof(switch(1, 1, routed=True), 1, 1),
    ),
    Proof("mesh register", "rtl/barrier/register.py", MeshRegisterProof),
    Proof(
        "mesh register, faithful neighbours",
        "rtl/barrier/register.py",
        partial(MeshRegisterProof, faithful=True),
    ),
    Proof(
        "mesh register, no pipeline, faithful neighbours",
        "rtl/barrier/register.py",
        partial(MeshRegisterProof, pipeline=0, faithful=True),
    ),
    Proof(
        "mesh register, serial",
        "rtl/barrier/register.py",
        partial(MeshRegisterProof, serial=True),
    ),
    Proof("irregular register", "rtl/irregular/register.py", TreeRegisterProof),
    Proof(
        "irregular register, serial",
        "rtl/irregular/register.py",
        partial(TreeRegisterProof, serial=True),
    ),
    Proof(
        "irregular register of a node interface",
        "rtl/irregular/register.py",
        partial(TreeRegisterProof, node=True),
    ),
    Proof("life of a switch's register", "rtl/setup/life.py", partial(LifeProof, node=False)),
    Proof(
        "life of a node interface's register", "rtl/setup/life.py", partial(LifeProof, node=True)
    ),
    Proof("guards: a sound link", "rtl/guard/sender.py", GuardProof),
    Proof(
        "guards: flits and credits lost",
        "rtl/guard/sender.py",
        partial(GuardProof, loses=True),
    ),
    Proof(
        "guards: up to 3 wires flipped, and losses",
        "rtl/guard/receiver.py",
        partial(GuardProof, loses=True, flips=True),
    ),
    Proof("watchdog, tick every 4 cycles", "rtl/guard/watchdog.py", partial(WatchdogProof, 4)),
    Proof("set-up sink", "rtl/setup/sink.py", SinkProof),
    Proof("manager", "rtl/setup/rounds.py", ManagerProof),
    Proof("LOCAL port of a mesh", "rtl/setup/local_port.py", LocalPortProof),
    Proof("packets of a node interface", "rtl/irregular/node_packets.py", NodePacketsProof),
    Proof(
        "mesh node, whatever processes try",
        "rtl/mesh/node.py",
        lambda: ForgedProof(managed_mesh()),
    ),
    Proof(
        "irregular switch, whatever processes send",
        "rtl/irregular/input_port.py",
        lambda: ForgedProof(managed_switch()),
    ),
    Proof(
        "node interface, whatever processes try",
        "rtl/irregular/node.py",
        lambda: ForgedProof(managed_interface()),
    ),
    *(
        Proof(f"wires: {name}", "rtl/wires/slot.py", make, reset=True)
        for name, make in SLOTS.items()
    ),
    *ENGINE_PROOFS,
    *LIFECYCLE_PROOFS,
    *MESSAGE_PROOFS,
    *ACCESS_PROOFS,
)
