"""StatusLeds of a board: what a network does, for the eye."""

from amaranth import Cat, Module, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out


class StatusLeds(wiring.Component):
    """Eight LEDs, from the lowest bit as the members stand; events are lit for a while.

    Parameters
    ----------
    beat : int, >= 2
        Cycles from one heartbeat to the next are two to the power of this.
    glow : int, >= 1
        Cycles that an event is lit, likewise; up to twice as many.

    Members
    -------
    started, released, irq, talks, sends, lost, wrong : In(1)
        The network runs; a register is released; the interrupt; a byte comes or goes; traffic is
        created; packets have been dropped; flits have been wrong.
    leds : Out(8)
        The heartbeat, and these.
    """

    def __init__(self, beat: int = 26, glow: int = 20) -> None:
        self._beat, self._glow = beat, glow
        names = ("started", "released", "irq", "talks", "sends", "lost", "wrong")
        super().__init__({**dict.fromkeys(names, In(1)), "leds": Out(8)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        time = Signal(max(self._beat, self._glow + 1))
        tick = Signal()
        m.d.sync += [time.eq(time + 1), tick.eq(time[: self._glow].all())]
        glowing: list[Value] = []
        for event in (self.released, self.talks):
            left = Signal(2, name=f"left_{len(glowing)}")
            with m.If(event):
                m.d.sync += left.eq(3)
            with m.Elif(tick):
                m.d.sync += left.eq(left[1:])
            glowing.append(left.any())
        released, talks = glowing
        states = (time[self._beat - 1], self.started, released, self.irq, talks)
        m.d.sync += self.leds.eq(Cat(*states, self.sends, self.lost, self.wrong))
        return m
