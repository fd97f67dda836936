"""A UART: 8 bits, no parity, one stop bit."""

from amaranth import Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

__all__ = ["Receiver", "Transmitter"]


class Receiver(wiring.Component):
    """Takes bytes from a line; as in docs/microarchitecture-host.md, H6.

    Parameters
    ----------
    cycles : int, >= 4
        Of a bit.

    Members
    -------
    rx : In(1)
        The line, of any clock.
    valid : Out(1), byte : Out(8), bad : Out(1)
        For one cycle: a byte; its stop bit was wrong.
    """

    def __init__(self, cycles: int) -> None:
        self._cycles = cycles
        super().__init__({"rx": In(1, init=1), "valid": Out(1), "byte": Out(8), "bad": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        line = Signal()
        m.submodules.synchronizer = FFSynchronizer(self.rx, line)
        timer, left = Signal(range(self._cycles)), Signal(range(8))
        m.d.sync += [timer.eq(timer - 1), self.valid.eq(0)]
        # There may be nobody at the other end yet: a line that is low says nothing after reset.
        with m.FSM(init="high"):
            with m.State("idle"), m.If(~line):
                m.d.sync += timer.eq(self._cycles // 2 - 1)
                m.next = "start"
            with m.State("start"), m.If(timer == 0):
                m.d.sync += [timer.eq(self._cycles - 1), left.eq(7)]
                with m.If(line):
                    m.next = "idle"
                with m.Else():
                    m.next = "bits"
            with m.State("bits"), m.If(timer == 0):
                m.d.sync += [timer.eq(self._cycles - 1), left.eq(left - 1)]
                m.d.sync += self.byte.eq(Cat(self.byte[1:], line))
                with m.If(left == 0):
                    m.next = "stop"
            with m.State("stop"), m.If(timer == 0):
                m.d.sync += [self.valid.eq(1), self.bad.eq(~line)]
                # The next start bit may begin at once: the sender's bits may be short by a little.
                with m.If(line):
                    m.next = "idle"
                with m.Else():
                    m.next = "high"
            with m.State("high"), m.If(line):
                m.next = "idle"
        return m


class Transmitter(wiring.Component):
    """Sends bytes on a line.

    Parameters
    ----------
    cycles : int, >= 4
        Of a bit.

    Members
    -------
    byte : In(8), valid : In(1), ready : Out(1)
        A byte to send, taken when both are high.
    tx : Out(1)
        The line.
    """

    def __init__(self, cycles: int) -> None:
        self._cycles = cycles
        super().__init__({"byte": In(8), "valid": In(1), "ready": Out(1), "tx": Out(1, init=1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        timer, left, rest = Signal(range(self._cycles)), Signal(range(10)), Signal(9)
        busy = Signal()
        m.d.comb += self.ready.eq(~busy)
        with m.If(~busy), m.If(self.valid):
            m.d.sync += [self.tx.eq(0), rest.eq(Cat(self.byte, 1)), busy.eq(1)]
            m.d.sync += [timer.eq(self._cycles - 1), left.eq(9)]
        with m.Elif(timer == 0):
            m.d.sync += [timer.eq(self._cycles - 1), left.eq(left - 1)]
            m.d.sync += [self.tx.eq(rest[0]), rest.eq(Cat(rest[1:], 1))]
            with m.If(left == 0):
                m.d.sync += busy.eq(0)
        with m.Else():
            m.d.sync += timer.eq(timer - 1)
        return m
