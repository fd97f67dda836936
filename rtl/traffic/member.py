"""A process for long runs: arrives at its barriers again and again."""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import (
    MessageSpec,
)
from syncfabric.rtl.traffic.generator import xorshift32
from syncfabric.rtl.traffic.source import GOLDEN_RATIO

__all__ = ["JITTER_BITS", "BarrierMember"]

JITTER_BITS = 8


class BarrierMember(wiring.Component):
    """Arrives at each of a node's barriers, waits for the release, lingers, arrives again.

    The wait after a release is a pseudo-random number of cycles. With none, the next arrival is
    in the very cycle of the release.

    Parameters
    ----------
    network : MeshSpec or IrregularSpec
        Its nodes, registers of a node port, and data width.

    Members
    -------
    index : In(node bits)
        This node's number.
    member : In(registers)
        Registers whose barriers this node takes part in.
    load : In(1)
        Seeds the random numbers; nobody arrives before.
    seed : In(32)
        One for the whole network; ``index`` is mixed in.
    enable : In(1)
        Arrivals may be made; a barrier that was begun completes all the same.
    jitter : In(8)
        Which bits of a random byte a wait has: 0 for none, 31 for up to 31 cycles.
    arrive, data : Out
        To the router, a bit and a random word a register.
    released : In(registers)
        From the router.
    """

    def __init__(self, network: MessageSpec) -> None:
        self._registers = network.port_registers
        self._data_bits = network.data_bits
        super().__init__(
            {
                "index": In(network.layout.node_bits),
                "member": In(self._registers),
                "load": In(1),
                "seed": In(32),
                "enable": In(1),
                "jitter": In(JITTER_BITS),
                "arrive": Out(self._registers),
                "data": Out(self._registers * self._data_bits),
                "released": In(self._registers),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        state, seeded = Signal(32), Signal(32)
        m.d.comb += seeded.eq(self.seed ^ (self.index * GOLDEN_RATIO))
        with m.If(self.load):
            m.d.sync += state.eq(Mux(seeded == 0, 1, seeded))
        with m.Elif(state != 0):
            m.d.sync += state.eq(xorshift32(state))

        words = []
        for r in range(self._registers):
            inside = Signal(name=f"inside_{r}")  # arrived and not yet released
            left = Signal(JITTER_BITS, name=f"left_{r}")
            linger = Signal(JITTER_BITS, name=f"linger_{r}")
            ready = Signal(name=f"ready_{r}")
            freed = Signal(name=f"freed_{r}")
            turned = state.rotate_left(5 * r)  # no two registers see the same byte
            m.d.comb += [
                linger.eq(turned[:JITTER_BITS] & self.jitter),
                freed.eq(inside & self.released[r]),
                ready.eq(Mux(inside, freed & (linger == 0), left == 0)),
                self.arrive[r].eq(ready & self.enable & self.member[r] & (state != 0)),
            ]
            with m.If(self.arrive[r]):
                m.d.sync += inside.eq(1)
            with m.Elif(freed):
                m.d.sync += [inside.eq(0), left.eq(Mux(linger == 0, 0, linger - 1))]
            with m.Elif(left != 0):
                m.d.sync += left.eq(left - 1)
            words.append(turned[: self._data_bits])
        m.d.comb += self.data.eq(Cat(*words))
        return m
