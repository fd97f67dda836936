"""All proofs, by name."""

from functools import partial

from syncfabric.rtl.parts.arbiter import LeastRecentArbiter, RoundRobinArbiter
from tests.formal.arbiters import ArbiterProof
from tests.formal.catalogue_of_access import ACCESS_PROOFS
from tests.formal.catalogue_of_engine import ENGINE_PROOFS
from tests.formal.catalogue_of_lifecycle import LIFECYCLE_PROOFS
from tests.formal.credits import CounterProof, CreditProof, LevelProof
from tests.formal.fences import ReceiverFenceProof, SenderFenceProof
from tests.formal.fifo import FifoProof, channel, flit_buffer, waiting
from tests.formal.guards import GuardProof
from tests.formal.kinds import Proof
from tests.formal.static_switch import StaticProof

__all__ = ["PROOFS"]

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
    Proof("static switch", "rtl/static/switch.py", partial(StaticProof, 2, 2, 2)),
    Proof("guards: a sound link", "rtl/guard/ends.py", GuardProof),
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
    *LIFECYCLE_PROOFS,
    *ACCESS_PROOFS,
)
