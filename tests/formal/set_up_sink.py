"""What a set-up sink does to its router's registers, whatever packets come."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from syncfabric.models.messages import (
    CONTROL,
    REPLY,
    REQUEST,
    Answer,
    Request,
)
from syncfabric.rtl.messages import struct
from syncfabric.rtl.setup.sink import SetupSink
from tests.formal.properties import Properties
from tests.formal.sink_registers import MANAGERS, REGISTERS, SinkRegisters, sink_form

__all__ = ["SinkProof"]


class SinkProof(wiring.Component):
    """A set-up sink with two registers, and any packets.

    Members
    -------
    valid, flit : In
        Packets of any flits.
    granted, taken : In(1)
        Accesses and replies wait for any time.
    happens : In(2 * REGISTERS)
        Registers end, or are in the middle of something, at any time.
    freed : In(REGISTERS)
        Registers' last barriers are over.
    which : In
        The manager whose answers are looked at.
    bit : In
        The bit of words that is compared.
    """

    def __init__(self) -> None:
        self._form = form = sink_form()
        super().__init__(
            {
                "valid": In(1),
                "flit": In(struct(form.flit)),
                "granted": In(1),
                "taken": In(1),
                "happens": In(2 * REGISTERS),
                "freed": In(REGISTERS),
                "which": In(range(MANAGERS)),
                "bit": In(range(32)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, form = Properties(m), self._form
        bit = claims.constant("place", self.bit)
        m.submodules.sink = sink = SetupSink(form)
        access, taken = sink.access, Signal()
        registers = SinkRegisters(m, claims, access, self.granted, self.happens)
        m.d.comb += [
            sink.valid.eq(self.valid),
            sink.flit.eq(self.flit),
            sink.freed.eq(self.freed),
            taken.eq(self.taken & sink.reply_valid),
            sink.reply_taken.eq(taken),
            *(
                sink.gids[8 * r : 8 * r + 8].eq(register.control.gid)
                for r, register in enumerate(registers.all)
            ),
            sink.open.eq(Cat(register.control.valid for register in registers.all)),
            sink.managers.eq(Cat(register.control.manager for register in registers.all)),
        ]

        # What came, flit by flit, and the control word that goes with it.
        place, length, ends = Signal(range(5)), Signal(range(5)), Signal()
        asked, image = Signal(struct(REQUEST)), Signal(form.image_bits)
        after, is_setup = Mux(place == 4, 4, place + 1), asked.operation == Request.SETUP
        comes = self.valid & sink.listening
        m.d.comb += ends.eq(comes & self.flit.tail)
        with m.If(comes):
            m.d.sync += [place.eq(Mux(self.flit.tail, 0, after)), length.eq(after)]
            with m.If(place == 1):
                m.d.sync += asked.eq(self.flit.payload)
            with m.If(place == 2):
                m.d.sync += image.eq(self.flit.payload & form.image[0][1])
        control = Signal(struct(CONTROL))
        m.d.comb += control.valid.eq(1)
        for name in ("root", "op", "epoch", "gid", "manager"):
            m.d.comb += getattr(control, name).eq(getattr(asked, name))
        fits = Mux(is_setup, length == form.stride, (length == 2) & (asked.operation != 3))
        looks, under_way = claims.before("ends", ends), Signal()
        m.d.sync += under_way.eq(ends | (under_way & ~sink.listening))

        target = registers.target
        ours = (target.control.gid == asked.gid) & (target.control.manager == asked.manager)
        claims.holds(
            "no access but for a request that is whole, well formed and a manager's",
            ~access.request | (under_way & fits & (asked.manager < MANAGERS)),
        )
        claims.holds(
            "only a free register is set up, and its tree written",
            ~(registers.sets | registers.grows) | ~target.control.valid,
        )
        written = Signal()
        with m.If(ends):
            m.d.sync += written.eq(0)
        with m.Elif(registers.changes):
            m.d.sync += written.eq(1)

        def same(word: Value, other: Value) -> Value:
            return word.bit_select(bit, 1) == other.bit_select(bit, 1)

        claims.holds(
            "a register is set up as the request says, for its manager, after its tree",
            ~registers.sets | (is_setup & written & same(access.data, control.as_value())),
        )
        claims.holds(
            "its tree is written as the request says",
            ~registers.grows | (is_setup & same(access.data, image)),
        )
        claims.holds(
            "only its own manager ends a register",
            ~registers.ends | ~target.control.valid | (ours & ~is_setup),
        )
        claims.holds(
            "GO is for the register that the request describes, and only with fire",
            ~registers.goes
            | (
                is_setup & asked.fire
                & same(target.control.as_value(), control.as_value())
                & same(target.tree, image)
            ),
        )  # fmt: skip
        self._answers(m, claims, sink, registers, asked, looks & (length != 1), taken)
        claims.reached("a register is set up and told GO", registers.goes)
        claims.reached("its manager clears one", registers.ends & target.control.valid)
        return m

    def _answers(
        self,
        m: Module,
        claims: Properties,
        sink: SetupSink,
        registers: SinkRegisters,
        asked: data.View,
        looks: Value,
        taken: Value,
    ) -> None:
        """Claim of the answers to one manager: one each, to what was asked, and true."""
        who = claims.constant("who", self.which)
        told = Signal(struct(REPLY))
        mine, waits, answers = Signal(), Signal(), Signal()
        kept, ends_one = Signal(struct(REQUEST)), asked.operation != Request.SETUP
        strange, maybe, done, working = Signal(), Signal(), Signal(), Signal()
        held = Cat(r.control.valid & (r.control.gid == asked.gid) for r in registers.all)
        others = Cat(r.control.manager != asked.manager for r in registers.all) & held
        m.d.comb += [
            told.eq(sink.reply_flit.payload),
            mine.eq(looks & (asked.manager == who) & ~waits),
            answers.eq(
                taken & sink.reply_flit.tail
                & (sink.reply_manager == who) & (told.code != Answer.FREED)
            ),
        ]  # fmt: skip
        m.d.sync += [
            waits.eq(mine | (waits & ~answers)),
            working.eq(mine | (working & ~sink.listening)),
        ]
        with m.If(mine):
            m.d.sync += [
                kept.eq(asked),
                # Two registers of one GID there never are, but that takes an induction of its own.
                strange.eq(ends_one & held.any() & (others == held)),
                maybe.eq(ends_one & others.any()),
                done.eq(0),
            ]
        with m.Elif(working & registers.changes):
            m.d.sync += done.eq(1)
        claims.holds("an answer is for a request that waits for it", ~answers | waits)
        claims.holds(
            "it bears the request's GID, sequence number and tag",
            ~answers
            | ((told.gid == kept.gid) & (told.sequence == kept.sequence) & (told.tag == kept.tag)),
        )
        denied = told.code == Answer.DENIED
        claims.holds("denied is only who would end another's group", ~(answers & denied) | maybe)
        claims.holds("what is denied has changed nothing", ~(answers & denied) | ~done)
        claims.holds(
            "who would end another's group is denied",
            ~(answers & strange) | denied | (told.code == Answer.BAD),
        )
        claims.reached("a stranger is denied", answers & denied)
        claims.reached("there is no register left", answers & (told.code == Answer.FULL))
        claims.reached("a barrier is in progress", answers & (told.code == Answer.BUSY))
