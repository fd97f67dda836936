"""All streams of a router: buffers, a join and a fork between its links, by trees of slots."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import MOST_SETS, StreamLayout
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.arbiter import RoundRobinArbiter
from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.parts.places import Places
from syncfabric.rtl.streams.buffer import StreamBuffer
from syncfabric.rtl.streams.join import join_of
from syncfabric.rtl.streams.link import StreamSignature
from syncfabric.rtl.streams.pauses import Pauses


class StreamChannel(wiring.Component):
    """State of a channel between the slot of its group and the buffers of a router.

    Rules: docs/microarchitecture-streams.md, V1 (2, 3), V4 to V6. Ports are those of the router;
    its outputs have the turn above them.

    Parameters
    ----------
    layout : StreamLayout

    Members
    -------
    alive : In(1), children : In(ports), parent : In(links), starts : In(1)
        The slot: it takes part in a group; its image; its GO is on the wires.
    visit : In(1)
        Of the watchdog.
    faults : In(ports)
        Channel failed, by the links that come in.
    holds, source_holds : In
        Ports whose buffer has a word of it; so has its source.
    credits, busy : In(ports + 1)
        Outputs that have a credit of it; on which there is a join's result in the next cycle.
    held_back : In(1)
        No join may begin.
    granted : In(1)
        What is ready may be done.
    fits, overflows : In(1)
        Words that leave for a join fit; a word of it is dropped.
    heads, takes : In(ports)
        Of the first words of ``inputs``: heads with a body, and who takes the result.
    tail : In(1)
        Of the words that leave for a join: the last of their packets.
    source_head, source_tail : In(1)
        What the source's first word is.
    leaves : In(ports)
        Words that leave for a join, in whatever cycle.
    is_open, failed, deferred : Out(1)
        The last: a join's result has kept the fork from a port, and joins of others wait.
    inputs : Out(ports), target : Out(ports + 1)
        I and V.
    up : Out(1)
        Words of ``inputs`` are bodies.
    join_ready, fork_ready : Out(1)
    joins : In(1)
        All words of a join leave; ``fits``, ``heads``, ``takes`` and ``tail`` are of them.
    copies, nulls : Out(ports)
        Outputs to which the source's first word is copied; of those, the ones that get a tail.
    source_leaves : Out(1)
        The source's first word leaves.
    drains : Out(ports)
        Ports whose words of it are dropped.
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._ports = ports = layout.ports
        self._own = int(layout.own)
        sizes: dict[str, Any] = dict.fromkeys(
            ("alive", "starts", "visit", "source_holds", "held_back", "granted", "joins"), 1
        )
        sizes |= dict.fromkeys(("fits", "overflows", "tail", "source_head", "source_tail"), 1)
        sizes |= dict.fromkeys(("children", "faults", "holds", "heads", "takes", "leaves"), ports)
        sizes |= {"parent": layout.links, **dict.fromkeys(("credits", "busy"), ports + 1)}
        outs = dict.fromkeys(("is_open", "failed", "deferred", "up", "source_leaves"), 1)
        outs |= dict.fromkeys(("join_ready", "fork_ready"), 1)
        outs |= dict.fromkeys(("inputs", "copies", "nulls", "drains"), ports)
        super().__init__(
            {name: In(size) for name, size in sizes.items()}
            | {name: Out(size) for name, size in outs.items()}
            | {"target": Out(ports + 1)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        opened, closed, gives = Signal(), Signal(), Signal(self._ports)
        root = ~self.parent.any()
        spread = Places(MOST_SETS.bit_length(), zero=False)
        m.submodules.spread = ResetInserter(closed)(spread)
        first = self._first_set(m, spread)
        m.d.comb += [
            self.is_open.eq(self.alive & opened),
            closed.eq(~self.is_open),
            self.target.eq(Cat(self.parent, Const(0, self._own), root)),
            self.drains.eq(~Mux(self.is_open, self.children, 0)),
            self.inputs.eq(Mux(self.up, gives, self.children)),
            self.join_ready.eq(
                self.is_open
                & ~self.failed
                & ~self.held_back
                & self.inputs.any()
                & ~(self.inputs & ~self.holds).any()
                & (self.target & self.credits).any()
                & (self.up | ~spread.full)
            ),
        ]
        m.d.sync += opened.eq(self.alive & (opened | self.starts))
        m.d.comb += spread.push.eq(self.joins & self.fits & ~self.up)
        with m.If(spread.push):
            m.d.sync += [gives.eq(self.heads), self.up.eq(self.heads.any())]
        with m.Elif(self.joins & self.fits & self.tail):
            m.d.sync += self.up.eq(0)
        with m.If(~self.is_open):
            m.d.sync += self.up.eq(0)
        down = self._fork(m, spread, first)
        self._fail(m, down)
        return m

    def _first_set(self, m: Module, spread: Places) -> Value:
        """Place the memory of the sets of ports that take a result; return the first of them."""
        m.submodules.sets = sets = Memory(shape=self._ports, depth=MOST_SETS + 1, init=[])
        write, read = sets.write_port(), sets.read_port(domain="comb")
        m.d.comb += [
            write.en.eq(spread.push),
            write.addr.eq(spread.write),
            write.data.eq(self.takes),
            read.addr.eq(spread.read),
        ]
        return read.data

    def _fork(self, m: Module, spread: Places, first: Value) -> Signal:
        """Copy the source's first word; return whether a packet has begun."""
        down, copied, blocked = Signal(), Signal(self._ports), Signal()
        left, able, here = (Signal(self._ports, name=name) for name in ("left", "able", "here"))
        m.d.comb += [
            left.eq(Mux(down, first, self.children) & ~copied),
            able.eq(left & self.credits),
            self.fork_ready.eq(
                self.is_open & self.source_holds & spread.some & (able.any() | ~left.any())
            ),
            here.eq(able & ~self.busy),
            blocked.eq(self.fork_ready & (able & self.busy).any()),
            self.copies.eq(Mux(self.granted & self.fork_ready, here, 0)),
            self.nulls.eq(~first),
            self.source_leaves.eq(
                Mux(
                    self.is_open,
                    self.granted & self.fork_ready & ~(left & ~here).any(),
                    self.source_holds,
                )
            ),
        ]
        m.d.comb += spread.pop.eq(self.is_open & self.source_leaves & self.source_tail)
        m.d.sync += copied.eq(Mux(self.source_leaves, 0, copied | self.copies))
        kept = Signal()
        m.d.comb += self.deferred.eq(self.is_open & kept)
        m.d.sync += kept.eq(blocked | (self.deferred & ~self.copies.any()))
        with m.If(self.source_leaves):
            m.d.sync += down.eq(~self.source_tail & (self.source_head | down))
        with m.If(~self.is_open):
            m.d.sync += [down.eq(0), copied.eq(0)]
        return down

    def _fail(self, m: Module, down: Signal) -> None:
        """Keep whether the channel has failed."""
        still, expires = Signal(), Signal()
        pending = self.holds.any() | self.source_holds | self.up | down
        moves = self.leaves.any() | self.source_leaves
        m.d.comb += expires.eq(self.visit & still & pending & ~moves)
        m.d.sync += [
            still.eq(self.is_open & Mux(self.visit, pending, still & ~moves)),
            self.failed.eq(
                self.is_open
                & (
                    self.failed
                    | (self.joins & ~self.fits)
                    | (self.faults & (self.children | self.parent)).any()
                    | self.overflows
                    | expires
                )
            ),
        ]


class StreamPlane(wiring.Component):
    """Joins words on their way up and copies them on their way down.

    Rules: docs/microarchitecture-streams.md, V1 to V8 and V13.

    Parameters
    ----------
    layout : StreamLayout

    Members
    -------
    in_0 .. : In(StreamSignature), out_0 .. : Out(StreamSignature)
        By port, the process's last.
    alive_0 .. : In(1), children_0 .. : In(ports), parent_0 .. : In(links), starts_0 .. : In(1)
        By channel: its slot takes part in a group; the slot's image; its GO is on the wires.
    visit : In(1)
        The watchdog looks.
    clear : In(1)
        Reset's last cycle at least: all words that come are 0.
    late : In(1)
        Only on links of packets: a word leaves in place of a flit.
    breaks : Out(channels)
        Slots that end as by KILL.
    waits : Out(channels)
        Slots whose SETUP waits.
    overflows : Out(1)
        A word is dropped for want of a place.
    opens : Out(channels)
        Channels that are open.
    """

    def __init__(self, layout: StreamLayout) -> None:
        self._layout = layout
        link = StreamSignature(layout)
        members: dict[str, Any] = {}
        for p in range(layout.ports):
            members |= {f"in_{p}": In(link), f"out_{p}": Out(link)}
        for c in range(layout.channels):
            members |= {f"alive_{c}": In(1), f"starts_{c}": In(1)}
            members |= {f"children_{c}": In(layout.ports), f"parent_{c}": In(layout.links)}
        members |= {name: Out(layout.channels) for name in ("breaks", "waits", "opens")}
        members |= {"late": In(1)} if layout.shared else {}
        super().__init__(members | {"visit": In(1), "clear": In(1), "overflows": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        layout = self._layout
        ports, count = range(layout.ports), range(layout.channels)
        channels: list[Any] = [StreamChannel(layout) for _ in count]
        buffers: list[Any] = [StreamBuffer(layout, layout.channels, blank=True) for _ in ports]
        sources: list[Any] = [StreamBuffer(layout, 1) for _ in count]
        m.submodules.join = join = join_of(layout)
        for p in ports:
            m.submodules[f"buffer_{p}"] = buffers[p]
        for c in count:
            m.submodules[f"channel_{c}"] = channels[c]
            m.submodules[f"source_{c}"] = sources[c]
        granted = self._grant(m, channels)
        self._take_in(m, channels, buffers, sources, join)
        self._send(m, channels, sources, join)
        ready = Cat(channel.join_ready for channel in channels)
        m.d.comb += [
            join.grant.eq(granted),
            join.take.eq(granted & ready),
            self.opens.eq(Cat(channel.is_open for channel in channels)),
            join.opens.eq(self.opens),
            join.up.eq(either([granted[c] & channels[c].up for c in count])),
            join.inputs.eq(either([Mux(granted[c], channels[c].inputs, 0) for c in count])),
        ]
        for p in ports:
            m.d.comb += join.fronts[p].eq(buffers[p].front)
        for c, channel in enumerate(channels):
            others = [(d, other) for d, other in enumerate(channels) if d != c]
            coming = [Const(0), *(Mux(join.coming[d], other.target, 0) for d, other in others)]
            m.d.comb += [
                channel.alive.eq(getattr(self, f"alive_{c}")),
                channel.starts.eq(getattr(self, f"starts_{c}")),
                channel.children.eq(getattr(self, f"children_{c}")),
                channel.parent.eq(getattr(self, f"parent_{c}")),
                channel.visit.eq(self.visit),
                channel.faults.eq(Cat(getattr(self, f"in_{p}").fault[c] for p in ports)),
                channel.busy.eq(either(coming)),
                channel.held_back.eq(~join.idle | Cat(other.deferred for _, other in others).any()),
                channel.granted.eq(granted[c]),
                channel.joins.eq(join.ends[c]),
                *(getattr(channel, n).eq(getattr(join, n)) for n in _OF_JOIN),
                self.breaks[c].eq(channel.failed & channel.is_open & ~channel.parent.any()),
                self.waits[c].eq(
                    channel.holds.any()
                    | channel.source_holds
                    | sources[c].valid
                    | join.under_way[c]
                ),
            ]
        return m

    def _grant(self, m: Module, channels: list[Any]) -> Value:
        """Choose a channel that is ready."""
        if len(channels) == 1:
            return Const(1)
        m.submodules.choice = choice = RoundRobinArbiter(len(channels))
        ready = [channel.join_ready | channel.fork_ready for channel in channels]
        m.d.comb += [choice.request.eq(Cat(ready)), choice.advance.eq(1)]
        return choice.grant

    def _take_in(
        self, m: Module, channels: list[Any], buffers: list[Any], sources: list[Any], join: Any
    ) -> None:
        """Keep what comes: from a parent and from the turn in a channel's source."""
        overflows: list[Value] = []
        for p, buffer in enumerate(buffers):
            link = getattr(self, f"in_{p}")
            above: Value = Const(0, len(channels))
            if p < self._layout.links:
                above = Cat(channel.parent[p] for channel in channels)
            leaves = Mux(join.leaves[p], join.channel, 0)
            drains = Cat(channel.drains[p] for channel in channels)
            m.d.comb += [
                buffer.valid.eq(link.valid & ~above),
                buffer.word.eq(link.word),
                buffer.clear.eq(self.clear),
                buffer.show.eq(Mux(join.show[p], join.selected, 0)),
                buffer.pop.eq(leaves | (buffer.holds & drains)),
            ]
            back = Cat(source.credit for source in sources) & above
            m.d.comb += link.credit.eq(buffer.credit | back)
            overflows += [buffer.overflow]
        for c, (channel, source) in enumerate(zip(channels, sources, strict=True)):
            turns = join.valid[c] & channel.target[-1]
            words: list[Value] = [Mux(turns, join.result.as_value(), 0)]
            comes: list[Value] = [turns]
            for p in range(self._layout.links):
                link = getattr(self, f"in_{p}")
                comes.append(link.valid[c] & channel.parent[p])
                words.append(Mux(channel.parent[p], link.word.as_value(), 0))
            m.d.comb += [
                source.valid.eq(Cat(comes).any()),
                source.word.as_value().eq(either(words)),
                source.show.eq(1),
                source.pop.eq(channel.source_leaves),
                channel.source_holds.eq(source.holds),
                channel.source_head.eq(source.front.head),
                channel.source_tail.eq(source.front.tail),
                channel.holds.eq(Cat(buffer.holds[c] for buffer in buffers)),
                channel.leaves.eq(Cat(buffer.pop[c] for buffer in buffers)),
                channel.overflows.eq(source.overflow | either([o[c] for o in overflows])),
            ]
        m.d.comb += self.overflows.eq(Cat(*(channel.overflows for channel in channels)).any())

    def _send(self, m: Module, channels: list[Any], sources: list[Any], join: Any) -> None:
        """Put results of joins and copies on the links, each by a credit."""
        word = Signal(struct(self._layout.word), reset_less=True)
        chosen = [
            Mux(channel.copies.any(), source.front.as_value(), 0)
            for channel, source in zip(channels, sources, strict=True)
        ]
        m.d.sync += word.as_value().eq(either(chosen))
        nulls = either([Mux(ch.copies.any(), ch.nulls, 0) for ch in channels])
        credits: list[list[Value]] = []
        for q in range(self._layout.ports + 1):
            credits.append([])
            for c, channel in enumerate(channels):
                m.submodules[f"credits_{q}_{c}"] = counter = CreditCounter(self._layout.places)
                spends = join.take[c] & channel.target[q]
                if q < self._layout.ports:
                    spends |= channel.copies[q]
                    back: Value = getattr(self, f"out_{q}").credit[c]
                else:
                    back = sources[c].credit & channel.target[q]
                m.d.comb += [counter.spend.eq(spends), counter.credit.eq(back)]
                credits[-1].append(counter.available)
        pauses = Pauses.of_router(self._layout) if self._layout.shared else None
        if pauses:
            m.submodules.pauses = pauses
            m.d.comb += pauses.late.eq(self.late)
        for c, channel in enumerate(channels):
            there: Value = Cat(of_port[c] for of_port in credits)
            if pauses:
                there &= ~pauses.of(channel.target)
            m.d.comb += channel.credits.eq(there)
        for q in range(self._layout.ports):
            link = getattr(self, f"out_{q}")
            copied, null = Signal(len(channels), name=f"copied_{q}"), Signal(name=f"null_{q}")
            m.d.sync += [copied.eq(Cat(ch.copies[q] for ch in channels)), null.eq(nulls[q])]
            m.d.comb += [link.valid.eq(copied), link.word.eq(word)]
            if q < self._layout.links:
                joined = Cat(join.valid[c] & ch.parent[q] for c, ch in enumerate(channels))
                m.d.comb += [
                    link.valid.eq(copied | joined),
                    link.word.eq(Mux(copied.any(), word, join.result)),
                    link.fault.eq(Cat(ch.failed & ch.is_open & ch.parent[q] for ch in channels)),
                ]
            with m.If(copied.any() & null & word.head):
                m.d.comb += link.word.tail.eq(1)


_OF_JOIN = ("fits", "heads", "takes", "tail")
