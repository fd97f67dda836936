"""Guards at the two ends of a link of streams: a loss is found, and its places come back."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.streams import CHECKED_BITS, StreamLayout
from syncfabric.models.layout.words import RouterWord
from syncfabric.rtl.guard.shape import check_of
from syncfabric.rtl.streams.link import FaultSignature, StreamSignature

SILENT = 15
"""Cycles in a row in which nothing right comes before a link counts as silent."""


class GuardedStreams(wiring.Signature):
    """One direction of a guarded link.

    Rules: docs/microarchitecture-streams.md, V12.

    Members
    -------
    valid, word, fault
        As of :class:`StreamSignature`; without ``words``, ``fault`` alone: the others are among
        packets.
    sent : Out
        Words of each channel that have been sent, modulo the places and one, channel 0 in the low
        bits; above them the check bits of all that goes forward.
    freed : In
        The same of places that have been freed, with check bits of their own.
    """

    def __init__(self, layout: StreamLayout, *, words: bool = True) -> None:
        bare = StreamSignature(layout).members
        counts, check = layout.channels * layout.place_bits, layout.check_bits
        super().__init__(
            {name: bare[name] for name in (("valid", "word", "fault") if words else ("fault",))}
            | {"sent": Out(counts + check * layout.check_parts), "freed": In(counts + check)}
        )


class _Guard(wiring.Component):
    """What both ends have in common."""

    def __init__(self, layout: StreamLayout, members: dict[str, Any]) -> None:
        self._layout = layout
        self._all = layout.channels * layout.place_bits
        super().__init__(members)

    def _count(self, wire: Value, channel: int) -> Value:
        return wire.word_select(channel, self._layout.place_bits)

    def _signal(self, name: str, channel: int) -> Signal:
        return Signal(self._layout.place_bits, name=f"{name}_{channel}")

    def _forward_check(self, link: Any, counts: Value) -> Value:
        """Return the check bits of all parts of what goes forward; not of words among packets."""
        if self._layout.shared:
            return self._check(Cat(link.fault, counts))
        word, last = link.word.as_value(), CHECKED_BITS * (self._layout.check_parts - 1)
        parts = [word[at : at + CHECKED_BITS] for at in range(0, last, CHECKED_BITS)]
        parts.append(Cat(word[last:], link.valid, link.fault, counts))
        return Cat(self._check(part) for part in parts)

    def _check(self, part: Value) -> Value:
        """Return the check bits of a part, which are never those of wires that are all 0."""
        return ~check_of(part, self._layout.check_bits)


class StreamSender(_Guard):
    """Says in every cycle how many words it has sent, and counts credits.

    Cycles as in docs/microarchitecture-streams.md, V12 (2, 6).

    Parameters
    ----------
    layout : StreamLayout
        With check bits.

    Members
    -------
    inside : In(StreamSignature)
        From the router, or the process's port; ``valid`` as it is on the link.
    link : Out(GuardedStreams)
    corrupt : Out(1)
        What comes back is wrong, and was not in the cycle before.
    """

    def __init__(self, layout: StreamLayout) -> None:
        inside, link = StreamSignature(layout), GuardedStreams(layout)
        super().__init__(layout, {"inside": In(inside), "link": Out(link), "corrupt": Out(1)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        inside, link = self.inside, self.link
        channels = range(self._layout.channels)
        back, right, before = Signal(self._all), Signal(), Signal()
        m.d.comb += [
            back.eq(link.freed),
            right.eq(self._check(back) == link.freed[self._all :]),
            self.corrupt.eq(~right & before),
        ]
        m.d.sync += before.eq(right)
        counts = []
        for c in channels:
            sent, given, now = (self._signal(name, c) for name in ("sent", "given", "now"))
            m.d.comb += [
                now.eq(sent + inside.valid[c]),
                inside.credit[c].eq(right & (self._count(back, c) != given)),
            ]
            m.d.sync += [sent.eq(now), given.eq(given + inside.credit[c])]
            counts.append(now)
        m.d.comb += [
            *(getattr(link, name).eq(getattr(inside, name)) for name in ("valid", "word", "fault")),
            link.sent.eq(Cat(*counts, self._forward_check(link, Cat(counts)))),
        ]
        return m


class StreamReceiver(_Guard):
    """Hands on the words that follow those before them, and none behind a loss.

    Cycles as in docs/microarchitecture-streams.md, V12 (3 to 6).

    Parameters
    ----------
    layout : StreamLayout
        With check bits.

    Members
    -------
    link : In(GuardedStreams)
    inside : Out(StreamSignature)
        To the router, or the process's port.
    opens : In(channels)
        Channels that are open here.
    corrupt, lost : Out(1)
        What comes is wrong, and was not in the cycle before; words are found to be lost.
    """

    def __init__(self, layout: StreamLayout) -> None:
        inside, link = StreamSignature(layout), GuardedStreams(layout)
        events = {"corrupt": Out(1), "lost": Out(1)}
        opens = {"opens": In(layout.channels)}
        super().__init__(layout, {"link": In(link), "inside": Out(inside), **opens, **events})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        inside, link, valid = self.inside, self.link, self.link.valid
        channels = range(self._layout.channels)
        right, silent, wrong = Signal(), Signal(), Signal(range(SILENT + 1), init=SILENT)
        lost, passes, failed = (Signal(len(channels), name=n) for n in ("losing", "pass", "failed"))
        counts = Signal(self._all)
        m.d.comb += [
            counts.eq(link.sent),
            right.eq(self._forward_check(link, counts) == link.sent[self._all :]),
            silent.eq(~right & (wrong == SILENT)),
            self.corrupt.eq(~right & (wrong == 0)),
            self.lost.eq(lost.any()),
        ]
        m.d.sync += [
            wrong.eq(Mux(right, 0, wrong + ~silent)),
            failed.eq(self.opens & (failed | lost | silent.replicate(len(channels)))),
        ]
        back = []
        for c in channels:
            got, freed, now = (self._signal(name, c) for name in ("got", "freed", "now"))
            count = self._count(counts, c)
            follows = count == (got + valid[c])[: len(got)]
            m.d.comb += [
                lost[c].eq(right & ~follows),
                passes[c].eq(right & follows & valid[c] & ~failed[c]),
                now.eq(freed + inside.credit[c]),
            ]
            # What is not handed on gives its place back at once.
            m.d.sync += freed.eq(Mux(right, now + count - got - passes[c], now))
            m.d.sync += got.eq(Mux(right, count, got))
            back.append(now)
        m.d.comb += [
            inside.valid.eq(passes),
            inside.word.eq(link.word),
            inside.fault.eq(failed | Mux(right, link.fault, 0)),
            link.freed.eq(Cat(*back, self._check(Cat(back)))),
        ]
        return m


def stream_link(layout: StreamLayout) -> wiring.Signature:
    """Return one direction of a link between routers, or to a node interface."""
    if layout.check_bits:
        return GuardedStreams(layout, words=not layout.shared)
    return FaultSignature(layout) if layout.shared else StreamSignature(layout)


def place_guards(
    m: Module, layout: StreamLayout, port: int, opens: Value
) -> tuple[StreamReceiver, StreamSender]:
    """Place the guards at a port, whose channels that are open are these."""
    m.submodules[f"receiver_{port}"] = receiver = StreamReceiver(layout)
    m.submodules[f"sender_{port}"] = sender = StreamSender(layout)
    m.d.comb += receiver.opens.eq(opens)
    return receiver, sender


def join_streams(
    m: Module,
    layout: StreamLayout,
    port: int,
    ends: tuple[Any, Any],
    link: tuple[Any, Any],
    opens: Value,
    events: dict[RouterWord, list[Any]],
) -> None:
    """Join a port of streams to its link, by guards if it has them.

    Parameters
    ----------
    m : Module
    layout : StreamLayout
    port : int
        Its number.
    ends, link : (interface, interface)
        Of the port, and of the link as the module has it: what comes in, and what goes out. Where
        words are among packets their guards are at the links' ends already.
    opens : Value
        Channels that are open here.
    events : dict
        Takes in the guards' events.
    """
    if not layout.check_bits or layout.shared:
        for end, there in zip(ends, link, strict=True):
            wiring.connect(m, end, wiring.flipped(there))
        return
    receiver, sender = place_guards(m, layout, port, opens)
    wiring.connect(m, wiring.flipped(link[0]), receiver.link)
    wiring.connect(m, receiver.inside, ends[0])
    wiring.connect(m, ends[1], sender.inside)
    wiring.connect(m, sender.link, wiring.flipped(link[1]))
    events[RouterWord.CORRUPT] += [receiver.corrupt, sender.corrupt]
    events[RouterWord.LOST].append(receiver.lost)
