"""Which group's last barrier is reported next."""

from typing import Any

from amaranth import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.setup.format import SetupFormat

__all__ = ["FreedChoice"]


class FreedChoice(wiring.Component):
    """Takes the lowest register that is freed, or else a spilled entry. Combinational.

    Cycles as in docs/microarchitecture.md, S4.

    Parameters
    ----------
    form : SetupFormat
        Registers, spill, managers.

    Members
    -------
    gids : In(8 * registers), managers : In(2 * registers), freed : In(registers)
        The registers' GIDs, who set them up, whether their last barrier is over.
    spill_freed : In(1), spill_gid : In(8), spill_manager : In(2)
        Only with spill: a spilled entry's last barrier is over.
    enable : In(1)
        One may be taken in this cycle.
    put : Out(1), gid : Out(8), manager : Out(2)
        It is taken; its GID, and the manager who is to be told.
    clear_freed : Out(registers), clear_spill_freed : Out(1)
        Which it is; also of one whose manager is not built.
    stray : Out(1)
        Its manager is not built.
    """

    def __init__(self, form: SetupFormat) -> None:
        self._form = form
        members: dict[str, Any] = {
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
        if form.spill:
            members |= {
                "spill_freed": In(1),
                "spill_gid": In(8),
                "spill_manager": In(2),
                "clear_spill_freed": Out(1),
            }
        super().__init__(members)

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
        if self._form.spill:
            spilled = Signal()
            gids.append(Mux(spilled, self.spill_gid, 0))
            managers.append(Mux(spilled, self.spill_manager, 0))
            m.d.comb += [
                spilled.eq(self.spill_freed & ~self.freed.any()),
                some.eq(self.freed.any() | self.spill_freed),
                self.clear_spill_freed.eq(self.enable & spilled),
            ]
        m.d.comb += [self.gid.eq(either(gids)), self.manager.eq(either(managers))]
        return m
