"""What one node's software asks another's, where nobody manages set-up (paper BTIN)."""

from syncfabric.models.messages.layout import Field, Layout
from syncfabric.models.messages.registers import CONFIG_ADDRESS_BITS

__all__ = ["ERRAND", "ERRAND_MARK"]

ERRAND_MARK = 0xB7
"""Tells an errand from other packets of software."""

ERRAND = Layout(
    "errand word",
    (
        Field("mark", 8, "0xB7"),
        Field("clear", 1, "0: write the register at your switch; 1: give it up"),
        Field("address", CONFIG_ADDRESS_BITS, "config address of the register's first word"),
    ),
)
"""Second flit of the packet, after its header; words TREE and CONTROL follow if it is to write."""
