"""A node's side of the config port: addresses, answers, refusals."""

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import (
    COMMAND_WORD,
    COUNTER_BASE,
    COUNTER_BITS,
    FENCE,
    RegisterWord,
    SwitchWord,
)
from syncfabric.models.networks.spec import (
    IrregularSpec,
    RegisterSpec,
)
from syncfabric.rtl.barrier.ports import ConfigSignature
from syncfabric.rtl.parts.events import counters_of
from syncfabric.rtl.parts.gates import either

__all__ = ["ConfigBank", "ConfigPort", "message_bank"]


@dataclass(frozen=True)
class ConfigBank:
    """Registers of one kind, one after the other on the config port.

    Parameters
    ----------
    registers : int
        How many.
    writable, readable : tuple of int
        Words of each that can be written, and that can be read.
    shared : bool
        They look themselves which of them is addressed: strobes, refusal and contents are those
        of that one.
    """

    registers: int
    writable: tuple[int, ...]
    readable: tuple[int, ...]
    shared: bool = False

    @property
    def sets(self) -> int:
        """Sets of strobes, refusal and contents."""
        return 1 if self.shared else self.registers

    @property
    def writes(self) -> int:
        """Write strobes of all sets."""
        return self.sets * len(self.writable)


def message_bank(network: RegisterSpec) -> ConfigBank:
    """Return a network's barrier registers."""
    if isinstance(network, IrregularSpec):
        words, commands = [int(word) for word in SwitchWord], COMMAND_WORD
        writable = [word for word in words if word < SwitchWord.ARRIVED]
    else:
        words, commands = [int(word) for word in RegisterWord], int(RegisterWord.STATUS)
        writable = [word for word in words if word < RegisterWord.STATUS]
    if network.managed:
        writable.append(commands)
    shared = not isinstance(network, IrregularSpec)
    return ConfigBank(network.barrier_registers, tuple(writable), tuple(words), shared=shared)


class ConfigPort(wiring.Component):
    """Decodes requests for this node and answers in the next cycle.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        Width of the port.
    banks : sequence of ConfigBank, optional
        The registers, by rising number; the network's barrier registers.
    links : int
        Links of the node that have guards, if any have.

    Members
    -------
    index : In
        Number of this node, as the config port counts.
    config : In(ConfigSignature)
        The network's config port; other nodes' requests are not answered.
    write : Out
        For each set of a bank a bit for each of the words that can be written: it is being, unless
        the register refuses.
    refused : In(sets)
        The register refuses the write.
    word : Out(3), contents : In(32 * sets)
        Word that is read, and what each register holds there.
    counters : In
        The counters' values in the cycle before: they are read a cycle later than all else, as a
        sum that counts has no time left to go through here.
    refused_write : Out(1)
        A write was refused in this cycle.
    fence : Out(links)
        Only with guarded links: those that are closed.
    """

    def __init__(
        self, network: RegisterSpec, banks: Sequence[ConfigBank] | None = None, *, links: int = 4
    ) -> None:
        self._network = network
        self._banks = (message_bank(network),) if banks is None else tuple(banks)
        self._counters = len(counters_of(network))
        sets = sum(bank.sets for bank in self._banks)
        fence = {"fence": Out(links)} if network.guarded else {}
        super().__init__(
            fence
            | {
                "index": In(network.layout.target_bits),
                "config": In(ConfigSignature(network)),
                "write": Out(sum(bank.writes for bank in self._banks)),
                "refused": In(sets),
                "word": Out(3),
                "contents": In(32 * sets),
                "counters": In(self._counters * COUNTER_BITS),
                "refused_write": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        config, address = self.config, self.config.address
        counters, bits = range(self._counters), (self._counters - 1).bit_length()
        ours, to_counter = Signal(), Signal()
        m.d.comb += [
            ours.eq(config.valid & (config.node == self.index)),
            to_counter.eq(
                (address[bits:] == COUNTER_BASE >> bits) & (address[:bits] < self._counters)
            ),
            self.word.eq(address[:3]),
        ]
        strobes: list[Value] = []
        can_write: list[Value] = []
        can_read: list[Value] = []
        held: list[Value] = []
        first = 0
        for bank in self._banks:
            number = address[3:]
            at = [number == first + r for r in range(bank.registers)]
            here = Cat(at).any()
            if bank.shared:
                at = [here]
            strobes += [
                ours & config.write & one & (self.word == word)
                for one in at
                for word in bank.writable
            ]
            can_write.append(here & self._is_any(bank.writable))
            can_read.append(here & self._is_any(bank.readable))
            for one in at:
                low = 32 * len(held)
                held.append(Mux(one, self.contents[low : low + 32], 0))
            first += bank.registers
        m.d.comb += self.write.eq(Cat(strobes))
        if self._network.guarded:
            at_fence = address == FENCE
            with m.If(ours & config.write & at_fence):
                m.d.sync += self.fence.eq(config.data)
            can_write.append(at_fence)
            can_read.append(at_fence)
            held.append(Mux(at_fence, self.fence, 0))
        writable = Cat(can_write).any() & ~self.refused.any()
        readable = Cat(can_read).any()
        error = Mux(config.write, ~writable, ~(readable | to_counter))
        reads = Signal()
        m.d.comb += [
            reads.eq(ours & ~config.write),
            self.refused_write.eq(ours & config.write & error),
        ]
        ready, failed, read = Signal(), Signal(), Signal(32)
        counter = Signal(self._counters)
        m.d.sync += [
            ready.eq(ours),
            failed.eq(ours & error),
            read.eq(Mux(reads, either(held), 0)),
            counter.eq(Cat(reads & to_counter & (address[:bits] == i) for i in counters)),
        ]
        counted = [
            Mux(counter[i], self.counters[i * COUNTER_BITS : (i + 1) * COUNTER_BITS], 0)
            for i in counters
        ]
        m.d.comb += [
            config.ready.eq(ready),
            config.error.eq(failed),
            config.rdata.eq(either([read, *counted])),
        ]
        return m

    def _is_any(self, words: Sequence[int]) -> Value:
        """Return whether the word that is addressed is one of these."""
        return Cat(self.word == word for word in words).any()
