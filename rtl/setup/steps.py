"""What a set-up sink does with a request, step by step, over its router's config port."""

from typing import Any

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import (
    CONTROL,
    REPLY,
    REQUEST,
    Answer,
    Command,
    RegisterWord,
    Request,
)
from syncfabric.rtl.messages import struct
from syncfabric.rtl.setup.access import AccessSignature
from syncfabric.rtl.setup.format import SLOT_BITS, SetupFormat

__all__ = ["SetupSteps"]

_SHARED = ("root", "turn", "op", "epoch", "gid", "manager")


class SetupSteps(wiring.Component):
    """Finds a group's register, and compares, writes, commands or clears it.

    Cycles as in docs/microarchitecture.md, S4.

    Parameters
    ----------
    form : SetupFormat
        Words of the network's registers.

    Members
    -------
    begin : In(1)
        The request is whole with the next cycle; only while ``listening``.
    asked : In(request word), unknown, fits : In(1)
        Its request word, if it has one; its length is right.
    index : Out, image : In
        Which image word is needed, and its contents.
    slot : In(6)
        Only where requests name a slot: which.
    occupied : In(managers)
        Managers whose last answer has not left yet.
    gids : In(8 * registers), open : In(registers)
        The registers' GIDs, and whether they are valid.
    access : Out(AccessSignature)
        To the router's own registers.
    listening : Out(1)
        No request is worked on.
    dropped : Out(1)
        The request can not be answered, and nothing is done.
    answer : Out(1), code : Out(3)
        It is done, and what its manager is to hear.
    """

    def __init__(self, form: SetupFormat) -> None:
        self._form = form
        members: dict[str, Any] = {
            "begin": In(1),
            "asked": In(struct(REQUEST)),
            "unknown": In(1),
            "fits": In(1),
            "index": Out(range(form.stride)),
            "image": In(form.image_bits),
            "occupied": In(len(form.headers)),
            "gids": In(8 * form.registers),
            "open": In(form.registers),
            "access": Out(AccessSignature()),
            "listening": Out(1),
            "dropped": Out(1),
            "answer": Out(1),
            "code": Out(struct(REPLY)["code"].shape),
        }
        if form.slot_at is not None:
            members["slot"] = In(SLOT_BITS)
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        form, asked, code, access = self._form, self.asked, self.code, self.access
        last = len(form.image)  # the control word's step, after those of the image

        # Where the group's register is, and what each access reads or writes.
        found, free = Signal(form.registers), Signal(form.registers)
        number = Signal(range(form.registers))
        step, word, control = self.index, Signal(3), Signal(struct(CONTROL))
        is_setup, is_control, differs = Signal(), Signal(), Signal()
        gids = [self.gids[8 * r : 8 * r + 8] for r in range(form.registers)]
        words = Array([*(number for number, _ in form.image), RegisterWord.CONTROL, form.state])
        m.d.comb += [
            found.eq(self.open & Cat(gid == asked.gid for gid in gids)),
            free.eq(self._free()),
            is_setup.eq(asked.operation == Request.SETUP),
            is_control.eq(step == last),
            control.valid.eq(1),
            *(getattr(control, name).eq(getattr(asked, name)) for name in _SHARED),
            access.address.eq(Cat(word, number)),
        ]
        contents = Signal(32)
        m.d.comb += contents.eq(Mux(is_control, control.as_value() & form.control, self.image))

        # An access is pending from the cycle after its grant until it is answered.
        pending, answered, accesses = Signal(), Signal(), Signal()
        m.d.comb += [access.request.eq(accesses & ~pending), answered.eq(pending & access.ready)]
        with m.If(answered):
            m.d.sync += pending.eq(0)
        with m.Elif(access.request & access.granted):
            m.d.sync += pending.eq(1)

        with m.FSM():
            with m.State("LISTEN"):
                m.d.comb += self.listening.eq(1)
                m.d.sync += [step.eq(0), differs.eq(0), code.eq(Answer.OK)]
                with m.If(self.begin):
                    m.next = "LOOK"
            with m.State("LOOK"):
                empty = Array([*~self.occupied, *[Const(0, 1)] * 3])[asked.manager]
                m.d.sync += number.eq(_number(Mux(found.any(), found, free)))
                with m.If(self.unknown | ~empty):
                    m.d.comb += self.dropped.eq(1)
                    m.next = "LISTEN"
                with m.Elif(~self.fits):
                    m.d.sync += code.eq(Answer.BAD)
                    m.next = "ANSWER"
                with m.Elif(found.any() & is_setup):
                    m.next = "COMPARE"
                with m.Elif(found.any()):
                    m.next = "OWNER"
                with m.Elif(is_setup & free.any()):
                    m.next = "STORE"
                with m.Else():
                    m.d.sync += code.eq(Mux(is_setup, Answer.FULL, Answer.OK))
                    m.next = "ANSWER"
            with m.State("COMPARE"):
                wrong = Signal()
                m.d.comb += [
                    accesses.eq(1),
                    word.eq(words[step]),
                    wrong.eq(
                        Mux(
                            step > last,
                            (access.rdata & form.busy).any(),
                            access.rdata != contents,
                        )
                    ),
                ]
                with m.If(answered):
                    m.d.sync += [differs.eq(differs | wrong), step.eq(step + (step <= last))]
                    with m.If(step > last):
                        with m.If(differs | wrong):
                            m.d.sync += code.eq(Answer.EXISTS)
                            m.next = "ANSWER"
                        with m.Elif(asked.fire):
                            m.next = "GO"
                        with m.Else():
                            m.next = "ANSWER"
            with m.State("STORE"):
                m.d.comb += [
                    accesses.eq(1),
                    access.write.eq(1),
                    word.eq(words[step]),
                    access.data.eq(contents),
                ]
                with m.If(answered):
                    with m.If(access.error):
                        m.d.sync += code.eq(Answer.BAD)
                        m.next = "ANSWER"
                    with m.Elif(~is_control):
                        m.d.sync += step.eq(step + 1)
                    with m.Elif(asked.fire):
                        m.next = "GO"
                    with m.Else():
                        m.next = "ANSWER"
            with m.State("GO"):
                m.d.comb += [
                    accesses.eq(1),
                    access.write.eq(1),
                    word.eq(form.command),
                    access.data.eq(Command.GO),
                ]
                with m.If(answered):
                    with m.If(access.error):
                        # A register just written is as far as the control word, one found is on.
                        m.d.sync += code.eq(Mux(is_control, Answer.BAD, Answer.EXISTS))
                    m.next = "ANSWER"
            with m.State("OWNER"):
                m.d.comb += [accesses.eq(1), word.eq(RegisterWord.CONTROL)]
                with m.If(answered):
                    m.next = "ACT"
                    with m.If(
                        struct(CONTROL)(access.rdata[: CONTROL.width]).manager != asked.manager
                    ):
                        m.d.sync += code.eq(Answer.DENIED)
                        m.next = "ANSWER"
            with m.State("ACT"):
                kills = asked.operation == Request.KILL
                m.d.comb += [
                    accesses.eq(1),
                    access.write.eq(1),
                    word.eq(Mux(kills, form.command, RegisterWord.CONTROL)),
                    access.data.eq(Mux(kills, Command.KILL, 0)),
                ]
                with m.If(answered):
                    with m.If(access.error & ~kills):
                        m.d.sync += code.eq(Answer.BUSY)
                    m.next = "ANSWER"
            with m.State("ANSWER"):
                m.d.comb += self.answer.eq(1)
                m.next = "LISTEN"
        return m

    def _free(self) -> Value:
        """Return the registers that a new group may have: all, or the slot that is named."""
        free = ~self.open
        if self._form.slot_at is None:
            return free
        return free & Cat(self.slot == r for r in range(self._form.registers))


def _number(places: Value) -> Value:
    """Return the number of the lowest bit that is set; 0 if none is."""
    number: Value = Const(0, 1)
    for i in reversed(range(len(places))):
        number = Mux(places[i], i, number)
    return number
