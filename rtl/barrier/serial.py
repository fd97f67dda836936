"""Serial combining: one arrival a cycle and node, so that one adder and comparator do."""

from amaranth import Cat, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.parts.arbiter import RoundRobinArbiter

__all__ = ["SerialTurn"]


class SerialTurn(wiring.Component):
    """Chooses the arrival that is combined in this cycle, round robin.

    Parameters
    ----------
    registers : int
        Registers of the node.

    Members
    -------
    countable : In(4)
        Ports whose message is some register's arrival.
    waiting : In(registers)
        Registers whose local arrival waits.
    chosen : Out(4), chosen_local : Out(registers)
        The one that is combined.
    held : Out(4)
        Ports whose message must stay in its slot.
    """

    def __init__(self, registers: int) -> None:
        self._registers = registers
        super().__init__(
            {
                "countable": In(4),
                "waiting": In(registers),
                "chosen": Out(4),
                "chosen_local": Out(registers),
                "held": Out(4),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.arbiter = arbiter = RoundRobinArbiter(4 + self._registers)
        m.d.comb += [
            arbiter.request.eq(Cat(self.countable, self.waiting)),
            arbiter.advance.eq(1),
            Cat(self.chosen, self.chosen_local).eq(arbiter.grant),
            self.held.eq(self.countable & ~self.chosen),
        ]
        return m
