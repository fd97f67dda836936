# amaranth: UnusedElaboratable=no
"""All streams of a router: credits, what drains, and that who is ready is served."""

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.rtl.parts.credit import CreditCounter
from syncfabric.rtl.streams import plane as module
from syncfabric.rtl.streams.plane import StreamChannel, StreamPlane
from tests.formal.properties import Properties
from tests.formal.streams import DATA, MOST, FewSets, FreeBuffer, Group, Small, one_at_most, word_of

PORTS = 3


class FreePlane:
    """Places a plane whose buffers show any words, among groups and neighbours.

    Neighbours send a word only with a credit, and give one back for each word that they got.

    Parameters
    ----------
    m, claims
        Of the wrapper.
    wrapper : Component
        With the ports of ``free_ports``.
    layout : Small
    make : callable, optional
        Returns a channel.

    Attributes
    ----------
    plane : StreamPlane
    channels : list of StreamChannel
    inputs, sources : list of FreeBuffer
        By port; by channel.
    credits : list of list of CreditCounter
        By port, the turn last, and channel.
    debt, out : list of list of Signal
        By port and channel: words that came and whose credit has not gone back; words that went
        and whose credit has not come back.
    """

    def __init__(
        self,
        m: Module,
        claims: Properties,
        wrapper: Any,
        layout: Small,
        make: Callable[[Small], StreamChannel] = FewSets,
    ) -> None:
        width, count = layout.word.width - layout.bits + DATA, layout.channels
        free = [word_of(layout, wrapper.words.word_select(i, width)) for i in range(PORTS + count)]
        buffers: list[FreeBuffer] = []
        counters: list[CreditCounter] = []
        self.channels: list[StreamChannel] = []

        def buffer(one: Small, channels: int, *, blank: bool = False) -> FreeBuffer:
            buffers.append(FreeBuffer(one, channels, free[len(buffers)], blank=blank))
            return buffers[-1]

        def counter(places: int) -> CreditCounter:
            counters.append(CreditCounter(places))
            return counters[-1]

        def channel(one: Small) -> StreamChannel:
            self.channels.append(make(one))
            return self.channels[-1]

        self.plane = plane = StreamPlane(layout)
        with patch.multiple(
            module, StreamBuffer=buffer, CreditCounter=counter, StreamChannel=channel
        ):
            m.submodules.plane = plane.elaborate(None)
        self.inputs, self.sources = buffers[:PORTS], buffers[PORTS:]
        self.credits = [counters[q * count : (q + 1) * count] for q in range(PORTS + 1)]
        self.groups = [
            Group(m, claims, layout, f"slot_{c}", wrapper.slots.word_select(c, Group.width(layout)))
            for c in range(count)
        ]
        m.d.comb += plane.visit.eq(wrapper.visit)
        for c, group in enumerate(self.groups):
            m.d.comb += group.waits.eq(plane.waits[c])
            for name in ("alive", "starts", "children", "parent"):
                m.d.comb += getattr(plane, f"{name}_{c}").eq(getattr(group, name))
        self.debt, self.out = self._join(m, claims, wrapper, layout)

    def _join(
        self, m: Module, claims: Properties, wrapper: Any, layout: Small
    ) -> tuple[list[list[Signal]], list[list[Signal]]]:
        """Join the links to neighbours."""
        count = range(layout.channels)
        debt, out = (
            [[Signal(range(MOST + 2), name=f"{n}_{p}_{c}") for c in count] for p in range(PORTS)]
            for n in ("debt", "out")
        )
        for p in range(PORTS):
            here, there = getattr(self.plane, f"in_{p}"), getattr(self.plane, f"out_{p}")
            comes, back = (
                word.word_select(p, len(count)) for word in (wrapper.comes, wrapper.back)
            )
            claims.assume(one_at_most(comes))
            claims.assume(*(~comes[c] | (debt[p][c] != MOST) for c in count))
            claims.assume(*(~back[c] | (out[p][c] != 0) for c in count))
            m.d.comb += [
                here.valid.eq(comes),
                here.fault.eq(wrapper.faults.word_select(p, len(count))),
                there.credit.eq(back),
            ]
            for c in count:
                m.d.sync += [
                    debt[p][c].eq(debt[p][c] + comes[c] - here.credit[c]),
                    out[p][c].eq(out[p][c] + there.valid[c] - back[c]),
                ]
        return debt, out


def free_ports(layout: Small) -> dict[str, Any]:
    """Return the ports of a wrapper around a free plane."""
    count = layout.channels
    words = (PORTS + count) * (layout.word.width - layout.bits + DATA)
    ports = {"words": words, "visit": 1, "slots": Group.width(layout) * count}
    ports |= dict.fromkeys(("comes", "back", "faults"), PORTS * count)
    return {name: In(size) for name, size in ports.items()}


class PlaneProof(wiring.Component):
    """Credits of all ports of a router, and of its turn.

    Parameters
    ----------
    channels : int

    Members
    -------
    words, visit, slots, comes, back, faults : In
        See ``free_ports``: all free.
    """

    def __init__(self, channels: int) -> None:
        self._layout = Small(channels, 32, ("add",), "tree", PORTS, True)
        super().__init__(free_ports(self._layout))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, layout = Properties(m), self._layout
        free = FreePlane(m, claims, self, layout)
        plane: Any = free.plane
        here = [self._here(free, p, c) for c in range(layout.channels) for p in range(PORTS)]
        claims.lemma("each word gives its credit back, whatever closes", *here)
        self._claim(m, claims, free, plane, layout.channels - 1)
        claims.holds("no word is dropped", ~plane.overflows)
        valid = [getattr(plane, f"out_{p}").valid for p in range(PORTS)]
        claims.holds("a link has one word at a time", Cat(map(one_at_most, valid)).all())
        return m

    def _here(self, free: FreePlane, p: int, c: int) -> Value:
        """Return whether words that came by a port are here, or their credits on their way."""
        source = free.sources[c]
        above = free.groups[c].parent[p] if p < self._layout.links else 0
        drained = free.inputs[p].levels[c] + free.inputs[p].credit[c]
        further = Mux(above, source.levels[0] + source.credit[0], 0)
        return free.debt[p][c] == drained + further

    def _claim(self, m: Module, claims: Properties, free: FreePlane, plane: Any, c: int) -> None:
        layout, source, group = self._layout, free.sources[c], free.groups[c]
        channel: Any = free.channels[c]
        # Words of which the credit is spent and that are not on their link: a copy is there a
        # cycle later, a result after as long as the join takes.
        known, most, due, quiet, unsent = [], [], [], [], []
        turn = Signal(range(MOST + 2), name=f"turned_{c}")
        for q in range(PORTS + 1):
            counter = free.credits[q][c]
            flying = Signal(range(MOST + 2), name=f"flying_{q}_{c}")
            if q < PORTS:
                comes, out = getattr(plane, f"out_{q}").valid[c], free.out[q][c]
            else:
                comes, out = source.valid[0] & ~group.parent.any(), turn
                back = source.credit[0] & ~group.parent.any()
                m.d.sync += turn.eq(turn + comes - back)
            m.d.sync += flying.eq(flying + counter.spend - comes)
            unsent.append(flying)
            total = flying + out
            known.append(counter.available == (total < MOST))
            most.append((total <= MOST) & ~(counter.spend & ~counter.available))
            spent = Signal(range(layout.latency + 1), name=f"spent_{q}_{c}")
            m.d.sync += spent.eq(Mux(counter.spend, 0, spent + (spent != layout.latency)))
            quiet.append((flying == 0) | (spent != layout.latency))
            due.append((flying != 0) | ~comes)
        claims.lemma("words and their credits are as many as places", *known)
        claims.holds("no word is sent without a credit", Cat(most).all())
        claims.holds("a word is on its link once, in time", Cat(*due, *quiet).all())
        # Copies are on the link in the next cycle, and SETUP need not wait for them.
        copied = Cat(claims.before(f"copies_{q}", channel.copies[q]) for q in range(PORTS))
        results = Cat(flying != 0 for flying in unsent) & ~Cat(copied, 0)
        still, arrives = Signal(range(MOST + 1)), Signal()
        inputs = Cat(getattr(plane, f"in_{p}").valid[c] for p in range(PORTS))
        m.d.comb += arrives.eq(inputs.any() | source.valid.any())
        m.d.sync += still.eq(Mux(channel.is_open | arrives, 0, still + (still != MOST)))
        empty = ~Cat(*(buffer.holds[c] for buffer in free.inputs), source.holds).any()
        claims.holds(f"{MOST} cycles drain a channel that is closed", (still != MOST) | empty)
        there = ~empty | source.valid.any() | results.any()
        claims.holds("SETUP waits for what is there, and for results", plane.waits[c] | ~there)
        full = free.inputs[0].levels[c] == MOST
        claims.reached("a channel that is closed drains a full buffer", full & ~channel.is_open)
        claims.reached("the turn is full", turn == MOST)


class ServiceProof(wiring.Component):
    """Two channels of a router whose ends are all ready: each has its turn.

    Members
    -------
    words, visit, slots, comes, back, faults : In
        See ``free_ports``: all free.
    """

    def __init__(self) -> None:
        self._layout = Small(2, 32, ("add",), "tree", PORTS, True)
        super().__init__(free_ports(self._layout))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, layout = Properties(m), self._layout
        free = FreePlane(m, claims, self, layout)
        me: Any = free.channels[1]
        ready, copied = me.join_ready | me.fork_ready, me.copies.any() | me.source_leaves
        passed, stuck = Signal(range(3)), Signal(range(8))
        m.d.sync += [
            passed.eq(Mux(ready & ~me.granted, passed + (passed != 2), 0)),
            stuck.eq(Mux(me.fork_ready & ~copied, stuck + (stuck != 7), 0)),
        ]
        claims.holds("who is ready waits for one other at most", passed < 2)
        claims.holds("a fork that is ready copies within four cycles", stuck < 4)
        claims.reached("a join has waited", (passed == 1) & me.joins)
        claims.reached("a fork copies in the fourth cycle", (stuck == 3) & me.copies.any())
        return m
