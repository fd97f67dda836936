"""What the parts of a barrier unit show each other."""

from typing import Any

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CONFIG_ADDRESS_BITS, CONTROL
from syncfabric.models.networks.spec import (
    AnySpec,
    MeshSpec,
)
from syncfabric.rtl.messages import struct

__all__ = [
    "ConfigSignature",
    "SenderSignature",
    "child_class",
]


def child_class(port: int) -> int:
    """Return the class of the DISTRIBUTE to the child at ``port``: X first for ±X children."""
    return port % 2


class SenderSignature(wiring.Signature):
    """What a register shows to the sender.

    Members
    -------
    pending : Out(5)
        Messages to send: children EAST to SOUTH, parent.
    soon : Out(1)
        There are some in the next cycle, supposing that none is sent in this one.
    data : Out(data_bits)
        Their data.
    control, up_port : Out
        The register's word 0, and the one-hot port towards the parent.
    wave, up_kind : Out(2)
        Kinds of the messages to the children and to the parent.
    sent : In(5)
        What is sent in this cycle.
    """

    def __init__(self, network: MeshSpec) -> None:
        members: dict[str, Any] = {
            "pending": Out(5),
            "soon": Out(1),
            "data": Out(network.data_bits),
            "control": Out(struct(CONTROL)),
            "up_port": Out(4),
            "wave": Out(2),
            "up_kind": Out(2),
            "sent": In(5),
        }
        super().__init__(members)


class ConfigSignature(wiring.Signature):
    """Config port of a network, from the side of who asks.

    Members
    -------
    valid, node, address, write, data : Out
        A request to the router (or node interface) with number ``node``; data are 32 bits.
    ready, error, rdata : In
        The answer; 0 from everybody else.
    """

    def __init__(self, network: AnySpec) -> None:
        super().__init__(
            {
                "valid": Out(1),
                "node": Out(network.layout.target_bits),
                "address": Out(CONFIG_ADDRESS_BITS),
                "write": Out(1),
                "data": Out(32),
                "ready": In(1),
                "error": In(1),
                "rdata": In(32),
            }
        )
