"""What becomes of the register at hand, in one cycle."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import Kind
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.combine import combine_bitwise, combine_two, identity
from syncfabric.rtl.barrier.ports import child_class
from syncfabric.rtl.barrier.serial_unit.images import image_layout
from syncfabric.rtl.messages import struct

__all__ = ["Hand"]


class Hand(wiring.Component):
    """Judges a message or the node's own arrival, merges it, and makes what is to be sent.

    Cycles and rules: docs/microarchitecture.md, sections 4.2 and 4.7. No latency.

    Parameters
    ----------
    network : MeshSpec
        Layouts and options.

    Members
    -------
    image : In(image), relay : In(1), present : In(4)
        The register's, and its children.
    arrived : In(4), accumulated : In(data_bits), local, fired, up, down : In(1)
        Its state; ``up`` and ``down``: messages to its parent, to its children are pending.
    reduces, distributes : In(1), port : In(4), data : In(data_bits)
        A message for it, of the epoch and class that count, and by the parent's port if it
        distributes; the port that it came by.
    own : In(1), own_data : In(data_bits)
        Its own arrival is combined.
    last_result : In(data_bits)
        What its last barrier ended with.
    rewrite : In(1), op : In(3)
        Its word 0 is written instead, and its new operation.
    occupied : In(4), may_send : In(1)
        Letters that are not empty; the others may be filled.
    used, release, told, waits : Out(1)
        The message was used; the barrier is over; the process is told so; letters that were wanted
        could not be filled.
    next_arrived, next_accumulated, next_fired, next_up, next_down
        Its state after that.
    result : Out(data_bits)
        With ``release``.
    put : Out(4), ups : Out(1), message : Out(sync message)
        Letters that are filled, that they are for the parent, and what is the same in all:
        neither place nor turn.
    turn : Out(4)
        The turn of each.
    """

    def __init__(self, network: MeshSpec) -> None:
        self._network = network
        bits = network.data_bits
        members: dict[str, Any] = {
            name: In(1)
            for name in (
                *("relay", "local", "fired", "up", "down"),
                *("reduces", "distributes", "own", "may_send", "rewrite"),
            )
        }
        members |= {
            name: Out(1)
            for name in (
                *("used", "release", "told", "waits", "ups"),
                *("next_fired", "next_up", "next_down"),
            )
        }
        members |= {
            "image": In(image_layout(network)),
            "present": In(4),
            "arrived": In(4),
            "accumulated": In(bits),
            "port": In(4),
            "data": In(bits),
            "own_data": In(bits),
            "last_result": In(bits),
            "op": In(3),
            "occupied": In(4),
            "next_arrived": Out(4),
            "next_accumulated": Out(bits),
            "result": Out(bits),
            "wanted": Out(4),
            "put": In(4),
            "message": Out(struct(network.layout.sync)),
            "turn": Out(4),
        }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        image = self.image
        missing, late = Signal(4), Signal(4)
        reduced, distributed, complete, fire = Signal(), Signal(), Signal(), Signal()
        ends = self.release | self.rewrite
        m.d.comb += [
            missing.eq(self.present & ~self.arrived),
            reduced.eq(self.reduces & ~self.fired & (self.port & missing).any()),
            distributed.eq(self.distributes & self.fired & ~self.up),
            self.used.eq(reduced | distributed),
            # Nobody is missing but who comes now, and whoever comes was missing.
            late.eq(missing ^ self.port),
            complete.eq(~late.any()),
            fire.eq(
                complete & ~self.fired & (self.own | (self.reduces & (self.local | self.relay)))
            ),
            self.release.eq(distributed | (fire & image.root)),
            self.told.eq(self.release & ~self.relay),
            self.next_arrived.eq(Mux(ends, 0, self.arrived | Mux(reduced, self.port, 0))),
            self.next_fired.eq(
                ~self.rewrite & ((fire & ~image.root) | (self.fired & ~distributed))
            ),
        ]
        self._combine(m, reduced, distributed)
        self._send(m, fire & ~image.root)
        return m

    def _combine(self, m: Module, reduced: Signal, distributed: Signal) -> None:
        """Combine one arrival, or hand on the parent's answer."""
        bits = self._network.data_bits
        if not bits:
            return
        op = self.image.op
        combined = Signal(bits)
        if self._network.operations == "all":
            word = Mux(self.own, self.own_data, self.data)
            after = combine_two(op, self.accumulated, word)
            m.d.comb += [
                combined.eq(Mux(reduced | self.own, after, self.accumulated)),
                self.result.eq(Mux(self.distributes & self.fired, self.data, combined)),
            ]
        else:
            # Who has fired is only answered, and that alone is the result.
            words = [(reduced | distributed, self.data), (self.own, self.own_data)]
            m.d.comb += [
                combined.eq(combine_bitwise(op, self.accumulated, words, ~distributed)),
                self.result.eq(combined),
            ]
        begun = identity(Mux(self.rewrite, self.op, op), bits)
        m.d.comb += [
            self.next_accumulated.eq(Mux(self.release | self.rewrite, begun, combined)),
            self.message.data.eq(
                Mux(self.release, self.result, Mux(self.down, self.last_result, combined))
            ),
        ]

    def _send(self, m: Module, fire_up: Value) -> None:
        """Fill the letters, all or none: for the children, or else for the parent."""
        image, message = self.image, self.message
        down, up, clear = Signal(), Signal(), Signal()
        wanted = Signal(4)
        m.d.comb += [
            down.eq(self.down | self.release),
            up.eq(self.up | fire_up),
            self.ups.eq(~down),
            wanted.eq(Mux(down, self.present, Mux(up, image.up_port, 0))),
            clear.eq(self.may_send & ~(wanted & self.occupied).any()),
            self.put.eq(Mux(clear, wanted, 0)),
            self.next_down.eq(down & ~clear & ~self.rewrite),
            self.next_up.eq(up & ~(clear & ~down) & ~self.rewrite),
            self.waits.eq((down | up) & ~clear),
            message.kind.eq(Mux(down, Kind.DISTRIBUTE, Kind.REDUCE)),
            message.gid.eq(image.gid),
            message.epoch.eq(image.epoch),
            self.turn.eq(Cat(Mux(down, child_class(p), image.turn) for p in range(4))),
        ]
