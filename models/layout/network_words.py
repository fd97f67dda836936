"""Widths of a whole network's ports, and of what its packets say."""

from dataclasses import dataclass
from functools import cached_property

from syncfabric.models.layout.engine import ADDRESS_BITS
from syncfabric.models.layout.flit import flit_layout
from syncfabric.models.layout.network import NetworkShape
from syncfabric.models.messages.layout import Layout

__all__ = ["PART_BITS", "NetworkWords"]

PART_BITS = 3
"""Bits of an address that name a part of a target."""


@dataclass(frozen=True)
class NetworkWords:
    """What the ports and packets of a network are made of."""

    shape: NetworkShape

    @property
    def node_bits(self) -> int:
        """Bits of a node's number, at least 1."""
        return max(1, (len(self.shape.nodes) - 1).bit_length())

    @property
    def target_bits(self) -> int:
        """Bits of the number that the config chain addresses."""
        return max(1, (self.shape.targets - 1).bit_length())

    @property
    def config_address_bits(self) -> int:
        """Bits of an address on the config chain: a target's part, and its word."""
        return ADDRESS_BITS + PART_BITS

    @property
    def header(self) -> Layout:
        """First flit of a packet; its other bits belong to the sender."""
        return self.shape.header

    @cached_property
    def flit(self) -> Layout:
        """What a link carries for a packet."""
        router = self.shape.router
        return flit_layout(router.flit_bits, cut=router.check_bits > 0)

    @property
    def sync(self) -> Layout:
        """A barrier message on a link."""
        return self.shape.router.layout.link_message
