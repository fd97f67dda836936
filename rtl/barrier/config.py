"""A node's side of the config port: addresses, answers, refusals."""

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import (
    COMMAND_WORD,
    COUNTER_BASE,
    COUNTER_BITS,
    SPILL_BASE,
    Counter,
    RegisterWord,
    SwitchWord,
)
from syncfabric.models.networks.spec import (
    IrregularSpec,
    MessageSpec,
)
from syncfabric.rtl.barrier.ports import ConfigSignature

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
    """

    registers: int
    writable: tuple[int, ...]
    readable: tuple[int, ...]

    @property
    def writes(self) -> int:
        """Write strobes of all registers."""
        return self.registers * len(self.writable)


def message_bank(network: MessageSpec) -> ConfigBank:
    """Return a network's barrier registers."""
    if isinstance(network, IrregularSpec):
        words, commands = [int(word) for word in SwitchWord], COMMAND_WORD
        writable = [word for word in words if word < SwitchWord.ARRIVED]
    else:
        words, commands = [int(word) for word in RegisterWord], int(RegisterWord.STATUS)
        writable = [word for word in words if word < RegisterWord.STATUS]
    if network.managed:
        writable.append(commands)
    return ConfigBank(network.barrier_registers, tuple(writable), tuple(words))


class ConfigPort(wiring.Component):
    """Decodes requests for this node and answers in the next cycle; the spill engine in its own.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        Width of the port; spill.
    banks : sequence of ConfigBank, optional
        The registers, by rising number; the network's barrier registers.

    Members
    -------
    index : In
        Number of this node, as the config port counts.
    config : In(ConfigSignature)
        The network's config port; other nodes' requests are not answered.
    write : Out
        For each register a bit for each of the words that can be written: it is being, unless the
        register refuses.
    refused : In(registers)
        The register refuses the write.
    word : Out(3), contents : In(32 * registers)
        Word that is read, and what each register holds there.
    counters : In
        The counters' values.
    spill_valid : Out(1), spill_ready, spill_error, spill_rdata : In
        Request for the spill engine, and its answer; beside a set-up sink ConfigAccess takes that.
    refused_write : Out(1)
        A write was refused in this cycle, not counting the spill engine's.
    """

    def __init__(self, network: MessageSpec, banks: Sequence[ConfigBank] | None = None) -> None:
        self._network = network
        self._banks = (message_bank(network),) if banks is None else tuple(banks)
        self._registers = registers = sum(bank.registers for bank in self._banks)
        super().__init__(
            {
                "index": In(network.layout.target_bits),
                "config": In(ConfigSignature(network)),
                "write": Out(sum(bank.writes for bank in self._banks)),
                "refused": In(registers),
                "word": Out(3),
                "contents": In(32 * registers),
                "counters": In(len(Counter) * COUNTER_BITS),
                "spill_valid": Out(1),
                "spill_ready": In(1),
                "spill_error": In(1),
                "spill_rdata": In(32),
                "refused_write": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        registers = self._registers
        config, address = self.config, self.config.address
        ours, to_spill, to_counter = Signal(), Signal(), Signal()
        number, at = address[3:], Signal(registers)
        m.d.comb += [
            ours.eq(config.valid & (config.node == self.index)),
            to_spill.eq((address >= SPILL_BASE) & int(self._network.spill)),
            at.eq(Cat(number == r for r in range(registers))),
            to_counter.eq(address[2:] == COUNTER_BASE >> 2),
            self.word.eq(address[:3]),
            self.spill_valid.eq(ours & to_spill),
        ]
        strobes: list[Value] = []
        can_write: list[Value] = []
        can_read: list[Value] = []
        first = 0
        for bank in self._banks:
            here = at[first : first + bank.registers]
            strobes += [
                ours & config.write & here[r] & (self.word == word)
                for r in range(bank.registers)
                for word in bank.writable
            ]
            can_write.append(here.any() & self._is_any(bank.writable))
            can_read.append(here.any() & self._is_any(bank.readable))
            first += bank.registers
        m.d.comb += self.write.eq(Cat(strobes))
        writable = Cat(can_write).any() & ~self.refused.any()
        readable = Cat(can_read).any()
        error = Mux(config.write, ~writable, ~(readable | to_counter))
        counter = Array(
            self.counters[i * COUNTER_BITS : (i + 1) * COUNTER_BITS] for i in range(len(Counter))
        )[address[:2]]
        held = Mux(to_counter, counter, 0)
        for r in range(registers):
            contents = self.contents[32 * r : 32 * (r + 1)]
            held = held | Mux(at[r], contents, 0)
        answers = Signal()
        m.d.comb += [
            answers.eq(ours & ~to_spill),
            self.refused_write.eq(answers & config.write & error),
        ]
        ready, failed, read = Signal(), Signal(), Signal(32)
        m.d.sync += [
            ready.eq(answers),
            failed.eq(answers & error),
            read.eq(Mux(answers & ~config.write, held, 0)),
        ]
        m.d.comb += [
            config.ready.eq(ready | self.spill_ready),
            config.error.eq(failed | self.spill_error),
            config.rdata.eq(read | self.spill_rdata),
        ]
        return m

    def _is_any(self, words: Sequence[int]) -> Value:
        """Return whether the word that is addressed is one of these."""
        return Cat(self.word == word for word in words).any()
