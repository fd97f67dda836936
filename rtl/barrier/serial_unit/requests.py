"""Requests of the config port, in stages like all else that the serial unit does."""

from amaranth import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.config import ConfigPort

__all__ = ["Requests"]


class Requests(wiring.Component):
    """Answers requests for this node in the fourth cycle, when their register is at hand.

    Parameters
    ----------
    network : MeshSpec
        Width of the port.

    Members
    -------
    index, config : In
        As of :class:`ConfigPort`.
    stops : Out(1)
        Nobody else may be chosen: in this cycle, or the one before, a register was asked for.
    named : Out(barrier_registers)
        In the second cycle: the register that is asked for.
    found, at_hand : Out(1)
        In the third and in the fourth: one is asked for.
    data : Out(32)
        In the fourth: the word to write.
    write, refused, word, contents, counters, refused_write
        As of :class:`ConfigPort`, in the fourth.
    """

    def __init__(self, network: MeshSpec) -> None:
        self._registers = network.barrier_registers
        self._port = ConfigPort(network)
        port = self._port.signature.members
        passed = ("write", "refused", "word", "contents", "counters", "refused_write")
        super().__init__(
            {
                **{name: port[name] for name in ("index", "config", *passed)},
                "stops": Out(1),
                "named": Out(self._registers),
                "found": Out(1),
                "at_hand": Out(1),
                "data": Out(32),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        index, places = range(self._registers), (self._registers - 1).bit_length()
        address = self.config.address
        ours, asks = Signal(), Signal()
        m.d.comb += [
            ours.eq(self.config.valid & (self.config.node == self.index)),
            asks.eq(ours & Cat(address[3:] == r for r in index).any()),
        ]
        asked = _delayed(m, asks, "asked")
        answers = _delayed(m, ours, "answers")
        addresses = _delayed(m, address, "address")
        writes = _delayed(m, self.config.write, "write")
        words = _delayed(m, self.config.data, "data")
        m.d.sync += self.stops.eq(asks | asked[0])
        m.submodules.port = port = self._port
        m.d.comb += [
            # That it is one of them is known by then.
            self.named.eq(Cat(asked[0] & (addresses[0][3:][:places] == r) for r in index)),
            self.found.eq(asked[1]),
            self.at_hand.eq(asked[2]),
            self.data.eq(words[2]),
            port.index.eq(self.index),
            port.config.valid.eq(answers[2]),
            port.config.node.eq(self.index),
            port.config.address.eq(addresses[2]),
            port.config.write.eq(writes[2]),
            port.config.data.eq(words[2]),
            port.refused.eq(self.refused),
            port.contents.eq(self.contents),
            port.counters.eq(self.counters),
            self.config.ready.eq(port.config.ready),
            self.config.error.eq(port.config.error),
            self.config.rdata.eq(port.config.rdata),
            self.write.eq(port.write),
            self.word.eq(port.word),
            self.refused_write.eq(port.refused_write),
        ]
        return m


def _delayed(m: Module, value: Value, name: str) -> list[Signal]:
    """Return a value one, two and three cycles later."""
    found: list[Signal] = []
    for cycle in range(3):
        kept = Signal(len(value), name=f"{name}_{cycle}")
        m.d.sync += kept.eq(found[-1] if found else value)
        found.append(kept)
    return found
