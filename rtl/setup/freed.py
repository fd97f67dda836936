"""Which group's last barrier is reported next."""

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.setup.format import SetupFormat

__all__ = ["FreedChoice"]


class FreedChoice(wiring.Component):
    """Takes the lowest register that is freed. Combinational.

    Cycles as in docs/microarchitecture.md, S4.

    Parameters
    ----------
    form : SetupFormat
        Registers, managers.

    Members
    -------
    gids : In(8 * registers), managers : In(2 * registers), freed : In(registers)
        The registers' GIDs, who set them up, whether their last barrier is over.
    enable : In(1)
        One may be taken in this cycle.
    put : Out(1), gid : Out(8), manager : Out(2)
        It is taken; its GID, and the manager who is to be told.
    clear_freed : Out(registers)
        Which it is; also of one whose manager is not built.
    stray : Out(1)
        Its manager is not built.
    """

    def __init__(self, form: SetupFormat) -> None:
        self._form = form
        super().__init__(
            {
                "gids": In(8 * form.registers),
                "managers": In(2 * form.registers),
                "freed": In(form.registers),
                "enable": In(1),
                "put": Out(1),
                "gid": Out(8),
                "manager": Out(2),
                "clear_freed": Out(form.registers),
                "stray": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        lowest, some, built = Signal(self._form.registers), Signal(), Signal()
        places = range(self._form.registers)
        gids = [Mux(lowest[r], self.gids[8 * r : 8 * r + 8], 0) for r in places]
        managers = [Mux(lowest[r], self.managers[2 * r : 2 * r + 2], 0) for r in places]
        m.d.comb += [
            lowest.eq(self.freed & -self.freed),
            some.eq(self.freed.any()),
            built.eq(self.manager < len(self._form.headers)),
            self.put.eq(self.enable & some & built),
            self.stray.eq(self.enable & some & ~built),
            self.clear_freed.eq(Mux(self.enable, lowest, 0)),
        ]
        m.d.comb += [self.gid.eq(either(gids)), self.manager.eq(either(managers))]
        return m
