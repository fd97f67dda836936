"""One slot: an entry with wires of its own, in which all messages of a cycle are merged."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import EPOCH_BITS, Code, Kind
from syncfabric.models.layout.slots import SlotLayout
from syncfabric.models.messages.registers import Op
from syncfabric.rtl.parts.gates import gather


class SlotLinkSignature(wiring.Signature):
    """One direction of a link's barrier wires.

    Members
    -------
    valid : Out(slots), words : Out(slots * word)
        A bit and a word of each slot.
    """

    def __init__(self, layout: SlotLayout) -> None:
        super().__init__(
            {"valid": Out(layout.slots), "words": Out(layout.slots * layout.word.width)}
        )


def sent(layout: SlotLayout, valid: list[Value], words: list[Value]) -> tuple[Value, Value]:
    """Return both members of a link that carries kind and data of each slot."""
    if layout.parity:
        words = [
            Mux(bit, Cat(word, ~word.xor()), 0) for bit, word in zip(valid, words, strict=True)
        ]
    return Cat(valid), Cat(words)


def received(layout: SlotLayout, link: Any, slot: int) -> tuple[Value, Value, Value]:
    """Return of a slot whether a message comes, its kind and data, and whether it is dropped."""
    word = link.words.word_select(slot, layout.word.width)
    if not layout.parity:
        return link.valid[slot], word, link.valid[slot] & 0
    right = word.xor()
    return link.valid[slot] & right, word[:-1], link.valid[slot] & ~right


class Slot(wiring.Component):
    """Merges what comes, and one cycle later sends what it fires, straight from flip-flops.

    Rules: docs/microarchitecture-wires.md, X2 to X4.

    Parameters
    ----------
    layout : SlotLayout
    watchdog : bool
        It is visited.
    stream : bool
        A stream goes along its tree.

    Members
    -------
    children, parent, op : In
        The staged image.
    comes : In(ports), kinds : In(2 * ports), data : In(data_bits * ports)
        Messages of this cycle, by port; those of the process have kind PLAIN or LAST.
    asked : In(1), code : In(2), commit_epoch : In(2), accepted : Out(1)
        A command is executed in this cycle, and whether its condition holds.
    visit : In(1)
        Only with ``watchdog``: it is visited.
    alive : Out(1), epoch : Out(2)
    sends : Out(ports), kind : Out(2), acc : Out(data_bits)
        Ports that get a message in this cycle, and what it is.
    unexpected, frees : Out(1)
        Something comes that changes nothing; the group ends by LAST, at its root.
    breaks : In(1), kept_children : Out(ports), kept_parent : Out(links)
        Only with ``stream``: it ends as by KILL; its image.
    """

    def __init__(self, layout: SlotLayout, *, watchdog: bool, stream: bool = False) -> None:
        self._layout, self._watchdog, self._stream = layout, watchdog, stream
        ports, bits = layout.engine.ports, layout.engine.data_bits
        members: dict[str, Any] = {field.name: In(field.width) for field in layout.image}
        members |= {
            "comes": In(ports),
            "kinds": In(2 * ports),
            "data": In(bits * ports),
            "asked": In(1),
            "code": In(2),
            "commit_epoch": In(EPOCH_BITS),
            "accepted": Out(1),
            "alive": Out(1),
            "epoch": Out(EPOCH_BITS),
            "sends": Out(ports),
            "kind": Out(2),
            "acc": Out(bits),
            "unexpected": Out(1),
            "frees": Out(1),
        }
        if watchdog:
            members["visit"] = In(1)
        if stream:
            members |= {"breaks": In(1), "kept_children": Out(ports)}
            members["kept_parent"] = Out(layout.engine.links)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        ports = self._layout.engine.ports
        image = {name: Signal(field.width, name=name) for name, field in self._image.items()}
        children, parent = image["children"], image["parent"]
        alive, missing, root = self.alive, Signal(ports), ~parent.any()
        turn, last, fresh, sent = Signal(), Signal(), Signal(), Signal()
        kinds = [self.kinds.word_select(p, 2) for p in range(ports)]

        # Commands.
        same = self.commit_epoch == self.epoch
        codes = {code: self.asked & (self.code == code) for code in Code}
        setup, go, kill, named = (Signal() for _ in range(4))
        m.d.comb += [
            setup.eq(codes[Code.SETUP] & ~alive & same),
            go.eq(codes[Code.GO] & alive & same & ~missing.any()),
            kill.eq(codes[Code.KILL] & alive & same),
            named.eq(codes[Code.KILL] & ~alive),
            self.accepted.eq(setup | go | kill | named | codes[Code.READ]),
        ]

        # What comes.
        mild_ones, hits = Signal(ports), Signal(ports)  # without BROKEN
        lasts, goes = Cat(kind[1] for kind in kinds), Cat(kind[0] for kind in kinds)
        expires, hit, mild = Signal(), Signal(), Signal()
        ends = (alive & (self.comes & lasts & goes & parent).any()) | kill | expires
        if self._stream:
            ends = ends | (alive & self.breaks)
            m.d.comb += [self.kept_children.eq(children), self.kept_parent.eq(parent)]
        broken, complete, fires = Signal(), Signal(), Signal()
        m.d.comb += [
            mild_ones.eq(self.comes & ~(lasts & goes)),
            # Of a slot that is not alive nothing counts but that.
            hits.eq(mild_ones & missing),
            hit.eq(hits.any()),
            mild.eq((hits & ~lasts).any()),  # a hit is not LAST
            broken.eq(ends),
            complete.eq(alive & hit & ~(missing & ~hits).any()),
            fires.eq(broken | complete | go),
            self.unexpected.eq((mild_ones & ~Mux(alive, missing, 0)).any()),
        ]
        if self._watchdog:
            old, waits = Signal(), ~fresh | (turn & last & ~root)
            m.d.comb += expires.eq(self.visit & alive & waits & old & ~hit)
            with m.If(fires | hit | setup):
                m.d.sync += old.eq(0)
            with m.Elif(self.visit):
                m.d.sync += old.eq(waits)

        down, ended = broken | turn, Signal()
        started = go | (hits & goes).any()
        m.d.comb += [
            ended.eq(turn & last & ~mild & ~started),
            self.frees.eq(complete & ~broken & root & ended),
        ]
        m.d.sync += [
            sent.eq(fires),
            missing.eq(Mux(fires, Mux(down, children, parent), missing & ~hits)),
            fresh.eq(fires | (fresh & ~hit)),
            last.eq(fires | (last & ~mild)),
        ]
        with m.If(fires):
            m.d.sync += [
                self.kind.eq(Mux(broken, Kind.BROKEN, Mux(started, Kind.GO, Cat(0, last & ~mild)))),
                turn.eq(root | ~turn),
                alive.eq(~(broken | ended)),
            ]
        with m.If(setup):
            m.d.sync += [kept.eq(getattr(self, name)) for name, kept in image.items()]
            m.d.sync += [
                missing.eq(self.parent),
                *(bit.eq(1) for bit in (alive, turn, fresh)),
                last.eq(0),
            ]
        with m.If(setup | named):
            m.d.sync += self.epoch.eq(self.commit_epoch + setup)
        m.d.comb += self.sends.eq(Mux(sent, missing, 0))
        self._combine(m, image["op"], hits, fresh, broken, fires | hit)
        return m

    @property
    def _image(self) -> dict[str, Any]:
        return {field.name: field for field in self._layout.image}

    def _combine(
        self, m: Module, op: Signal, hits: Value, fresh: Value, broken: Value, merges: Value
    ) -> None:
        """Keep the hits' data combined with what is kept."""
        bits = self._layout.engine.data_bits
        if not bits:
            return
        words = [(hit, self.data.word_select(p, bits)) for p, hit in enumerate(hits)]
        combined = gather(op[:2] == Op.AND, op[:2] == Op.XOR, [*words, (~fresh, self.acc)])
        with m.If(merges):
            m.d.sync += self.acc.eq(Mux(hits.any() & ~broken, combined, 0))
