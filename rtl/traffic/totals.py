"""What the traffic of all nodes comes to: packets, faults, and the greatest latency."""

from amaranth import Array, Module, Mux, ResetInserter, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.rtl.parts.counter import SaturatingCounter
from syncfabric.rtl.parts.gates import total

__all__ = ["TrafficTotals"]

_COUNTS = ("created", "lost", "received", "wrong")


class TrafficTotals(wiring.Component):
    """Adds up what sources and sinks count; a count is right three cycles after a node's.

    Of a node's counters it takes the lowest bit, which changes whenever one is counted. The nodes'
    greatest latencies are looked at in turn, one a cycle.

    Parameters
    ----------
    nodes : int, >= 1
        Nodes of the network.

    Members
    -------
    clear : In(1)
        All begin anew; what nodes count from the next cycle on is counted.
    seen_created, seen_lost, seen_received, seen_wrong : In(nodes)
        The lowest bit of each node's counter.
    seen_latency : In(32 * nodes)
        Each node's greatest latency; 0 in the cycle after ``clear``.
    created, lost, received, wrong, latency : Out(32)
        Of all nodes; they stay at their greatest value.
    """

    def __init__(self, nodes: int) -> None:
        self._nodes = nodes
        super().__init__(
            {
                "clear": In(1),
                **{f"seen_{name}": In(nodes) for name in _COUNTS},
                "seen_latency": In(32 * nodes),
                **dict.fromkeys((*_COUNTS, "latency"), Out(32)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        for name in _COUNTS:
            seen = getattr(self, f"seen_{name}")
            before = Signal(self._nodes, name=f"{name}_before")
            events = Signal(self._nodes, name=f"{name}_events")
            counter = SaturatingCounter(32, self._nodes)
            m.submodules[name] = ResetInserter(self.clear)(counter)
            m.d.sync += [before.eq(seen), events.eq(Mux(self.clear, 0, seen ^ before))]
            m.d.sync += counter.events.eq(Mux(self.clear, 0, total(events)))
            m.d.comb += getattr(self, name).eq(counter.count)
        latencies = Array(self.seen_latency.word_select(i, 32) for i in range(self._nodes))
        turn, looked_at = Signal(range(self._nodes)), Signal(32)
        m.d.sync += [
            turn.eq(Mux(turn == self._nodes - 1, 0, turn + 1)),
            looked_at.eq(Mux(self.clear, 0, latencies[turn])),
        ]
        with m.If(self.clear):
            m.d.sync += self.latency.eq(0)
        with m.Elif(looked_at > self.latency):
            m.d.sync += self.latency.eq(looked_at)
        return m
