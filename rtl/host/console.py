"""A UART, and a console of ASCII lines over it, in front of the host bus."""

import enum

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.host import HOST_ADDRESS_BITS
from syncfabric.rtl.host.ports import HostBusSignature


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
        # There may be no sender at the other end yet: a line that is low says nothing after reset.
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


_ADDRESS_DIGITS, _DATA_DIGITS = 5, 8


class _Answer(enum.IntEnum):
    """What the console says."""

    VALUE, OK, REFUSED, LINE, BUSY = range(5)


_DIGITS = "0" * _DATA_DIGITS
_TEXT = {
    _Answer.VALUE: f"= {_DIGITS}\r\n",
    _Answer.OK: "ok\r\n",
    _Answer.REFUSED: "error refused\r\n",
    _Answer.LINE: "error line\r\n",
    _Answer.BUSY: "error busy\r\n",
}
_FIRST_DIGIT = _TEXT[_Answer.VALUE].index("0")
_LONGEST = max(map(len, _TEXT.values()))


class _Char:
    """What a byte is."""

    def __init__(self, byte: Value) -> None:
        self._byte = byte
        self.end = self.is_one("\r\n")
        self.space = self.is_one(" ")
        number = (byte >= ord("0")) & (byte <= ord("9"))
        letter = (byte[3:] == ord("a") >> 3) | (byte[3:] == ord("A") >> 3)
        letter &= (byte[:3] >= 1) & (byte[:3] <= 6)
        self.digit = number | letter
        self.value = Mux(number, byte[:4], byte[:3] + 9)[:4]

    def is_one(self, of: str) -> Value:
        """Return whether it is one of these characters."""
        return Cat(self._byte == ord(letter) for letter in of).any()


class Console(wiring.Component):
    """Reads lines, asks the bus, and answers; as in docs/microarchitecture-host.md, H6.

    Parameters
    ----------
    cycles : int, >= 4
        Of a bit on the lines.

    Members
    -------
    rx : In(1), tx : Out(1)
        The UART's lines.
    bus : Out(HostBusSignature)
    """

    def __init__(self, cycles: int) -> None:
        self._cycles = cycles
        super().__init__(
            {"rx": In(1, init=1), "tx": Out(1, init=1), "bus": Out(HostBusSignature())}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.receiver = receiver = Receiver(self._cycles)
        m.submodules.transmitter = transmitter = Transmitter(self._cycles)
        bus, char = self.bus, _Char(receiver.byte)
        address, digits = Signal(4 * _ADDRESS_DIGITS), Signal(range(_DATA_DIGITS + 1))
        answer, read = Signal(_Answer), Signal(32)
        place = Signal(range(_LONGEST))
        m.d.comb += [
            receiver.rx.eq(self.rx),
            self.tx.eq(transmitter.tx),
            bus.address.eq(address),
            transmitter.byte.eq(self._said(answer, place, read)),
        ]
        # While it is blocked it accepts no line, but keeps that one is lost.
        blocked, loses, lost, midline = (Signal() for _ in range(4))
        inside = Signal()
        m.d.comb += [
            loses.eq(receiver.valid & blocked & (~char.end | receiver.bad)),
            midline.eq(Mux(receiver.valid, loses, inside)),
        ]
        with m.If(blocked):
            m.d.sync += [lost.eq(lost | loses), inside.eq(midline)]
        fits = (digits != 0) & (address < 1 << HOST_ADDRESS_BITS)
        with m.FSM():

            def say(what: _Answer) -> None:
                m.d.sync += [answer.eq(what), place.eq(0)]
                m.next = "answer"

            def number_of(most: int, number: Signal, end: Value, then: str) -> None:
                """Take digits of a number; at the end of the line go on if it may end here."""
                with m.If(char.digit & (digits < most)):
                    m.d.sync += [number.eq(Cat(char.value, number)), digits.eq(digits + 1)]
                with m.Elif(char.end & end):
                    m.next = then
                with m.Elif(char.end):
                    say(_Answer.LINE)
                with m.Else():
                    m.next = "invalid"

            with m.State("begin"), m.If(receiver.valid):
                m.d.sync += bus.write.eq(char.is_one("w"))
                with m.If(char.is_one("rw") & ~receiver.bad):
                    m.next = "space"
                with m.Elif(~char.end | receiver.bad):
                    m.next = "invalid"
            with m.State("space"), m.If(receiver.valid):
                m.d.sync += [address.eq(0), bus.data.eq(0), digits.eq(0)]
                with m.If(receiver.bad):
                    m.next = "invalid"
                with m.Elif(char.space):
                    m.next = "address"
                with m.Elif(char.end):
                    say(_Answer.LINE)
                with m.Else():
                    m.next = "invalid"
            with m.State("address"), m.If(receiver.valid):
                with m.If(receiver.bad):
                    m.next = "invalid"
                with m.Elif(char.space & bus.write & fits):
                    m.d.sync += digits.eq(0)
                    m.next = "data"
                with m.Else():
                    number_of(_ADDRESS_DIGITS, address, fits & ~bus.write, "ask")
            with m.State("data"), m.If(receiver.valid):
                with m.If(receiver.bad):
                    m.next = "invalid"
                with m.Else():
                    number_of(_DATA_DIGITS, bus.data, digits != 0, "ask")
            with m.State("invalid"), m.If(receiver.valid & char.end & ~receiver.bad):
                say(_Answer.LINE)
            with m.State("ask"):
                m.d.comb += [bus.valid.eq(1), blocked.eq(1)]
                with m.If(bus.ready & ~bus.later):
                    m.d.sync += read.eq(bus.rdata)
                    with m.If(bus.error):
                        say(_Answer.REFUSED)
                    with m.Elif(bus.write):
                        say(_Answer.OK)
                    with m.Else():
                        say(_Answer.VALUE)
            with m.State("answer"):
                m.d.comb += [transmitter.valid.eq(1), blocked.eq(1)]
                with m.If(transmitter.ready):
                    m.d.sync += place.eq(place + 1)
                    with m.If(self._last(answer, place)):
                        with m.If(lost | loses):
                            m.d.sync += lost.eq(0)
                            say(_Answer.BUSY)
                        with m.Elif(midline):
                            m.next = "skip"
                        with m.Else():
                            m.next = "begin"
            with m.State("skip"), m.If(receiver.valid & char.end & ~receiver.bad):
                m.d.sync += inside.eq(0)
                m.next = "begin"
        return m

    @staticmethod
    def _last(answer: Value, place: Value) -> Value:
        """Return whether this byte of an answer is its last."""
        return Cat(
            (answer == kind) & (place == len(text) - 1) for kind, text in _TEXT.items()
        ).any()

    @staticmethod
    def _said(answer: Value, place: Value, read: Value) -> Value:
        """Return a byte of an answer."""
        at = Array(read.word_select(_DATA_DIGITS - 1 - i, 4) for i in range(_DATA_DIGITS))
        digit = at[(place - _FIRST_DIGIT)[:3]]
        letter = Mux(digit < 10, ord("0") + digit, ord("A") - 10 + digit)
        texts = [text.ljust(_LONGEST, "\0") for text in _TEXT.values()]
        plain = Array(
            Array(Const(ord(text[i]), 8) for i in range(_LONGEST))[place] for text in texts
        )[answer]
        is_digit = (answer == _Answer.VALUE) & (place >= _FIRST_DIGIT)
        is_digit &= place < _FIRST_DIGIT + _DATA_DIGITS
        return Mux(is_digit, letter, plain)
