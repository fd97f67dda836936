"""Proofs of who may do what at static networks."""

from functools import partial

from tests.formal.kinds import Proof
from tests.formal.static_access import CoreAccessProof
from tests.formal.static_routes import LoaderProof, NodeRoutesProof

__all__ = ["ACCESS_PROOFS"]

ACCESS_PROOFS = (
    Proof(
        "core of a static node, whatever is tried",
        "rtl/static/core.py",
        partial(CoreAccessProof, 1),
    ),
    Proof(
        "core of a static node with a watchdog, whatever is tried",
        "rtl/static/core.py",
        partial(CoreAccessProof, 3, watchdog=5),
    ),
    Proof("loader of routes, whatever is asked", "rtl/static/config.py", LoaderProof),
    Proof("static node, whatever processes send", "rtl/static/node.py", NodeRoutesProof),
)
