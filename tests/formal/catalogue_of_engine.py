"""Proofs of the collective engine, of the router with any ports, and of what joins them."""

from functools import partial

from tests.formal.engine_entry import EntryProof
from tests.formal.kinds import Proof

__all__ = ["ENGINE_PROOFS"]

ENGINE_PROOFS = (
    *(
        Proof(
            f"engine: an entry, stages {stages}",
            "rtl/engine/engine.py",
            partial(EntryProof, stages),
            reset=True,
        )
        for stages in (1, 2, 3, 4)
    ),
)
