"""A core's local memory: read a cycle ahead of the request, so that it answers without a wait."""

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["LocalMemory"]


class LocalMemory(wiring.Component):
    """Words with a byte's write enable; the word read is there in the next cycle, and stays.

    Parameters
    ----------
    words : int
        A power of two.

    Members
    -------
    read : In(1)
        Read the word at ``address``.
    write : In(4)
        Write these bytes of it, first byte in bit 0.
    address, data : In
    result : Out(32)
        What was read last.
    """

    def __init__(self, words: int) -> None:
        self._words = words
        super().__init__(
            {
                "read": In(1),
                "write": In(4),
                "address": In(range(words)),
                "data": In(32),
                "result": Out(32),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.words = words = Memory(shape=32, depth=self._words, init=[])
        read, write = words.read_port(), words.write_port(granularity=8)
        m.d.comb += [
            read.en.eq(self.read),
            read.addr.eq(self.address),
            self.result.eq(read.data),
            write.en.eq(self.write),
            write.addr.eq(self.address),
            write.data.eq(self.data),
        ]
        return m
