"""The static switch: lock step, credits and order, whatever routes are loaded and when."""

from typing import Any

from amaranth import Array, Cat, Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.networks.spec import StaticSpec
from syncfabric.rtl.static.switch import StaticSwitch
from tests.formal.properties import Properties

PORTS, CORE = ("east", "north", "west", "south", "core"), 4
COUNT, OUTPUT_BITS = 5, 5
CHAIN_BITS = COUNT * OUTPUT_BITS
FLIT = 3
"""Bits of a flit."""


class StaticProof(wiring.Component):
    """A static switch between senders that keep their credits and receivers that do as they like.

    Routes are shifted in and strobed at any time, and links flushed, as R3 of
    docs/microarchitecture-static.md has it. What a flit is follows from one that is watched.

    Parameters
    ----------
    switch, core, injection : int
        Places of the buffers.
    part : Component, optional
        What stands in the switch's place.
    """

    def __init__(
        self, switch: int, core: int, injection: int, part: wiring.Component | None = None
    ) -> None:
        self._part = part
        self._network = StaticSpec(
            kind="static",
            width=2,
            height=2,
            flit_bits=FLIT,
            switch_buffer=switch,
            core_buffer=core,
            injection_buffer=injection,
        )
        super().__init__(
            {
                "valid": In(COUNT),
                "flit": In(COUNT * FLIT),
                "credit": In(COUNT),
                "flush": In(COUNT),
                "shift": In(1),
                "strobe": In(1),
                "route": In(1),
                "mark": In(1),
                "which": In(range(COUNT)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, network = Properties(m), self._network
        switch: Any = self._part or StaticSwitch(network)
        m.submodules.switch = switch
        ins = [getattr(switch, f"{name}_in") for name in PORTS]
        outs = [getattr(switch, f"{name}_out") for name in PORTS]
        m.d.comb += [
            switch.route.shift.eq(self.shift),
            switch.route.strobe.eq(self.strobe),
            switch.route_in.eq(self.route),
        ]
        select, flushes = self._routes(m, claims)
        places = [*[network.switch_buffer] * CORE, network.injection_buffer]
        room = [*[network.switch_buffer] * CORE, network.core_buffer]
        stored = [Signal(range(n + 1), name=f"stored_{i}") for i, n in enumerate(places)]
        credits = [Signal(range(n + 1), init=n, name=f"credits_{o}") for o, n in enumerate(room)]
        moves = Signal(COUNT)
        for i, link in enumerate(ins):
            empties = flushes[CORE] if i == CORE else self.flush[i]
            if i != CORE:
                m.d.comb += link.flush.eq(self.flush[i])
            m.d.comb += [link.valid.eq(self.valid[i]), link.flit.eq(self.flit.word_select(i, FLIT))]
            claims.assume(~self.valid[i] | (stored[i] != places[i]))
            m.d.sync += stored[i].eq(stored[i] + self.valid[i] - moves[i])
            with m.If(empties):
                m.d.sync += stored[i].eq(0)
            wanted = [~select[o][i] | (credits[o] != 0) for o in range(COUNT)]
            used = Cat(select[o][i] for o in range(COUNT)).any()
            m.d.comb += moves[i].eq((stored[i] != 0) & used & Cat(wanted).all())
        for o, link in enumerate(outs):
            m.d.comb += link.credit.eq(self.credit[o])
            claims.assume(~self.credit[o] | (credits[o] != room[o]))
            m.d.sync += credits[o].eq(credits[o] + self.credit[o] - link.valid)
            with m.If(flushes[o]):
                m.d.sync += credits[o].eq(room[o])

        claims.holds(
            "a flit moves exactly if all that select it have a credit",
            Cat(link.credit for link in ins) == moves,
        )
        sent = Cat(link.valid for link in outs)
        copies = Cat(Cat(select[o][i] & moves[i] for i in range(COUNT)).any() for o in range(COUNT))
        claims.holds("all copies leave in that cycle, and nothing else", sent == copies)
        claims.holds(
            "never sent without a credit",
            Cat(~link.valid | (credits[o] != 0) for o, link in enumerate(outs)).all(),
        )
        claims.holds("no buffer overflows", switch.overflow == 0)
        claims.holds("a flush is told on its link", Cat(o.flush for o in outs) == flushes)

        # One flit, any, of any input.
        where = claims.constant("where", self.which)
        claims.assume(where < COUNT)
        been, kept = Signal(), Signal(FLIT)
        position = Signal(range(max(places) + 1))
        moved, empties = moves.bit_select(where, 1), Signal()
        empty = Cat(self.flush[:CORE], flushes[CORE])
        m.d.comb += empties.eq(empty.bit_select(where, 1))
        with m.If(empties):
            m.d.sync += position.eq(0)
        with m.Elif(self.mark & ~been & self.valid.bit_select(where, 1)):
            m.d.sync += [
                been.eq(1),
                kept.eq(self.flit.word_select(where, FLIT)),
                position.eq(Array(stored)[where] + 1 - moved),
            ]
        with m.Elif(moved & (position != 0)):
            m.d.sync += position.eq(position - 1)
        leaves = moved & (position == 1)
        right = [
            ~Cat(select[o][i] & (where == i) for i in range(COUNT)).any() | (outs[o].flit == kept)
            for o in range(COUNT)
        ]
        claims.holds("flits leave in order, each copy as it came", ~leaves | Cat(right).all())
        claims.reached("the watched flit leaves", leaves)
        claims.reached("a flit leaves by four ports", Cat(sent[:3], sent[4]).all() & moves[3])
        return m

    def _routes(self, m: Module, claims: Properties) -> tuple[list[list[Signal]], Signal]:
        """Return for each output by which input it is selected, and which links are flushed."""
        shadow, flushes = Signal(CHAIN_BITS), Signal(COUNT)
        with m.If(self.shift):
            m.d.sync += shadow.eq(Cat(self.route, shadow[:-1]))
        m.d.sync += flushes.eq(0)
        select = []
        for o in range(COUNT):
            bits = shadow[OUTPUT_BITS * o : OUTPUT_BITS * (o + 1)]
            chosen = [Signal(name=f"select_{o}_{i}") for i in range(COUNT)]
            others = [chosen[i] for i in range(COUNT) if i != o]
            with m.If(self.strobe):
                m.d.sync += [Cat(others).eq(bits[:-1]), flushes[o].eq(bits[-1])]
            # No plan has an output that selects two inputs.
            claims.assume(~self.strobe | ((bits[:-1] & (bits[:-1] - 1)) == 0))
            select.append(chosen)
        return select, flushes
