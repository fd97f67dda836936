"""What a slot of barrier wires does, whatever comes for it, and whatever other slots do."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.layout.engine import COMMIT, Code, EngineLayout, Kind
from syncfabric.models.layout.slots import SlotLayout
from syncfabric.models.layout.words import EngineWord
from syncfabric.models.messages.registers import Op
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import either
from syncfabric.rtl.slots.plane import SlotPlane
from tests.formal.properties import Properties

BITS, LINKS, SLOTS = 2, 2, 2
PORTS = LINKS + 1
WORD = 2 + BITS


class WireSlotProof(wiring.Component):
    """Two slots of a router; neighbours, process and software do anything at any time.

    Beside the second slot the episodes of its group are kept as sets of ports: which are awaited,
    and which have sent. They follow from what comes for this slot alone, so what comes for the
    other one, which is free, has no part in what is claimed.

    Parameters
    ----------
    streams : bool
        Streams go along the trees of both.

    Members
    -------
    valid : In(SLOTS * PORTS), words : In(SLOTS * PORTS * WORD)
        Messages, by slot and port; the process's are the last of a slot's.
    write : In(1), address : In(5), data : In(32), asks : In(1)
        A request of software in each cycle in which none is answered.
    waits, breaks : In(SLOTS)
        With ``streams``: words of a stream are there; it has failed.
    """

    def __init__(self, *, streams: bool = False) -> None:
        self._streams = streams
        super().__init__(
            {
                "valid": In(SLOTS * PORTS),
                "words": In(SLOTS * PORTS * WORD),
                "write": In(1),
                "address": In(5),
                "data": In(32),
                "asks": In(1),
                "waits": In(SLOTS),
                "breaks": In(SLOTS),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        layout = SlotLayout(EngineLayout(LINKS, True, 2, BITS, "bitwise"), SLOTS, False)
        m.submodules.plane = plane = SlotPlane(
            layout, 0, reports=False, streams=SLOTS * self._streams
        )
        if self._streams:
            m.d.comb += [plane.waits.eq(self.waits), plane.breaks.eq(self.breaks)]
        words = [self.words.word_select(i, WORD) for i in range(SLOTS * PORTS)]
        for p in range(LINKS):
            link = getattr(plane, f"in_{p}")
            m.d.comb += [
                link.valid.eq(Cat(self.valid[s * PORTS + p] for s in range(SLOTS))),
                link.words.eq(Cat(words[s * PORTS + p] for s in range(SLOTS))),
            ]
        for s in range(SLOTS):
            arrive, at = getattr(plane, f"arrive_{s}"), s * PORTS + LINKS
            m.d.comb += [
                arrive.valid.eq(self.valid[at]),
                arrive.message.kind.eq(words[at][:2]),
                arrive.message.data.eq(words[at][2:]),
            ]
        m.d.comb += [
            plane.config.valid.eq(self.asks),
            plane.config.write.eq(self.write),
            plane.config.address.eq(self.address),
            plane.config.data.eq(self.data),
        ]
        mine = slice((SLOTS - 1) * PORTS, SLOTS * PORTS)
        self._claim(m, claims, plane, layout, self.valid[mine], words[mine])
        return m

    def _claim(
        self,
        m: Module,
        claims: Properties,
        plane: SlotPlane,
        layout: SlotLayout,
        valid: Value,
        words: list[Value],
    ) -> None:
        children, parent, op, staged = (
            *(Signal(PORTS), Signal(LINKS), Signal(2)),
            Signal(PORTS + LINKS + 2),
        )
        alive, epoch, idle, rising = Signal(), Signal(2), Signal(), Signal()
        came, total, all_last, arrived = Signal(PORTS), Signal(BITS), Signal(), Signal()
        commit = struct(COMMIT)(self.data[: COMMIT.width])
        asked = self.asks & self.write & (self.address == 0) & ~plane.config.ready
        asked &= commit.entry == layout.first + SLOTS - 1
        fails: Value = Const(0, 1)
        if self._streams:
            fails = alive & self.breaks[-1]
            asked &= ~((commit.code == Code.SETUP) & ~alive & self.waits[-1])
        with m.If(self.asks & self.write & (self.address == EngineWord.IMAGE)):
            m.d.sync += staged.eq(self.data)

        def obeyed(code: Code, condition: Value) -> Value:
            done = Signal(name=f"obeys_{code.name.lower()}")
            m.d.comb += done.eq(asked & (commit.code == code) & condition)
            return done

        same = commit.epoch == epoch
        setup = obeyed(Code.SETUP, ~alive & same)
        goes = obeyed(Code.GO, alive & same & idle)
        kills = obeyed(Code.KILL, alive & same)
        named = obeyed(Code.KILL, ~alive)

        awaited, hits, broken, whole = Signal(PORTS), Signal(PORTS), Signal(), Signal()
        last = Cat(word[1] for word in words)
        bad = Cat(*(word[:2] == Kind.BROKEN for word in words[:LINKS]), 0)
        says_go = Cat(*(word[:2] == Kind.GO for word in words[:LINKS]), 0)
        fires, down, over, kind = Signal(), Signal(), Signal(), Signal(2)
        datas = [Mux(hits[p], words[p][2:], 0) for p in range(PORTS)]
        ands = [Mux(hits[p], words[p][2:], Const(-1, BITS)) for p in range(PORTS)]
        xors = datas[0] ^ datas[1] ^ datas[2]
        ors, all_of = either(datas), ands[0] & ands[1] & ands[2]
        kept = Mux(came.any(), total, 0), Mux(came.any(), total, Const(-1, BITS))
        summed = Mux(
            op == Op.OR, ors | kept[0], Mux(op == Op.AND, all_of & kept[1], xors ^ kept[0])
        )
        m.d.comb += [
            awaited.eq(Mux(idle, 0, Mux(rising, children, parent))),
            hits.eq(Mux(alive, valid & ~bad & awaited & ~came, 0)),
            whole.eq(hits.any() & ((came | hits) == awaited)),
            broken.eq((alive & (valid & bad & parent).any()) | kills | fails),
            fires.eq(broken | whole | goes),
            down.eq(broken | goes | ~(rising & parent.any())),
            kind.eq(Kind.PLAIN),
        ]
        gone = all_last & ~(hits & ~last).any()
        begins = goes | (hits & says_go).any()
        with m.If(broken):
            m.d.comb += kind.eq(Kind.BROKEN)
        with m.Elif(begins):
            m.d.comb += kind.eq(Kind.GO)
        with m.Elif(gone):
            m.d.comb += kind.eq(Kind.LAST)
        m.d.comb += over.eq(broken | (down & (kind == Kind.LAST)))
        m.d.sync += [came.eq(Mux(fires, 0, came | hits)), total.eq(Mux(hits.any(), summed, total))]
        with m.If(fires):
            m.d.sync += [all_last.eq(1), idle.eq(0), rising.eq(down), alive.eq(~over)]
        with m.Elif((hits & ~last).any()):
            m.d.sync += all_last.eq(0)
        with m.If(setup):
            m.d.sync += [Cat(children, parent, op).eq(staged), alive.eq(1), all_last.eq(0)]
            m.d.sync += [idle.eq(~staged[PORTS : PORTS + LINKS].any()), rising.eq(0), came.eq(0)]
        with m.If(setup | named):
            m.d.sync += epoch.eq(commit.epoch + setup)
        # The process has arrived, and has not been released.
        release = getattr(plane, f"release_{SLOTS - 1}")
        frees = release.valid & (release.message.kind != Kind.GO)
        m.d.sync += arrived.eq((arrived & ~release.valid) | (valid[LINKS] & hits[LINKS]))
        # A parent that keeps the rules sends GO first, and then one message for each that it gets.
        risen, proper = Signal(), Signal(init=1)
        m.d.sync += risen.eq(~setup & (risen | (fires & ~down)))
        keeps = ~(hits & parent).any() | ((hits & parent & says_go).any() == ~risen)
        m.d.sync += proper.eq(proper & keeps)
        # An image with a parent has one, which is no child; what it combines by is known.
        claims.assume(
            ~setup
            | (
                ((staged[PORTS : PORTS + LINKS] & (staged[PORTS : PORTS + LINKS] - 1)) == 0)
                & ((staged[PORTS : PORTS + LINKS] & staged[:LINKS]) == 0)
                & (staged[:PORTS] != 0)
                & (staged[PORTS + LINKS :] <= Op.XOR)
            )
        )

        s = SLOTS - 1
        sends = Cat(*(getattr(plane, f"out_{p}").valid[s] for p in range(LINKS)), release.valid)
        said = plane.out_0.words.word_select(s, WORD)
        was = {
            name: claims.before(name, value)
            for name, value in {
                "fires": fires,
                "goal": Mux(down, children, parent),
                "kind": kind,
                "summed": Mux(broken | goes, 0, summed),
                "whole": whole,
                "set_up": setup,
            }.items()
        }
        plain = ~said[0]  # PLAIN or LAST
        claims.holds("no release before all have come", ~(sends.any() & plain) | was["whole"])
        claims.holds("it sends to whom it must", sends == Mux(was["fires"], was["goal"], 0))
        claims.holds("kind", ~sends.any() | (said[:2] == was["kind"]))
        claims.holds("data of exactly those awaited", ~sends.any() | (said[2:] == was["summed"]))
        claims.holds("the process gets the same", release.message.kind == said[:2])
        good = frees & (release.message.kind != Kind.BROKEN)
        claims.holds("none is released without an arrival, or twice", ~(good & proper) | arrived)
        status = plane.config.rdata[:3]
        reads = claims.before("asked", asked)
        shown = claims.before("shown", Cat(alive, epoch))
        claims.holds("answers say what is alive, with its epoch", ~reads | (status == shown))
        refused = asked & ~(setup | goes | kills | named | (commit.code == Code.READ))
        claims.holds(
            "refused is what cannot be obeyed",
            ~reads | (plane.config.error == claims.before("refused", refused)),
        )
        if self._streams:
            seen = Cat(getattr(plane, f"{name}_{s}") for name in ("children", "parent"))
            lives = getattr(plane, f"alive_{s}")
            waited = claims.before("waited", self.waits[-1])
            same_image = seen == claims.before("image", seen)
            claims.holds(
                "a stream is told what its slot is", ~lives | (seen == Cat(children, parent))
            )
            claims.holds("a stream is told while its group lives", lives == alive)
            claims.holds(
                "no group is set up while words of the one before are there",
                ~waited | (same_image & (claims.before("lives", lives) | ~lives)),
            )
            claims.reached("a group is set up after it has waited", setup & waited & self.asks)
        claims.reached("a release of a group of three", good & sends.all())
        claims.reached("a group ends by LAST", frees & (release.message.kind == Kind.LAST))
