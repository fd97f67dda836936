"""Whose turn it is of the registers that wait for letters."""

from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

__all__ = ["LetterTurn"]

_LAST_STAY = 0b1000
"""Where the shift register that counts 14 visits in vain is in the last; it begins with 0."""


class LetterTurn(wiring.Component):
    """Goes round the registers, and stays at one that waits, for 14 visits in vain at most.

    While it stays all others leave the letters to that one: else it might come too late for ever.
    It goes on at last because a dead neighbour may never empty a letter.

    Parameters
    ----------
    registers : int

    Members
    -------
    waits : In(registers)
        Who has messages to put into letters.
    turn : Out(registers)
        One-hot.
    holds : Out(1)
        Who has the turn waits.
    visited : In(1)
        It was at hand, and could not put its messages there.
    """

    def __init__(self, registers: int) -> None:
        super().__init__(
            {
                "waits": In(registers),
                "turn": Out(registers, init=1),
                "holds": Out(1),
                "visited": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        stays, goes_on = Signal(4), Signal()
        m.d.comb += [
            self.holds.eq((self.turn & self.waits).any()),
            goes_on.eq(self.waits.any() & (~self.holds | (stays == _LAST_STAY))),
        ]
        with m.If(goes_on):
            m.d.sync += [stays.eq(0), self.turn.eq(self.turn.rotate_left(1))]
        with m.Elif(self.visited & self.holds):
            m.d.sync += stays.eq(Cat(~(stays[2] ^ stays[3]), stays[:3]))
        return m
