"""Proofs of what carries messages: slots, senders, a mesh register's life, fences."""

from functools import partial

from tests.formal.fences import ReceiverFenceProof, SenderFenceProof
from tests.formal.kinds import Proof
from tests.formal.mesh_life import MeshLifeProof
from tests.formal.mesh_slots import MeshSlotsProof
from tests.formal.senders import MeshSenderProof, TreeSenderProof
from tests.formal.sync_output import SyncOutputProof

__all__ = ["MESSAGE_PROOFS"]

PORTS = ("EAST", "NORTH", "WEST", "SOUTH")
UNITS = {
    "waits": "a unit that leaves some",
    "takes": "a unit that takes all",
}

MESSAGE_PROOFS = (
    Proof("life of a mesh's register", "rtl/barrier/register.py", MeshLifeProof),
    *(
        Proof(
            f"mesh's slots of messages: {PORTS[port]}, {UNITS[unit]}",
            "rtl/mesh/arrivals.py" if unit == "waits" else "rtl/mesh/sync_input.py",
            partial(MeshSlotsProof, port, unit),
        )
        for port, unit in ((0, "waits"), (1, "waits"), (1, "takes"), (3, "takes"))
    ),
    *(
        Proof(
            f"mesh's output for messages: {PORTS[port]}",
            "rtl/mesh/sync_output.py",
            partial(SyncOutputProof, port),
        )
        for port in (0, 1)
    ),
    *(
        Proof(
            f"mesh's sender, pipeline {pipeline}",
            "rtl/barrier/sender.py",
            partial(MeshSenderProof, pipeline),
        )
        for pipeline in (1, 0)
    ),
    Proof("switch's sender", "rtl/irregular/sender.py", partial(TreeSenderProof, 3, 3)),
    Proof("fence of a sender", "rtl/guard/sender.py", SenderFenceProof),
    Proof("fence of a receiver", "rtl/guard/receiver.py", ReceiverFenceProof),
)
