"""Packets of a node's software: the port by which its flits come to the source."""

from amaranth.lib import data, wiring
from amaranth.lib.wiring import Out

__all__ = ["WORD_BITS", "PutSignature", "put_flit"]

WORD_BITS = 32
"""Least bits of a payload as software puts it."""


def put_flit(flit_bits: int) -> data.StructLayout:
    """Return a flit as software puts it: of its channels that of a packet's first flit counts."""
    payload = max(WORD_BITS, flit_bits)
    return data.StructLayout({"channel": 4, "head": 1, "tail": 1, "payload": payload})


class PutSignature(wiring.Signature):
    """A flit a cycle, into a queue; what does not fit is lost, and counted.

    Parameters
    ----------
    flit_bits : int
        Payload bits of a flit in the network.

    Members
    -------
    valid : Out(1)
        There is a flit.
    flit : Out(put_flit(flit_bits))
        The flit.
    """

    def __init__(self, flit_bits: int) -> None:
        super().__init__({"valid": Out(1), "flit": Out(put_flit(flit_bits))})
