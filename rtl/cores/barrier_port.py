"""A core's words for barriers: arrive, wait, look, and the fence before an arrive."""

from typing import Any

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.core import (
    ARRIVE_BASE,
    DONE,
    DONE_BASE,
    LAST_BASE,
    WAIT_BASE,
    CoreWord,
    FaultReason,
)
from syncfabric.rtl.cores.bus import BusSignature
from syncfabric.rtl.cores.shape import TileShape
from syncfabric.rtl.messages import struct

_KIND = {ARRIVE_BASE: "arrive", WAIT_BASE: "wait", DONE_BASE: "look", LAST_BASE: "last"}


def port_members(shape: TileShape) -> dict[str, Any]:
    """Return the node's port, packed by register, as the process sees it."""
    registers, words = shape.registers, shape.registers * shape.data_bits
    members: dict[str, Any] = {
        "arrive": Out(registers),
        "data": Out(words),
        "released": In(registers),
        "result": In(words),
        "ready": In(registers),
        "done": In(registers),
    }
    if shape.has_last:
        members["last"] = Out(registers)
    if shape.has_last:
        members["broken"] = In(registers)
    return members


class BarrierPort(wiring.Component):
    """Arrives in the very cycle of a store, and answers a load of WAIT in that of the release.

    Source: docs/microarchitecture-cores.md, K4.

    Parameters
    ----------
    shape : TileShape

    Members
    -------
    bus : In(BusSignature)
    owing : In(1)
        Packets that were sent are not acknowledged: fences hold arrives back.
    fenced, waiting : Out(1)
        An arrive is held back; a WAIT is not answered yet.
    The node's port, as in `port_members`.
    """

    def __init__(self, shape: TileShape) -> None:
        self._shape = shape
        members: dict[str, Any] = {
            "bus": In(BusSignature()),
            "owing": In(1),
            "fenced": Out(1),
            "waiting": Out(1),
        }
        super().__init__(members | port_members(shape))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        shape, bus = self._shape, self.bus
        registers = shape.registers
        fence = Signal(registers)
        # By register: arrived and not released; arrived since the last WAIT.
        inside, arrived = Signal(registers), Signal(registers)
        still = Signal(registers)
        number = Signal(range(max(2, registers)))
        one = Signal(registers)
        exists, kinds = Signal(), {}
        low = bus.word[:5]
        m.d.comb += [
            number.eq(low),
            exists.eq(low < registers),
            one.eq(Mux(exists, Const(1, registers) << number, 0)),
            # What has ended by LAST or BROKEN is not ready: none is released from it any more.
            still.eq(inside & ~self.released & (self.ready if shape.has_last else inside)),
        ]
        for base, name in _KIND.items():
            kinds[name] = Signal(name=name)
            m.d.comb += kinds[name].eq(bus.valid & (bus.word[5:] == base >> 5))
        arrives = (kinds["arrive"] | kinds["last"]) & bus.write
        waits, looks = kinds["wait"] & ~bus.write, kinds["look"] & ~bus.write
        of_fence = bus.valid & (bus.word == CoreWord.FENCE) & bus.write
        of_fence_wait = bus.valid & (bus.word == CoreWord.FENCE_WAIT) & ~bus.write
        status = struct(DONE)(Signal(DONE.width, name="status"))
        broken = (self.broken & one).any() if shape.has_last else Const(0, 1)
        m.d.comb += [
            status.done.eq((self.done & one).any()),
            status.ready.eq((self.ready & one).any()),
            status.broken.eq(broken),
            status.waiting.eq((still & one).any()),
            bus.chosen.eq(arrives | waits | looks | of_fence | of_fence_wait),
        ]

        accepted = Signal()
        with m.If(of_fence):
            m.d.comb += bus.ready.eq(1)
            m.d.sync += fence.eq(bus.data[:registers])
        with m.Elif(of_fence_wait):
            m.d.comb += [bus.ready.eq(~self.owing), self.fenced.eq(self.owing)]
        with m.Elif(bus.chosen & (~exists | (kinds["last"] & (not shape.has_last)))):
            m.d.comb += bus.fault.eq(FaultReason.ADDRESS)
        with m.Elif(arrives):
            with m.If(~status.ready & ~broken):
                m.d.comb += bus.fault.eq(FaultReason.NOT_READY)
            with m.Elif(status.waiting):
                m.d.comb += bus.fault.eq(FaultReason.WAITING)
            with m.Else():
                m.d.comb += [
                    self.fenced.eq((fence & one).any() & self.owing),
                    accepted.eq(~self.fenced),
                ]
                m.d.comb += bus.ready.eq(accepted)
        with m.Elif(waits):
            with m.If(~(arrived & one).any()):
                m.d.comb += bus.fault.eq(FaultReason.NO_ARRIVE)
            with m.Else():
                m.d.comb += [bus.ready.eq(~status.waiting), self.waiting.eq(status.waiting)]
                m.d.comb += bus.result.eq(self._result(number))
        with m.Elif(looks):
            m.d.comb += [bus.ready.eq(1), bus.result.eq(status.as_value())]

        m.d.comb += self.arrive.eq(Mux(accepted, one & self.ready, 0))
        bits = shape.data_bits
        if bits:
            m.d.comb += self.data.eq(Cat([bus.data[:bits]] * registers))
        if shape.has_last:
            m.d.comb += self.last.eq(Mux(kinds["last"], self.arrive, 0))
        m.d.sync += [
            inside.eq(still | self.arrive),
            arrived.eq((arrived | Mux(accepted, one, 0)) & ~Mux(waits & bus.ready, one, 0)),
        ]
        return m

    def _result(self, number: Value) -> Value:
        """Return the data of a register's last barrier."""
        bits = self._shape.data_bits
        if not bits:
            return Const(0, 1)
        return Array(self.result.word_select(i, bits) for i in range(self._shape.registers))[number]
