"""A process's ports of streams and a router of their own, back to back."""

from typing import Any

from amaranth import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import HEAD, StreamLayout
from syncfabric.rtl.streams.plane import StreamPlane
from syncfabric.rtl.streams.process import AxisSignature, StreamPort


class StreamLoop(wiring.Component):
    """Streams of groups that have one member: what it gives is what it gets.

    Parameters
    ----------
    layout : StreamLayout
        Of a router without links.

    Members
    -------
    s_axis : In(AxisSignature), m_axis : Out(AxisSignature)
    alive, starts : In(channels)
        The slots of the groups, whose children are the process alone.
    waits : Out(channels)
        Slots whose SETUP waits.
    dropped : Out(1)
        A word is dropped for want of a place.
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._layout, count = layout, layout.channels
        super().__init__(
            {
                "s_axis": In(AxisSignature(layout, HEAD.width)),
                "m_axis": Out(AxisSignature(layout, 1)),
                "alive": In(count),
                "starts": In(count),
                "waits": Out(count),
                "dropped": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.port = port = StreamPort(self._layout)
        m.submodules.plane = plane = StreamPlane(self._layout)
        router: Any = plane
        wiring.connect(m, wiring.flipped(self.s_axis), port.s_axis)
        wiring.connect(m, port.m_axis, wiring.flipped(self.m_axis))
        wiring.connect(m, port.send, router.in_0)
        wiring.connect(m, router.out_0, port.receive)
        m.d.comb += [
            port.opens.eq(self.alive),
            self.waits.eq(router.waits),
            self.dropped.eq(router.overflows | port.overflows),
        ]
        for c in range(self._layout.channels):
            m.d.comb += [
                getattr(router, f"alive_{c}").eq(self.alive[c]),
                getattr(router, f"starts_{c}").eq(self.starts[c]),
                getattr(router, f"children_{c}").eq(1),
            ]
        return m
