"""Words of a slot of barrier wires on the config port.

Source: docs/microarchitecture-wires.md, W4. CONTROL and TREE have the fields of an irregular
network's registers, at the same bits, on meshes too.
"""

import enum
from dataclasses import dataclass

from syncfabric.models.messages.layout import Field, Layout
from syncfabric.models.messages.registers import TREE

__all__ = ["WIRE_IMAGE", "WIRE_STATUS", "WireLayout", "WireWord"]


class WireWord(enum.IntEnum):
    """Words of a slot: both ways, both ways, only written, only read, only read."""

    CONTROL, TREE = 0, 1
    COMMAND, STATUS = 4, 5
    RESULT = 7


WIRE_STATUS = Layout(
    "wire status word",
    (
        Field("la", 1, "the process has arrived"),
        Field("up", 1, "all below have arrived: the level to the parent"),
        Field("dn", 1, "the pulse to the children"),
        Field("fault", 1, "a broken wire was seen, or the watchdog tripped"),
        Field("done", 1, "released since the last arrive"),
        Field("broken", 1, "that release was no barrier's end"),
    ),
)
"""Word 5 of a slot, read only."""

WIRE_IMAGE = Layout(
    "tree word of a request",
    (*TREE.fields, Field("slot", 6, "number of the slot that is set up")),
)
"""The image word of a manager's request: a slot's tree word, and which slot."""


@dataclass(frozen=True)
class WireLayout:
    """What follows from the ports of a unit.

    Parameters
    ----------
    links : int
        Links: 4 in a mesh router, as many as ports in a switch, 1 in a node interface.
    process : bool
        Whether there is a process, at port ``links``.
    data_bits : int
        Data bits of a barrier, 0 to 32.
    """

    links: int
    process: bool
    data_bits: int

    @property
    def ports(self) -> int:
        """Links and the process: bits of ``children`` that are kept."""
        return self.links + self.process

    @property
    def parent_bits(self) -> int:
        """Bits of ``parent`` that are kept: as many as link numbers need, 0 for a single link."""
        return (self.links - 1).bit_length()

    @property
    def tree(self) -> Layout:
        """Word 1 of a slot: the fields of :data:`TREE`, as wide as they are kept.

        The padding between keeps ``children`` where it is in every unit's word.
        """
        padding = TREE.offsets["children"] - self.parent_bits
        return Layout(
            "wire tree word",
            (
                Field("parent", self.parent_bits, "link that leads to the parent; not at the root"),
                Field("unused", padding, "reads 0"),
                Field("children", self.ports, "ports of children, the process's among them"),
            ),
        )

    @property
    def tree_mask(self) -> int:
        """Bits of word 1 that are kept; the others are ignored and read 0."""
        parent = (1 << self.parent_bits) - 1
        children = (1 << self.ports) - 1
        return parent | children << TREE.offsets["children"]

    @property
    def slot(self) -> Layout:
        """What ``observe`` shows of a slot (W5)."""
        return Layout(
            "slot",
            (
                Field("status", WIRE_STATUS.width, "the status word"),
                Field("gathered", self.data_bits, "what was combined at the last fire"),
                Field("result", self.data_bits, "of the last barrier"),
            ),
        )
