# amaranth: UnusedElaboratable=no
"""A process's ports of streams: AXI4-Stream on one side, words with credits on the other."""

from typing import Any
from unittest.mock import patch

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.rtl.streams import process as module
from syncfabric.rtl.streams.process import StreamPort
from tests.formal.properties import Properties
from tests.formal.streams import DATA, MOST, FreeBuffer, Small, one_at_most, word_of


def _layout(channels: int) -> Small:
    return Small(channels, 32, ("add",), "tree", 3, True)


class OperandsProof(wiring.Component):
    """What a process sends, with channels that open and close at any time; the router is free.

    Beside it is kept, of one channel, whether a packet of it has begun or is dropped.

    Parameters
    ----------
    channels : int

    Members
    -------
    opens, back : In(channels)
        Slots that are ready; credits.
    valid : In(1), beat : In
        A beat is offered: ``tkeep``, ``tlast``, ``tuser``, and the lowest bits of ``tdata``.
    number, which : In
        The beat's channel, and the one that is watched.
    """

    def __init__(self, channels: int) -> None:
        self._channels = channels
        tid = max(1, (channels - 1).bit_length())
        super().__init__(
            {"opens": In(channels), "back": In(channels), "valid": In(1)}
            | {"beat": In(4 + 1 + 7 + DATA), "number": In(tid), "which": In(tid)}
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, count = Properties(m), self._channels
        m.submodules.port = part = StreamPort(_layout(count))
        beat: Any = part.s_axis
        link: Any = part.send
        word, drive = link.word, self.beat
        m.d.comb += [
            part.opens.eq(self.opens),
            beat.tvalid.eq(self.valid),
            Cat(beat.tkeep, beat.tlast, beat.tuser, beat.tdata[:DATA]).eq(drive),
            beat.tid.eq(self.number),
            link.credit.eq(self.back),
        ]
        # A beat on offer stays until it is taken.
        offer = Cat(self.beat, self.number)
        refused = claims.before("refused", beat.tvalid & ~beat.tready)
        claims.assume(~refused | (self.valid & (offer == claims.before("offer", offer))))
        which = claims.constant("watched", self.which)
        here = self.number == which
        if count == 1:
            claims.assume(which == 0)
            here = 1
        opens = claims.before("opens", self.opens).bit_select(which, 1)
        out = Signal(range(MOST + 2))
        sends, back = link.valid.bit_select(which, 1), self.back.bit_select(which, 1)
        claims.assume(~back | (out != 0))
        m.d.sync += out.eq(out + sends - back)
        begun, drops, takes, goes = (Signal(name=n) for n in ("began", "dropped", "takes", "goes"))
        null = beat.tlast & ~beat.tkeep[0]
        credit = out + sends != MOST
        m.d.comb += [
            takes.eq(self.valid & beat.tready & here),
            goes.eq(self.valid & here & opens & ~drops & credit),
        ]
        with m.If(takes & (~opens | drops)):
            m.d.sync += drops.eq(~beat.tlast)
        with m.Elif(begun & ~opens):
            m.d.sync += drops.eq(1)
        with m.If(~opens):
            m.d.sync += begun.eq(0)
        with m.Elif(goes):
            m.d.sync += begun.eq(Mux(begun, ~beat.tlast, ~null))
        ones = Cat(beat.tkeep[: i + 1].all() for i in range(4))
        whole = ~beat.tlast | ~ones[0]
        size = Mux(whole, 0, Mux(ones[3], 0, Mux(ones[2], 3, Mux(ones[1], 2, 1))))
        was = {
            name: claims.before(name, value)
            for name, value in {
                "goes": goes,
                "takes": takes,
                "begun": begun,
                "null": null,
                "last": beat.tlast,
                "size": size,
                "data": beat.tdata[:DATA],
                "user": beat.tuser,
                "dropped": ~opens | drops,
            }.items()
        }
        headed = was["goes"] & ~was["begun"]
        bodied = was["goes"] & was["begun"]
        claims.holds("a head is sent before the first beat", ~headed | (sends & word.head))
        claims.holds(
            "a head says what the beat does",
            ~headed | ((word.data[:7] == was["user"]) & (word.tail == was["null"])),
        )
        claims.holds(
            "a beat is a word",
            ~bodied
            | (
                sends
                & ~word.head
                & (word.tail == was["last"])
                & (word.size == was["size"])
                & (word.data[:DATA] == was["data"])
            ),
        )
        claims.holds("nothing else is sent", was["goes"] | ~sends)
        claims.holds(
            "a beat is taken as it is sent, or to be dropped",
            takes == (self.valid & here & (~opens | drops | (goes & (begun | null)))),
        )
        claims.holds("no word without a credit", out <= MOST)
        claims.holds("one channel at a time", one_at_most(link.valid))
        claims.reached("the last beat of a packet waits for a credit", begun & ~credit & beat.tlast)
        claims.reached(
            "the rest of a packet is dropped in a channel that is open again", takes & drops & opens
        )
        return m


class ResultsProof(wiring.Component):
    """What a process gets, with channels that open and close at any time; it takes what it likes.

    The port's buffer shows any word as the first. Beside it is kept, of one channel, whether a
    packet has begun, and whether one is to be ended.

    Parameters
    ----------
    channels : int

    Members
    -------
    opens, comes : In(channels)
        Slots that are ready; words.
    word : In
        The first one of the channel that is looked at.
    ready : In(1), which : In
        A beat is taken; the channel that is watched.
    """

    def __init__(self, channels: int) -> None:
        self._channels = channels
        tid = max(1, (channels - 1).bit_length())
        ports = {"opens": channels, "comes": channels, "ready": 1, "which": tid, "word": DATA + 4}
        super().__init__({name: In(width) for name, width in ports.items()})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, count, layout = Properties(m), self._channels, _layout(self._channels)
        buffers: list[FreeBuffer] = []

        def buffer(one: Small, channels: int) -> FreeBuffer:
            buffers.append(FreeBuffer(one, channels, word_of(layout, self.word)))
            return buffers[-1]

        part = StreamPort(layout)
        with patch.object(module, "StreamBuffer", buffer):
            m.submodules.port = part.elaborate(None)
        beat: Any = part.m_axis
        front: Any = buffers[0].front
        lent = [Signal(range(MOST + 2), name=f"lent_{c}") for c in range(count)]
        credit = part.receive.credit
        claims.assume(one_at_most(self.comes))
        claims.assume(*(~self.comes[c] | (lent[c] != MOST) for c in range(count)))
        m.d.sync += [n.eq(n + self.comes[c] - credit[c]) for c, n in enumerate(lent)]
        m.d.comb += [
            part.opens.eq(self.opens),
            part.receive.valid.eq(self.comes),
            beat.tready.eq(self.ready),
        ]
        which = claims.constant("watched", self.which)
        if count == 1:
            claims.assume(which == 0)
        opens = claims.before("opens", self.opens).bit_select(which, 1)
        pops = buffers[0].pop.bit_select(which, 1)
        within, debt = Signal(), Signal()  # a packet has begun; it is to be ended
        named = (beat.tid == which) if count > 1 else 1
        loads = ~beat.tvalid | self.ready
        loaded = claims.before("loads", loads)
        fresh = beat.tvalid & loaded & named
        ended = fresh & beat.tuser
        # `within` and `debt` are as of the cycle before, before what is loaded in it.
        now, due, taken = Signal(), Signal(), pops & opens
        old = {
            "taken": claims.before("taken", taken),
            "head": claims.before("head", front.head),
            "tail": claims.before("tail", front.tail),
            "size": claims.before("size", front.size),
            "data": claims.before("data", front.data[:DATA]),
        }
        m.d.comb += [now.eq(within & ~ended), due.eq((debt & ~ended) | (now & ~opens))]
        with m.If(taken):
            m.d.sync += within.eq(~front.tail)
        with m.Elif(ended):
            m.d.sync += within.eq(0)
        m.d.sync += debt.eq(due)
        kept = Cat(beat.tlast, beat.tkeep, beat.tid, beat.tuser, beat.tdata)
        held = claims.before("held", beat.tvalid & ~self.ready)
        claims.holds(
            "a beat stays as it is until it is taken",
            ~held | (beat.tvalid & (kept == claims.before("kept", kept))),
        )
        word = old["taken"] & (~old["head"] | old["tail"])
        size = old["size"]
        keep = Cat(~old["head"] & ((size == 0) | (size > i)) for i in range(4))
        claims.holds(
            "a word becomes a beat",
            ~word | (fresh & ~beat.tuser & (beat.tlast == old["tail"]) & (beat.tkeep == keep)),
        )
        claims.holds(
            "its data are the word's",
            ~word | old["head"] | (beat.tdata[:DATA] == old["data"]),
        )
        claims.holds("no beat else, but to end a packet", ~fresh | word | beat.tuser)
        claims.holds(
            "a packet is ended that has begun in a channel that has closed, once",
            ~ended | (debt & beat.tlast & ~beat.tkeep.any()),
        )
        claims.holds("nothing comes before that", ~(taken & due))
        turns = Signal(range(count + 1))
        m.d.sync += turns.eq(Mux(due, turns + (loads & (turns != count)), 0))
        others = f"behind {count - 1} beats of others at most" if count > 1 else "at once"
        claims.holds(f"it is ended {others}", ~due | (turns != count))
        claims.holds(
            "each word gives its credit back",
            Cat(n == b + c for n, b, c in zip(lent, buffers[0].levels, credit, strict=True)).all(),
        )
        still = Signal(range(MOST + 1))
        m.d.sync += still.eq(
            Mux(opens | self.comes.bit_select(which, 1), 0, still + (still != MOST))
        )
        claims.holds(
            f"{MOST} cycles drain a channel that is closed",
            (still != MOST) | ~buffers[0].holds.bit_select(which, 1),
        )
        claims.holds("no word is dropped", ~part.overflows)
        claims.reached("a packet is ended", ended)
        claims.reached("it is open again by then", debt & opens & ~loads)
        return m
