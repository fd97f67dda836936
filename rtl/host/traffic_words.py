"""What software says to the sources of ordinary traffic, and sees of what came of it."""

from amaranth import Array, Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages.host import TRAFFIC_CONTROL, TrafficWord
from syncfabric.rtl.host.ports import TrafficSignature
from syncfabric.rtl.messages import struct

__all__ = ["TrafficWords"]


class TrafficWords(wiring.Component):
    """Words of the traffic; cycles as in docs/microarchitecture-host.md, H4.

    Members
    -------
    word : In(4), data : In(32), read, write : In(1)
        What is addressed, and done with it in this cycle.
    value : Out(32), refused : Out(1)
        What the word holds; it is refused.
    traffic : Out(TrafficSignature)
        Sources, and counts.
    """

    word: In(4)  # type: ignore[valid-type]
    data: In(32)  # type: ignore[valid-type]
    read: In(1)  # type: ignore[valid-type]
    write: In(1)  # type: ignore[valid-type]
    value: Out(32)  # type: ignore[valid-type]
    refused: Out(1)  # type: ignore[valid-type]
    traffic: Out(TrafficSignature())  # type: ignore[valid-type]

    def elaborate(self, platform: object) -> Module:
        m = Module()
        traffic = self.traffic
        control = struct(TRAFFIC_CONTROL)(self.data[: TRAFFIC_CONTROL.width])
        held = {
            TrafficWord.RATE: traffic.rate,
            TrafficWord.SEED: traffic.seed,
            TrafficWord.CONTROL: traffic.enable,
            TrafficWord.CREATED: traffic.created,
            TrafficWord.LOST: traffic.lost,
            TrafficWord.RECEIVED: traffic.received,
            TrafficWord.WRONG: traffic.wrong,
            TrafficWord.LATENCY: traffic.latency,
        }
        writable = self.word <= TrafficWord.CONTROL
        readable = self.word <= TrafficWord.LATENCY
        m.d.comb += [
            self.value.eq(Array(held[word] for word in TrafficWord)[self.word[:3]]),
            self.refused.eq((self.write & ~writable) | (self.read & ~readable)),
        ]
        m.d.sync += traffic.load.eq(0)
        with m.If(self.write), m.Switch(self.word):
            with m.Case(TrafficWord.RATE):
                m.d.sync += traffic.rate.eq(self.data)
            with m.Case(TrafficWord.SEED):
                m.d.sync += traffic.seed.eq(self.data)
            with m.Case(TrafficWord.CONTROL):
                m.d.sync += [traffic.enable.eq(control.enable), traffic.load.eq(control.load)]
        return m
