# amaranth: UnusedElaboratable=no
"""Forks and joins of streams: what a channel of a router does with words that pass."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from syncfabric.models.layout.streams import StreamLayout
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.streams.buffer import StreamBuffer
from syncfabric.rtl.streams.join import join_of
from syncfabric.rtl.streams.plane import StreamChannel
from tests.formal.properties import Properties
from tests.formal.streams import DATA, MOST, FewSets, Group, Slow, Small, word_of

PORTS = 3
ADD = 2 << 3
NO_TYPE = 6 << 3


def _free_inputs(layout: StreamLayout, *driven: str) -> dict[str, Any]:
    """Return the inputs of a channel that are not driven, as those of a wrapper."""
    members = StreamChannel(layout).signature.members.items()
    return {n: In(each.shape) for n, each in members if each.flow == In and n not in driven}


class ForkProof(wiring.Component):
    """A channel and its source; the join, credits and the group do anything.

    Beside it is kept, of one port, which of the streams under way it takes, and whether it has had
    the source's first word.

    Members
    -------
    comes : In(1), flags : In(2)
        A word for the source: its ``tail`` and ``head``.
    port : In
        The one that is watched.
    ... : In
        Of :class:`StreamChannel`.
    """

    def __init__(self) -> None:
        self._layout = layout = Small(1, 32, ("add",), "tree", PORTS, True)
        free = _free_inputs(layout, "source_holds", "source_head", "source_tail")
        super().__init__(free | {"comes": In(1), "flags": In(2), "port": In(range(PORTS))})
        self._free = free

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, layout = Properties(m), self._layout
        m.submodules.channel = part = FewSets(layout)
        m.submodules.source = source = StreamBuffer(layout, 1)
        front: Any = source.front
        m.d.comb += [getattr(part, name).eq(getattr(self, name)) for name in self._free]
        m.d.comb += [
            source.valid.eq(self.comes),
            Cat(source.word.tail, source.word.head).eq(self.flags),
            source.show.eq(1),
            source.pop.eq(part.source_leaves),
            part.source_holds.eq(source.holds),
            part.source_head.eq(front.head),
            part.source_tail.eq(front.tail),
        ]
        port = claims.constant("watched", self.port)
        claims.assume(port < PORTS)
        # The image stays while there is a group, and a child's credit until it is spent; heads are
        # joined while there is room for a set.
        image = Cat(self.children, self.parent)
        was = claims.before("image", image), claims.before("alive", self.alive)
        claims.assume(~was[1] | (image == was[0]))
        unspent = claims.before("unspent", self.credits[:PORTS] & ~part.copies)
        claims.assume((unspent & self.children & ~self.credits[:PORTS]) == 0)
        claims.assume((self.takes & ~self.children) == 0)
        sets, number = [Signal(name=f"takes_{i}") for i in range(MOST)], Signal(range(MOST + 1))
        joined = self.joins & self.fits
        claims.assume(~joined | (part.is_open & (part.up | (number != MOST))))
        began, ended, down, had = (Signal(name=n) for n in ("began", "ended", "down", "had"))
        leaves, copied = part.source_leaves, part.copies.bit_select(port, 1)
        m.d.comb += [
            began.eq(joined & ~part.up),
            ended.eq(part.is_open & leaves & front.tail),
        ]
        m.d.sync += number.eq(Mux(part.is_open, number + began - ended, 0))
        for i, takes in enumerate(sets):
            later = sets[i + 1] if i + 1 < MOST else Const(0, 1)
            new = began & (number - ended == i)
            here = self.takes.bit_select(port, 1)
            m.d.sync += takes.eq(Mux(new, here, Mux(ended, later, takes)))
        with m.If(~part.is_open):
            m.d.sync += [down.eq(0), had.eq(0)]
        with m.Elif(leaves):
            m.d.sync += [down.eq(~front.tail & (front.head | down)), had.eq(0)]
        with m.Else():
            m.d.sync += had.eq(had | copied)
        mine = Mux(down, sets[0], self.children.bit_select(port, 1))
        credit = self.credits.bit_select(port, 1) & ~self.busy.bit_select(port, 1)
        able = part.is_open & self.granted & source.holds & (number != 0) & credit
        claims.holds("a word is copied to a port of its set, once", ~copied | (mine & ~had))
        claims.holds("a copy has a word, a credit and a link", ~copied | able)
        claims.holds(
            "a word leaves when each port of its set has had it",
            ~(part.is_open & leaves) | ((had | copied) == mine),
        )
        claims.holds(
            "the head of who does not take gets a tail",
            ~(copied & front.head & ~down) | (part.nulls.bit_select(port, 1) == ~sets[0]),
        )
        claims.holds(
            "a word leaves a closed channel in each cycle",
            part.is_open | (leaves == source.holds),
        )
        claims.holds("a word leaves once", ~leaves | source.holds)
        claims.holds(
            "a fork that keeps joins of others waiting is ready", ~part.deferred | part.fork_ready
        )
        claims.reached("the last body of a stream leaves behind others", down & ended & had)
        claims.reached("joins of others wait", part.deferred & copied)
        claims.reached("all sets kept", number == MOST)
        return m


class JoinProof(wiring.Component):
    """A channel and a join; buffers, credits, the fork and groups do anything.

    Beside them are kept which words each result is made of, as the rules of V5 have it: of a tree
    those of a cycle, of a serial join those that leave one after the other.

    Parameters
    ----------
    join : {"tree", "serial"}

    Members
    -------
    words : In
        First words of the ports, flags and the lowest bits of their data.
    there : In(PORTS)
        More words come.
    slot : In
        See :class:`Group`.
    ... : In
        Of :class:`StreamChannel`.
    """

    def __init__(self, join: str) -> None:
        kind = Slow if join == "serial" else Small
        self._layout = layout = kind(1, 32, ("add",), join, PORTS, True)
        names = ("source_holds", "source_head", "source_tail", "credits", "busy", "granted")
        self._free = {
            name: shape for name, shape in _free_inputs(layout).items() if name in names
        } | {"overflows": In(1), "faults": In(PORTS)}
        self._width = layout.word.width - layout.bits + DATA
        super().__init__(
            self._free
            | {"words": In(PORTS * self._width), "there": In(PORTS)}
            | {"slot": In(Group.width(layout))}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, layout = Properties(m), self._layout
        m.submodules.channel = part = FewSets(layout)
        m.submodules.join = join = join_of(layout)
        group = Group(m, claims, layout, "slot", self.slot)
        held = Signal(PORTS)
        word = struct(layout.word)
        words: list[Any] = [Signal(word, name=f"word_{p}") for p in range(PORTS)]
        for p in range(PORTS):
            free = self.words.word_select(p, self._width)
            m.d.comb += words[p].as_value().eq(word_of(layout, free))
            shows = join.show[p] & join.selected[0]
            m.d.comb += join.fronts[p].eq(Mux(shows, words[p].as_value(), 0))
        m.d.comb += [getattr(part, name).eq(getattr(self, name)) for name in self._free]
        m.d.comb += [
            getattr(part, name).eq(getattr(join, name))
            for name in ("fits", "heads", "takes", "tail", "leaves")
        ]
        m.d.comb += [
            *(getattr(part, name).eq(getattr(group, name)) for name in _OF_GROUP),
            part.holds.eq(held),
            part.held_back.eq(~join.idle),
            part.joins.eq(join.ends),
            join.grant.eq(self.granted),
            join.take.eq(self.granted & part.join_ready),
            join.inputs.eq(Mux(self.granted, part.inputs, 0)),
            join.up.eq(self.granted & part.up),
            join.opens.eq(part.is_open),
            group.waits.eq(held.any() | join.under_way),
        ]
        m.d.sync += held.eq((held & ~join.leaves & ~part.drains) | self.there)
        self._claim(m, claims, part, join, group, words, held)
        return m

    def _claim(
        self, m: Module, claims: Properties, part: Any, join: Any, group: Group,
        words: list[Any], held: Value,
    ) -> None:  # fmt: skip
        serial = self._layout.join == "serial"
        takes, steps, ends = (Signal(name=name) for name in ("takes", "steps", "ends"))
        up, gives, failed = Signal(), Signal(PORTS), Signal()
        inputs, todo = Mux(up, gives, group.children), Signal(PORTS)
        left, now = Signal(range(3)), Signal(PORTS)
        left_now = Mux(takes, inputs, todo)
        m.d.comb += [
            takes.eq(join.take),
            steps.eq(takes | (todo.any() & (left == 0))),
            now.eq(Mux(steps, left_now & -left_now if serial else left_now, 0)),
            ends.eq(steps & ((left_now & ~now) == 0)),
        ]
        m.d.sync += left.eq(Mux(steps, self._layout.operator_latency - 1, left - (left != 0)))
        with m.If(steps):
            m.d.sync += todo.eq(left_now & ~now)
        # What the words that leave now are, all alike.
        mine = [Mux(now[p], words[p].as_value(), 0) for p in range(PORTS)]
        lead: Any = Signal(struct(self._layout.word), name="lead")
        lowest = now & -now
        m.d.comb += lead.as_value().eq(
            either([Mux(lowest[p], words[p].as_value(), 0) for p in range(PORTS)])
        )
        seen = data.StructLayout(
            {"fits": 1, "head": 1, "tail": 1, "size": 2, "takes": PORTS, "gives": PORTS, "sum": 32}
        )
        kept, whole = Signal(seen, name="kept"), Signal(seen, name="whole")
        again = serial & ~takes
        headed, size = Mux(again, kept.head, ~up), Mux(again, kept.size, lead.size)
        tail = Mux(again, kept.tail, lead.tail)
        alike = [
            ~now[p]
            | Mux(
                headed,
                words[p].head & (words[p].data[:6] == ADD),
                ~words[p].head & (words[p].tail == tail) & (words[p].size == size),
            )
            for p in range(PORTS)
        ]
        total: Value = Const(0, 32)
        for one in mine:
            total = (total + one[:32])[:32]
        m.d.comb += [
            whole.fits.eq(Cat(alike).all() & part.is_open & Mux(again, kept.fits, 1)),
            whole.head.eq(headed),
            whole.size.eq(size),
            whole.tail.eq(
                Mux(again, kept.tail, 1) & Cat(~now[p] | words[p].tail for p in range(PORTS)).all()
            ),
            whole.takes.eq(
                Mux(again, kept.takes, 0) | Cat(now[p] & words[p].data[6] for p in range(PORTS))
            ),
            whole.gives.eq(
                Mux(again, kept.gives, 0)
                | Cat(now[p] & words[p].head & ~words[p].tail for p in range(PORTS))
            ),
            whole.sum.eq(Mux(again, kept.sum, 0) + total),
        ]
        with m.If(steps):
            m.d.sync += kept.eq(whole)
        with m.If(ends & whole.fits):
            m.d.sync += up.eq(Mux(up, ~whole.tail, whole.gives.any()))
            with m.If(~up):
                m.d.sync += gives.eq(whole.gives)
        with m.If(~part.is_open):
            m.d.sync += up.eq(0)
        faults = self.overflows | (self.faults & (group.children | group.parent)).any()
        m.d.sync += failed.eq(part.is_open & (failed | faults | (ends & ~whole.fits)))
        line: Value = Cat(ends, whole)
        for i in range(self._layout.latency if not serial else self._layout.operator_latency):
            line = claims.before(f"line_{i}", line)
        comes, made = line[0], data.View(seen, line[1:])
        full = (inputs & ~held) == 0
        credit = (Cat(group.parent, Const(0, 1), ~group.parent.any()) & self.credits).any()
        result: Any = join.result
        claims.holds(
            "a join is taken with a word of each giver and a credit",
            ~takes | (part.is_open & inputs.any() & full & credit & self.granted),
        )
        able = self.granted & part.is_open & up & inputs.any() & full & credit
        claims.holds(
            "bodies that are all there are taken in that cycle",
            ~able | failed | ~join.idle | takes,
        )
        claims.holds("none is taken of a channel that has failed", ~(takes & failed))
        claims.holds(
            "words leave one each" if serial else "words leave all ports of the join together",
            join.leaves == Mux(part.is_open, now, 0),
        )
        claims.holds("a result comes when it must", join.valid == comes)
        claims.holds(
            "what does not fit becomes a head that fits nowhere",
            ~comes | made.fits | (result.head & result.tail & (result.data == NO_TYPE)),
        )
        claims.holds(
            "heads that fit become one",
            ~(comes & made.fits & made.head)
            | (
                result.head
                & (result.tail == made.tail)
                & (result.data == (ADD | made.takes.any() << 6))
            ),
        )
        body = comes & made.fits & ~made.head
        claims.holds(
            "words that fit become their sum",
            ~body
            | (
                ~result.head
                & (result.tail == made.tail)
                & (result.size == made.size)
                & (result.data == made.sum)
            ),
        )
        claims.holds("it tells when all have left", join.ends == ends)
        claims.holds("it tells whether they fit", ~ends | (join.fits == whole.fits))
        claims.holds(
            "it tells who takes, and who gives",
            ~(ends & whole.fits & whole.head)
            | ((join.takes == whole.takes) & (join.heads == whole.gives)),
        )
        claims.holds(
            "nothing is under way that is not told", ~(comes | todo.any()) | join.under_way
        )
        claims.reached("a sum of three", body & group.children.all() & (made.sum == 7))
        claims.reached("a word that does not fit", comes & ~made.fits & ~made.head)


_OF_GROUP = ("alive", "starts", "children", "parent")
