"""Messages and flits of an irregular network: paper BTIN, Fig. 5."""

from dataclasses import dataclass
from functools import cached_property

from syncfabric.models.errors import SpecError
from syncfabric.models.messages.flit import flit
from syncfabric.models.messages.layout import Field, Layout
from syncfabric.models.messages.registers import CONFIG_ADDRESS_BITS

__all__ = ["ROUTE_COUNT_BITS", "IrregularLayout"]

ROUTE_COUNT_BITS = 4
"""Bits of the number of ports in a route flit."""


@dataclass(frozen=True)
class IrregularLayout:
    """Layouts whose widths follow from the size of an irregular network.

    Parameters
    ----------
    ports : int
        Ports of every switch, 2 to 16.
    switches, nodes : int
        How many there are.
    flit_bits : int
        Payload bits of a flit; head and tail travel beside them.
    data_bits : int
        Data bits of a synchronization message, 0 to 32.
    cut : bool
        Whether a flit has the flag ``cut``: links are guarded.
    """

    ports: int
    switches: int
    nodes: int
    flit_bits: int
    data_bits: int
    cut: bool = False

    @cached_property
    def switch_bits(self) -> int:
        """Bits of a switch's number, at least 1."""
        return max(1, (self.switches - 1).bit_length())

    @cached_property
    def port_bits(self) -> int:
        """Bits of a port code: a port's number, or ``ports``, the switch's own sink."""
        return self.ports.bit_length()

    @cached_property
    def node_bits(self) -> int:
        """Bits of a node's number, at least 1."""
        return max(1, (self.nodes - 1).bit_length())

    @property
    def config_address_bits(self) -> int:
        """Bits of an address on the config port."""
        return CONFIG_ADDRESS_BITS

    @cached_property
    def target_bits(self) -> int:
        """Bits of the number that the config port addresses: nodes first, then switches."""
        return max(1, (self.nodes + self.switches - 1).bit_length())

    @cached_property
    def sync(self) -> Layout:
        """Synchronization message (paper BTIN, Fig. 5), a single flit without destination."""
        return Layout(
            "sync message",
            (
                Field("kind", 2, "0 REDUCE, 1 DISTRIBUTE, 2 GO, 3 BROKEN"),
                Field("gid", 8, "group identifier"),
                Field("epoch", 2, "epoch of the group's set-up"),
                Field("data", self.data_bits, "combined on the way up, the same for all down"),
            ),
        )

    @cached_property
    def header(self) -> Layout:
        """First flit of a packet that the tables route; its other bits belong to the sender."""
        return Layout(
            "packet header",
            (
                Field("by_route", 1, "0: the tables route the packet"),
                Field("port", self.port_bits, "last port, at the destination's switch"),
                Field("switch", self.switch_bits, "the destination's switch"),
            ),
        )

    @cached_property
    def route(self) -> Layout:
        """First flits of a packet that brings its route along, used up on the way."""
        ports = tuple(
            Field(f"port_{i}", self.port_bits, "output port, the next switch's in port_0")
            for i in range(self.route_ports)
        )
        return Layout(
            "route flit",
            (
                Field("by_route", 1, "1: this flit routes the packet"),
                Field("count", ROUTE_COUNT_BITS, "ports that are left in this flit"),
                *ports,
            ),
        )

    @cached_property
    def route_ports(self) -> int:
        """Most ports that one route flit holds."""
        room = (self.flit_bits - 1 - ROUTE_COUNT_BITS) // self.port_bits
        return min(room, (1 << ROUTE_COUNT_BITS) - 1)

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
        held = [layout for layout, there in ((self.sync, sync), (self.header, packets)) if there]
        widest = max(held, key=lambda layout: layout.width, default=None)
        if widest is not None and self.flit_bits < widest.width:
            raise SpecError(
                f"network: flit_bits = {self.flit_bits} is too narrow for the {widest.name} of "
                f"{self.switches} switches with data_bits = {self.data_bits}; it needs at least "
                f"{widest.width}"
            )
