"""What one node's software asks another's, where nobody manages set-up (paper BTIN)."""

from syncfabric.models.layout.engine import EPOCH_BITS
from syncfabric.models.messages.layout import Field, Layout

__all__ = ["ERRAND", "ERRAND_MARK"]

ERRAND_MARK = 0xB7
"""Tells an errand from other packets of software."""

ERRAND = Layout(
    "errand word",
    (
        Field("mark", 8, "0xB7"),
        Field("entry", 8, "entry of the engine at your router"),
        Field("epoch", EPOCH_BITS, "its epoch, before SETUP"),
    ),
)
"""Second flit of the packet, after its header; the words of the image follow."""
