"""A node's side of the config port: addresses, answers, refusals."""

from amaranth import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import (
    COMMAND_WORD,
    COUNTER_BASE,
    COUNTER_BITS,
    REGISTER_WORDS,
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

__all__ = ["ConfigPort", "register_words"]


def register_words(network: MessageSpec) -> tuple[list[int], list[int]]:
    """Return the words of a register that can be written, and all that can be read."""
    if isinstance(network, IrregularSpec):
        words, commands = [int(word) for word in SwitchWord], COMMAND_WORD
        writable = [word for word in words if word < SwitchWord.ARRIVED]
    else:
        words, commands = [int(word) for word in RegisterWord], int(RegisterWord.STATUS)
        writable = [word for word in words if word < RegisterWord.STATUS]
    return [*writable, commands] if network.managed else writable, words


class ConfigPort(wiring.Component):
    """Decodes requests for this node and answers in the next cycle; the spill engine in its own.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        Number of registers, and their words; spill.

    Members
    -------
    index : In
        Number of this node, as the config port counts.
    config : In(ConfigSignature)
        The network's config port; other nodes' requests are not answered.
    write : Out(words * registers)
        Bit words·register + i: the i-th word that can be written is being, unless the register
        refuses.
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

    def __init__(self, network: MessageSpec) -> None:
        self._network = network
        self._writable, self._readable = register_words(network)
        registers = network.barrier_registers
        super().__init__(
            {
                "index": In(network.layout.target_bits),
                "config": In(ConfigSignature(network)),
                "write": Out(len(self._writable) * registers),
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
        registers = self._network.barrier_registers
        config, address = self.config, self.config.address
        ours, to_spill, to_register, to_counter = Signal(), Signal(), Signal(), Signal()
        number = address[3:]
        m.d.comb += [
            ours.eq(config.valid & (config.node == self.index)),
            to_spill.eq((address >= SPILL_BASE) & int(self._network.spill)),
            to_register.eq(address < registers * REGISTER_WORDS),
            to_counter.eq((address >= COUNTER_BASE) & (address < COUNTER_BASE + len(Counter))),
            self.word.eq(address[:3]),
            self.spill_valid.eq(ours & to_spill),
        ]
        for r in range(registers):
            for i, word in enumerate(self._writable):
                m.d.comb += self.write[len(self._writable) * r + i].eq(
                    ours & config.write & to_register & (number == r) & (self.word == word)
                )
        writable = to_register & self._is_any(self._writable) & ~self.refused.any()
        readable = to_register & self._is_any(self._readable)
        error = Mux(config.write, ~writable, ~(readable | to_counter))
        counter = Array(
            self.counters[i * COUNTER_BITS : (i + 1) * COUNTER_BITS] for i in range(len(Counter))
        )[address[:2]]
        held = Mux(to_counter, counter, 0)
        for r in range(registers):
            contents = self.contents[32 * r : 32 * (r + 1)]
            held = held | Mux(to_register & (number == r), contents, 0)
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

    def _is_any(self, words: list[int]) -> Value:
        """Return whether the word that is addressed is one of these."""
        return Cat(self.word == word for word in words).any()
