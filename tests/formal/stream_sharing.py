# amaranth: UnusedElaboratable=no
"""Links that words of streams share with packets: neither is lost, and flits wait for a time."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.layout.streams import StreamLayout
from syncfabric.rtl.router.link import FlitSignature
from syncfabric.rtl.router.router import OutputPort
from syncfabric.rtl.streams.plane import StreamChannel
from tests.formal.properties import Properties
from tests.formal.stream_planes import PORTS, FreePlane, free_ports
from tests.formal.streams import Slow, Small, one_at_most

INPUTS = 2
FLIT_BITS = 16
BETWEEN = 3
SHARE = 5


def _less(debt: Value, sent: Value, most: int) -> Value:
    """Return the cycles that are debt: one more, less ``SHARE`` for a flit."""
    paid = Mux(debt < SHARE - 1, 0, debt - (SHARE - 1))
    return Mux(sent, paid, debt + (debt <= most))


class _AnyChannel(StreamChannel):
    """Joins and copies any words, by credits, when it is served: all that a channel does, and more.

    Parameters
    ----------
    layout : StreamLayout
    free : Value
        Ports that it copies to; those whose words it joins; it joins; it is open.
    """

    def __init__(self, layout: StreamLayout, free: Value) -> None:
        super().__init__(layout)
        self._free = free

    @staticmethod
    def width(layout: StreamLayout) -> int:
        """Return the bits of ``free``."""
        return 2 * layout.ports + 2

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ports = self._ports
        copies, inputs, (joins, opens) = self._free[:ports], self._free[ports:-2], self._free[-2:]
        able = Mux(self.is_open, copies & ~self.target & self.credits, 0)
        target = self.target & self.credits
        m.d.comb += [
            self.is_open.eq(self.alive & opens),
            self.target.eq(Cat(self.parent, Const(0, self._own), ~self.parent.any())),
            self.inputs.eq(Mux(inputs.any(), inputs, 1)),
            self.join_ready.eq(self.is_open & joins & ~self.held_back & target.any()),
            self.fork_ready.eq(able.any()),
            self.copies.eq(Mux(self.granted, able & ~self.busy, 0)),
        ]
        return m


class SharingProof(wiring.Component):
    """All streams of a router, and the outputs by which flits leave, too (V13).

    Two inputs offer any flits to each output, and credits for these come at any time.

    Parameters
    ----------
    join : {"tree", "serial"}

    Members
    -------
    words, visit, slots, comes, back, faults : In
        See ``free_ports``: all free.
    forms : In
        What channels do, by channel: see :class:`_AnyChannel`.
    offers, flits, credits : In
        By output: inputs that offer a flit; the flits; a credit comes back.
    """

    def __init__(self, join: str) -> None:
        kind = Slow if join == "tree" else Small
        self._layout = layout = kind(2, 32, ("add",), join, PORTS, True, shared=True)
        self._link = FlitSignature(
            1, FLIT_BITS, message_bits=layout.word.width, classes=layout.channels, sharer="stream"
        )
        sizes = {"offers": INPUTS, "flits": INPUTS * self._link.flit.size, "credits": 1}
        members = {name: In(size * layout.links) for name, size in sizes.items()}
        members["forms"] = In(_AnyChannel.width(layout) * layout.channels)
        super().__init__(free_ports(layout) | members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, layout = Properties(m), self._layout
        forms = iter(
            [self.forms.word_select(c, _AnyChannel.width(layout)) for c in range(layout.channels)]
        )
        free = FreePlane(m, claims, self, layout, lambda one: _AnyChannel(one, next(forms)))
        plane: Any = free.plane
        words = [getattr(plane, f"out_{q}") for q in range(layout.links)]
        outputs = [self._output(m, q, words[q]) for q in range(layout.links)]
        waits = [output.offer.any() & output.has_credit for output in outputs]
        late = Cat(w & word.valid.any() for w, word in zip(waits, words, strict=True)).any()
        m.d.comb += plane.late.eq(Cat(output.late for output in outputs).any())
        claims.holds("a router is late when a flit waits for a word", plane.late == late)
        self._claim_links(claims, outputs, words)
        # Pauses by the rules: how many cycles ago the last ones began.
        ago = [Signal(name=f"pause_{i}") for i in range(max(BETWEEN, layout.latency) + 1)]
        m.d.comb += ago[0].eq(claims.before("late", late) & ~Cat(ago[1 : BETWEEN + 1]).any())
        m.d.sync += Cat(ago[1:]).eq(Cat(ago))
        leaves = Cat(word.valid.any() for word in words).any()
        serial = layout.join == "serial"
        if serial:
            joins = forks = ago[0] | ago[1]
            twice = leaves & claims.before("leaves", leaves)
            claims.holds("a pause has a cycle without a word in two", ~ago[2] | ~twice)
        else:
            joins, forks = ago[0], ago[layout.latency - 1]
            claims.holds("a pause has a cycle without a word", ~ago[layout.latency] | ~leaves)
        for c, channel in enumerate(free.channels):
            there = Cat(credits[c].available for credits in free.credits)
            pauses = Mux(joins, channel.target, 0) | Mux(forks, ~channel.target, 0)
            claims.holds(
                f"credits count but for pauses, channel {c}", channel.credits == there & ~pauses
            )
        most = BETWEEN if serial else max(layout.latency + 1, BETWEEN)
        waited, debt = (
            [Signal(range(most + 2), name=f"{name}_{q}") for q in range(layout.links)]
            for name in ("waited", "debt")
        )
        for q, (output, w) in enumerate(zip(outputs, waits, strict=True)):
            sent = output.link.valid
            m.d.sync += [
                waited[q].eq(Mux(sent | ~w, 0, waited[q] + (waited[q] <= most))),
                debt[q].eq(Mux(w, _less(debt[q], sent, most), 0)),
            ]
        claims.lemma(f"a flit waits {most} cycles at most", *(n <= most for n in waited))
        claims.reached(f"a flit waits {most} cycles", Cat(n == most for n in waited).any())
        fifth = Cat(n <= most for n in debt).all()
        claims.holds("of the cycles in which flits wait they have a fifth", fifth)
        return m

    def _output(self, m: Module, q: int, word: Any) -> Any:
        """Place an output of packets, on whose link the plane's words are."""
        output: Any = OutputPort(INPUTS, 1, self._link, tuple(range(INPUTS)))
        m.submodules[f"output_{q}"] = output
        width = self._link.flit.size
        m.d.comb += [
            output.offer.eq(self.offers.word_select(q, INPUTS)),
            output.link.credit.eq(self.credits[q]),
            output.message_valid.eq(word.valid),
            output.message.eq(Mux(word.valid.any(), word.word.as_value(), 0)),
        ]
        for i in range(INPUTS):
            flit = self.flits.word_select(INPUTS * q + i, width)
            taken = output.offer[i]
            m.d.comb += [
                getattr(output, f"offer_channel_{i}").eq(taken),
                getattr(output, f"flit_{i}").as_value().eq(flit),
            ]
        return output

    def _claim_links(self, claims: Properties, outputs: list[Any], words: list[Any]) -> None:
        """Claim that what leaves is on the link, alone and as it was."""
        alone, sent, whole = [], [], []
        for output, word in zip(outputs, words, strict=True):
            link, said = output.link, word.word.as_value()
            on_link = Cat(link.flit, link.stream_rest)
            alone.append(one_at_most(Cat(link.valid, link.stream_valid)))
            whole.append(link.stream_valid == word.valid)
            whole.append(~word.valid.any() | (on_link == said))
            sent.append((output.take & ~output.offer) == 0)
            sent.append(link.valid == output.take.any())
            for i in range(INPUTS):
                sent.append(~output.take[i] | (on_link == getattr(output, f"flit_{i}").as_value()))
        claims.holds("words and flits are never on a link together", Cat(alone).all())
        claims.holds("a word leaves in its cycle, as it is", Cat(whole).all())
        claims.holds("a flit leaves its input when it is on the link, as it is", Cat(sent).all())
