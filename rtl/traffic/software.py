"""Packets of a node's software: the port by which its flits come to the source."""

from amaranth.lib import data, wiring
from amaranth.lib.wiring import Out

__all__ = ["PUT_FLIT", "PutSignature"]

PUT_FLIT = data.StructLayout({"channel": 4, "head": 1, "tail": 1, "payload": 32})
"""A flit as software puts it: of its channels that of a packet's first flit counts, and bits of a
payload above these are 0."""


class PutSignature(wiring.Signature):
    """A flit a cycle, into a queue; what does not fit is lost, and counted.

    Members
    -------
    valid : Out(1)
        There is a flit.
    flit : Out(PUT_FLIT)
        The flit.
    """

    def __init__(self) -> None:
        super().__init__({"valid": Out(1), "flit": Out(PUT_FLIT)})
