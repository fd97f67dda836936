"""Messages and flits of a mesh: paper BTM, Fig. 3."""

from dataclasses import dataclass
from functools import cached_property

from syncfabric.models.errors import SpecError
from syncfabric.models.messages.flit import flit
from syncfabric.models.messages.layout import Field, Layout
from syncfabric.models.messages.registers import CONFIG_ADDRESS_BITS

__all__ = ["MeshLayout"]


@dataclass(frozen=True)
class MeshLayout:
    """Layouts whose widths follow from the size of a mesh.

    Parameters
    ----------
    width, height : int
        Nodes along x and y, 1 to 1024.
    flit_bits : int
        Payload bits of a flit; head and tail travel beside them.
    data_bits : int
        Data bits of a synchronization message, 0 to 32.
    cut : bool
        Whether a flit has the flag ``cut``: links are guarded.
    """

    width: int
    height: int
    flit_bits: int
    data_bits: int
    cut: bool = False

    @cached_property
    def x_bits(self) -> int:
        """Bits of a column number, at least 1."""
        return max(1, (self.width - 1).bit_length())

    @cached_property
    def y_bits(self) -> int:
        """Bits of a row number, at least 1."""
        return max(1, (self.height - 1).bit_length())

    @cached_property
    def node_bits(self) -> int:
        """Bits of a node number, at least 1."""
        return max(1, (self.width * self.height - 1).bit_length())

    @property
    def config_address_bits(self) -> int:
        """Bits of an address on the config port."""
        return CONFIG_ADDRESS_BITS

    @property
    def target_bits(self) -> int:
        """Bits of the number that the config port addresses: a node's."""
        return self.node_bits

    @cached_property
    def sync(self) -> Layout:
        """Synchronization message (paper BTM, Fig. 3), a single flit."""
        return Layout(
            "sync message",
            (
                Field("x", self.x_bits, "destination column"),
                Field("y", self.y_bits, "destination row"),
                Field("kind", 2, "0 REDUCE, 1 DISTRIBUTE, 2 GO, 3 BROKEN"),
                Field("gid", 8, "group identifier"),
                Field("epoch", 2, "epoch of the group's set-up"),
                Field("turn", 1, "first turn: 0 X first, 1 Y first"),
                Field("data", self.data_bits, "combined on the way up, the same for all down"),
            ),
        )

    @cached_property
    def header(self) -> Layout:
        """First flit of an ordinary packet; its other bits belong to the sender."""
        return Layout(
            "packet header",
            (
                Field("x", self.x_bits, "destination column"),
                Field("y", self.y_bits, "destination row"),
                Field("reply", 1, "set-up packets: 1 for a manager, 0 for a set-up sink"),
            ),
        )

    @cached_property
    def flit(self) -> Layout:
        """What a link carries for an ordinary packet."""
        return flit(self.flit_bits, cut=self.cut)

    def check(self, *, sync: bool = True, packets: bool = True) -> None:
        """Refuse a flit that cannot hold a synchronization message or a header.

        Parameters
        ----------
        sync, packets : bool
            Whether there are such.

        Raises
        ------
        SpecError
            With the width that is needed.
        """
        if sync and self.flit_bits < self.sync.width:
            raise SpecError(
                f"network: flit_bits = {self.flit_bits} is too narrow for the synchronization "
                f"message of a {self.width}x{self.height} mesh with data_bits = {self.data_bits}; "
                f"it needs at least {self.sync.width}"
            )
        if packets and self.flit_bits < self.header.width:
            raise SpecError(
                f"network: flit_bits = {self.flit_bits} is too narrow for the packet header of a "
                f"{self.width}x{self.height} mesh; it needs at least {self.header.width}"
            )
