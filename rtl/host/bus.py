"""The host bus: one request at a time, from a front to the registers."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.host import HOST_ADDRESS_BITS

__all__ = ["HostBusSignature"]


class HostBusSignature(wiring.Signature):
    """Host bus, from the side of the front (docs/microarchitecture-host.md, H1).

    Members
    -------
    valid, write, address, data : Out
        A request; it stays until ``ready``.
    ready, rdata, error, later : In
        The answer, for one cycle.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "valid": Out(1),
                "write": Out(1),
                "address": Out(HOST_ADDRESS_BITS),
                "data": Out(32),
                "ready": In(1),
                "rdata": In(32),
                "error": In(1),
                "later": In(1),
            }
        )
