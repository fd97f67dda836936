"""What a router knows of one stream channel: when it joins and forks, and when it fails."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, ResetInserter, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import MOST_SETS, StreamLayout
from syncfabric.rtl.parts.places import Places

__all__ = ["StreamChannel"]


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
    credits, taken : In(ports + 1)
        Outputs that have a credit of it; on which there is a join's result in the next cycle.
    held_back : In(1)
        No join may be taken.
    served : In(1)
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
    is_open, failed, owed : Out(1)
        The last: a join's result has kept the fork from a port, and joins of others wait.
    inputs : Out(ports), target : Out(ports + 1)
        I and V.
    up : Out(1)
        Words of ``inputs`` are bodies.
    join_ready, fork_ready : Out(1)
    joins : In(1)
        All words of a join are taken; ``fits``, ``heads``, ``takes`` and ``tail`` are of them.
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
            ("alive", "starts", "visit", "source_holds", "held_back", "served", "joins"), 1
        )
        sizes |= dict.fromkeys(("fits", "overflows", "tail", "source_head", "source_tail"), 1)
        sizes |= dict.fromkeys(("children", "faults", "holds", "heads", "takes", "leaves"), ports)
        sizes |= {"parent": layout.links, **dict.fromkeys(("credits", "taken"), ports + 1)}
        shown = dict.fromkeys(("is_open", "failed", "owed", "up", "source_leaves"), 1)
        shown |= dict.fromkeys(("join_ready", "fork_ready"), 1)
        shown |= dict.fromkeys(("inputs", "copies", "nulls", "drains"), ports)
        super().__init__(
            {name: In(size) for name, size in sizes.items()}
            | {name: Out(size) for name, size in shown.items()}
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
            here.eq(able & ~self.taken),
            blocked.eq(self.fork_ready & (able & self.taken).any()),
            self.copies.eq(Mux(self.served & self.fork_ready, here, 0)),
            self.nulls.eq(~first),
            self.source_leaves.eq(
                Mux(
                    self.is_open,
                    self.served & self.fork_ready & ~(left & ~here).any(),
                    self.source_holds,
                )
            ),
        ]
        m.d.comb += spread.pop.eq(self.is_open & self.source_leaves & self.source_tail)
        m.d.sync += copied.eq(Mux(self.source_leaves, 0, copied | self.copies))
        kept = Signal()
        m.d.comb += self.owed.eq(self.is_open & kept)
        m.d.sync += kept.eq(blocked | (self.owed & ~self.copies.any()))
        with m.If(self.source_leaves):
            m.d.sync += down.eq(~self.source_tail & (self.source_head | down))
        with m.If(~self.is_open):
            m.d.sync += [down.eq(0), copied.eq(0)]
        return down

    def _fail(self, m: Module, down: Signal) -> None:
        """Keep whether the channel has failed."""
        still, trips = Signal(), Signal()
        pending = self.holds.any() | self.source_holds | self.up | down
        moves = self.leaves.any() | self.source_leaves
        m.d.comb += trips.eq(self.visit & still & pending & ~moves)
        m.d.sync += [
            still.eq(self.is_open & Mux(self.visit, pending, still & ~moves)),
            self.failed.eq(
                self.is_open
                & (
                    self.failed
                    | (self.joins & ~self.fits)
                    | (self.faults & (self.children | self.parent)).any()
                    | self.overflows
                    | trips
                )
            ),
        ]
