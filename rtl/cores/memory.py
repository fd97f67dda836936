"""A core's local memory: its own alone, or in two banks that it shares with streams."""

from typing import Any

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out


def _of_core(words: int) -> dict[str, Any]:
    """Return the members of a memory that the core has."""
    return {
        "read": In(1),
        "write": In(4),
        "address": In(range(words)),
        "data": In(32),
        "result": Out(32),
    }


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
        super().__init__(_of_core(words))

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


class MemorySignature(wiring.Signature):
    """What streams ask of a memory: a word to read and one to write, each in a bank that is free.

    Parameters
    ----------
    words : int

    Members
    -------
    busy : In(2)
        The core has the bank in this cycle.
    read : Out(1), read_address : Out
    write : Out(4), write_address, data : Out
        As of `LocalMemory`; not both in one bank.
    result : In(32)
        What was read in the cycle before.
    """

    def __init__(self, words: int) -> None:
        super().__init__(
            {
                "busy": In(2),
                "read": Out(1),
                "read_address": Out(range(words)),
                "write": Out(4),
                "write_address": Out(range(words)),
                "data": Out(32),
                "result": In(32),
            }
        )


class SharedMemory(wiring.Component):
    """The same in banks of even and of odd words, which streams have while the core does not.

    Source: docs/microarchitecture-cores.md, K7.1.

    Parameters
    ----------
    words : int
        A power of two.

    Members
    -------
    read, write, address, data, result
        The core's, as of `LocalMemory`; but ``result`` is that of the cycle before alone.
    streams : In(MemorySignature)
    """

    def __init__(self, words: int) -> None:
        self._words = words
        super().__init__({**_of_core(words), "streams": In(MemorySignature(words))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        there, banks = self.streams, [LocalMemory(self._words // 2) for _ in range(2)]
        for number, bank in enumerate(banks):
            m.submodules[f"bank_{number}"] = bank
            core = (self.read | self.write.any()) & (self.address[0] == number)
            reads = there.read & (there.read_address[0] == number)
            writes = Mux(there.write_address[0] == number, there.write, 0)
            place = Mux(reads, there.read_address, there.write_address)
            m.d.comb += [
                there.busy[number].eq(core),
                bank.read.eq(Mux(core, self.read, reads)),
                bank.write.eq(Mux(core, self.write, writes)),
                bank.address.eq(Mux(core, self.address, place)[1:]),
                bank.data.eq(Mux(core, self.data, there.data)),
            ]
        for outside, address in ((self.result, self.address), (there.result, there.read_address)):
            odd = Signal()
            m.d.sync += odd.eq(address[0])
            m.d.comb += outside.eq(Mux(odd, banks[1].result, banks[0].result))
        return m
