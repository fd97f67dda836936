"""A core's local memory: its own alone, or in two banks that streams share with it."""

from typing import Any

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

__all__ = ["LocalMemory", "MemorySignature", "SharedMemory"]


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
    """What streams ask of a memory: a word to read and one to write, in different banks.

    Parameters
    ----------
    words : int

    Members
    -------
    read : Out(1), read_address : Out
    write : Out(4), write_address, data : Out
        As of `LocalMemory`.
    result : In(32)
        What was read last.
    """

    def __init__(self, words: int) -> None:
        super().__init__(
            {
                "read": Out(1),
                "read_address": Out(range(words)),
                "write": Out(4),
                "write_address": Out(range(words)),
                "data": Out(32),
                "result": In(32),
            }
        )


class SharedMemory(wiring.Component):
    """The same in banks of even and of odd words, each with a port for the core and for streams.

    Source: docs/microarchitecture-cores.md, K7.1.

    Parameters
    ----------
    words : int
        A power of two.

    Members
    -------
    read, write, address, data, result
        The core's, as of `LocalMemory`.
    streams : In(MemorySignature)
    """

    def __init__(self, words: int) -> None:
        self._words = words
        super().__init__({**_of_core(words), "streams": In(MemorySignature(words))})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        there, results, others = self.streams, [], []
        for number in range(2):
            m.submodules[f"bank_{number}"] = bank = Memory(
                shape=32, depth=self._words // 2, init=[]
            )
            mine, writes = self.address[0] == number, there.write_address[0] == number
            reads = there.read & (there.read_address[0] == number)
            place = Mux(reads, there.read_address[1:], there.write_address[1:])
            results.append(self._port(m, bank, self.read & mine, self.address[1:]))
            others.append(self._port(m, bank, reads, place))
            for write, chosen, address, data in (
                (self.write, mine, self.address[1:], self.data),
                (there.write, writes, place, there.data),
            ):
                port = bank.write_port(granularity=8)
                m.d.comb += [
                    port.en.eq(Mux(chosen, write, 0)),
                    port.addr.eq(address),
                    port.data.eq(data),
                ]
        for outside, read, address, words in (
            (self.result, self.read, self.address, results),
            (there.result, there.read, there.read_address, others),
        ):
            odd = Signal()
            with m.If(read):
                m.d.sync += odd.eq(address[0])
            m.d.comb += outside.eq(Mux(odd, words[1], words[0]))
        return m

    @staticmethod
    def _port(m: Module, bank: Memory, read: Any, address: Any) -> Any:
        """Return the result of a new port to read by."""
        port = bank.read_port()
        m.d.comb += [port.en.eq(read), port.addr.eq(address)]
        return port.data
