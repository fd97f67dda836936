"""Where ordinary packets end: every packet checked, and what those of all nodes come to."""

from amaranth import Array, Cat, Module, Mux, ResetInserter, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.networks.spec import MessageSpec
from syncfabric.rtl.parts.counter import SaturatingCounter
from syncfabric.rtl.parts.gates import total
from syncfabric.rtl.router.link import FlitSignature
from syncfabric.rtl.traffic.source import PACKET_FLITS


class PacketSink(wiring.Component):
    """Takes a flit in every cycle, returns its credit in the next, and checks the packets.

    A flit is wrong if it stands out of place (head first, tail fifth, nothing between packets),
    if a head names another node, if a tail is not the exclusive or of the three words before, or if
    the rest of its packet is lost.
    A head always begins a packet anew, so one fault is counted once or twice, not for ever.

    Parameters
    ----------
    network : MessageSpec
        Header, flit width and channels of the network.

    Members
    -------
    header : In(header)
        Of packets for this node.
    cycle : In(32)
        Cycles since reset; latencies are right where a flit holds the time of creation, that is
        below 2**flit_bits cycles.
    clear : In(1)
        The greatest latency begins anew.
    link : In(FlitSignature)
        From the router's LOCAL port, or the node interface.
    packets, flits, errors : Out(32)
        Packets that ended, flits taken, flits that were wrong.
    latency_sum : Out(64)
        Cycles from creation to tail, summed over the packets.
    latency_max : Out(32)
        The greatest of them.
    """

    def __init__(self, network: MessageSpec) -> None:
        self._network = network
        layout = network.layout
        super().__init__(
            {
                "header": In(layout.header.width),
                "cycle": In(32),
                "clear": In(1),
                "link": In(FlitSignature.of(network)),
                "packets": Out(32),
                "flits": Out(32),
                "errors": Out(32),
                "latency_sum": Out(64),
                "latency_max": Out(32),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        flit, valid = self.link.flit, self.link.valid
        bits = min(32, self._network.flit_bits)
        header = flit.payload[: len(self.header)]
        # A flit comes late in its cycle. What it adds to the counts is worked out in the next one,
        # and shown beside what is kept, so that all counts are those of the flits before.
        misplaced, begun, ended, latency = Signal(), Signal(), Signal(), Signal(bits)
        goal = Signal.like(self.header)
        bad = [begun & (goal != self.header)]
        m.d.sync += [self.link.credit.eq(valid), misplaced.eq(0), begun.eq(0), ended.eq(0)]
        for c in range(self._network.channels):
            place = Signal(range(PACKET_FLITS), name=f"place_{c}")
            check = Signal(self._network.flit_bits, name=f"check_{c}")
            created = Signal(bits, name=f"created_{c}")
            tail = Signal(name=f"tail_{c}")
            last = place == PACKET_FLITS - 1
            bad.append(tail & check.any())
            m.d.sync += tail.eq(valid[c] & flit.tail)
            with m.If(valid[c]):
                m.d.sync += [
                    misplaced.eq(
                        (flit.head != (place == 0))
                        | (flit.tail != last)
                        | (flit.cut if self._network.guarded else 0)
                    ),
                    # With the tail's own word it is 0 if the packet is right.
                    check.eq(
                        Mux((place == 0) | flit.head, 0, check) ^ Mux(flit.head, 0, flit.payload)
                    ),
                    place.eq(Mux(flit.head, 1, Mux(flit.tail | last, 0, place + 1))),
                    ended.eq(flit.tail),
                    begun.eq(flit.head),
                    goal.eq(header),
                ]
                with m.If(flit.tail):
                    m.d.sync += latency.eq(self.cycle - created)
                with m.If(place == 2):
                    m.d.sync += created.eq(flit.payload)

        with m.If(valid.any()):
            m.d.sync += self.flits.eq(self.flits + 1)
        begun_anew, greatest = Signal(), Signal.like(self.latency_max)
        added = {
            "packets": ended,
            "errors": misplaced | Cat(bad).any(),
            "latency_sum": Mux(ended, latency, 0),
        }
        for name, more in added.items():
            total = getattr(self, name)
            kept = Signal.like(total, name=f"kept_{name}")
            m.d.comb += total.eq(kept + more)
            m.d.sync += kept.eq(total)
        counts = ended & ~begun_anew & (latency > greatest)
        m.d.comb += self.latency_max.eq(Mux(counts, latency, greatest))
        m.d.sync += [begun_anew.eq(self.clear), greatest.eq(Mux(self.clear, 0, self.latency_max))]
        return m


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
        # One of each four first: the nodes are all over a device.
        turn, group, looked_at = Signal(range(self._nodes)), Signal(range(self._nodes)), Signal(32)
        words = [self.seen_latency.word_select(i, 32) for i in range(self._nodes)]
        some = [Signal(32, name=f"latency_{i}") for i in range(0, self._nodes, 4)]
        m.d.sync += [
            turn.eq(Mux(turn == self._nodes - 1, 0, turn + 1)),
            group.eq(turn[2:]),
            looked_at.eq(Mux(self.clear, 0, Array(some)[group])),
        ]
        for i, kept in enumerate(some):
            m.d.sync += kept.eq(Mux(self.clear, 0, Array(words[4 * i : 4 * i + 4])[turn[:2]]))
        with m.If(self.clear):
            m.d.sync += self.latency.eq(0)
        with m.Elif(looked_at > self.latency):
            m.d.sync += self.latency.eq(looked_at)
        return m
