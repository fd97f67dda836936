"""Proofs of set-up by managers: who may change an entry, who may send, and that nothing is lost."""

from tests.formal.kinds import Proof
from tests.formal.lifecycle_sink import AccessProof, SinkProof
from tests.formal.lifecycle_ways import (
    LinkEndProof,
    LocalPortProof,
    ManagerProof,
    SinkPortProof,
)

__all__ = ["LIFECYCLE_PROOFS"]

LIFECYCLE_PROOFS = (
    Proof("set-up: sink", "rtl/lifecycle/sink.py", SinkProof),
    Proof("set-up: an engine's port for two", "rtl/lifecycle/access.py", AccessProof),
    Proof("set-up: port of a process", "rtl/lifecycle/set_up_port.py", LocalPortProof),
    Proof("set-up: port of a sink", "rtl/lifecycle/set_up_port.py", SinkPortProof),
    Proof("set-up: end of a link", "rtl/planes/interface.py", LinkEndProof),
    Proof("set-up: manager", "rtl/lifecycle/manager.py", ManagerProof),
)
