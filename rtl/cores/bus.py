"""The core's bus to its registers: what each group of them sees, and what it answers."""

from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.core import FaultReason

ADDRESS_BITS = 13
"""Bits of a register's word."""


class BusSignature(wiring.Signature):
    """A request to registers, from the core's side. All answers come in a cycle of the request.

    Members
    -------
    valid : Out(1)
        A request; it stays until it is answered, with all that belongs to it.
    write, word, data : Out
        Write, else read; the word; what is written.
    chosen : In(1)
        The request is for these registers.
    ready : In(1)
        It is over in this cycle.
    result : In(32)
        What is read; 0 from everybody who is not chosen.
    fault : In(FaultReason)
        It is not allowed, for this reason: nothing changes, and there is no answer.
    """

    def __init__(self) -> None:
        super().__init__(
            {
                "valid": Out(1),
                "write": Out(1),
                "word": Out(ADDRESS_BITS),
                "data": Out(32),
                "chosen": In(1),
                "ready": In(1),
                "result": In(32),
                "fault": In(FaultReason),
            }
        )
