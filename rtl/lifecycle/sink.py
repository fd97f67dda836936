"""The set-up sink of a router: serves the requests of managers, and answers them."""

from enum import IntEnum

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.layout.engine import COMMIT, EPOCH_BITS, Code
from syncfabric.models.layout.setup import REPLY, REQUEST, Answer, Operation
from syncfabric.models.layout.words import EngineWord
from syncfabric.rtl.engine.ports import EngineConfigSignature
from syncfabric.rtl.lifecycle.queue import WordQueue
from syncfabric.rtl.lifecycle.shape import SetUpShape
from syncfabric.rtl.messages import struct
from syncfabric.rtl.parts.gates import either


class Replies(wiring.Component):
    """Keeps replies until they are sent, a packet of two flits each; reports of ends come first.

    A reply that is put in t is chosen in t + 1 at the earliest, and its header is on offer in
    t + 2. Rules: docs/microarchitecture-networks.md, N4 (9 to 11).

    Parameters
    ----------
    shape : SetUpShape

    Members
    -------
    number : In
        Number of the router; constant.
    put : In(managers), reply : In(REPLY)
        A reply for a manager whose slot is empty, one-hot.
    occupied : Out(managers)
        Slots that are occupied.
    freed_valid : In(1), freed_entry, freed_epoch : In
        A group has ended, in an entry of any share.
    dropped : Out(1)
        There is no place for that.
    valid : Out(1), flit : Out(flit), leaves : In(1)
        A flit on offer, 0 if there is none, and whether it leaves.
    """

    def __init__(self, shape: SetUpShape) -> None:
        self._shape = shape
        super().__init__(
            {
                "number": In(shape.router_bits),
                "put": In(shape.managers),
                "reply": In(struct(REPLY)),
                "occupied": Out(shape.managers),
                "freed_valid": In(1),
                "freed_entry": In(shape.number_bits),
                "freed_epoch": In(EPOCH_BITS),
                "dropped": Out(1),
                "valid": Out(1),
                "flit": Out(struct(shape.flit)),
                "leaves": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        managers, headers = self._shape.managers, self._shape.headers
        slots = [Signal(struct(REPLY), name=f"slot_{i}") for i in range(managers)]
        for i, slot in enumerate(slots):
            with m.If(self.put[i]):
                m.d.sync += slot.eq(self.reply)
        ended, ends = self._place_ended(m)

        # One is chosen; then its header is on offer, and then its word.
        chosen, done = Signal(managers + 1), Signal(managers + 1)
        second = Signal()
        m.d.comb += [
            done.eq(Mux(self.leaves & second, chosen, 0)),
            ends.pop.eq(done[managers]),
        ]
        m.d.sync += self.occupied.eq((self.occupied & ~done[:managers]) | self.put)
        with m.If(~chosen.any()):
            lowest = self.occupied & -self.occupied
            m.d.sync += chosen.eq(Mux(ends.some, 1 << managers, lowest))
        with m.Elif(self.leaves):
            m.d.sync += [second.eq(~second), chosen.eq(Mux(second, 0, chosen))]
        words = [*(slot.as_value() for slot in slots), ended.as_value()]
        own = [Const(header, max(headers).bit_length()) for header in headers]
        goals = [*own, Array(own)[self._shape.owner(ended.entry)]]

        def selected(values: list[Value]) -> Value:
            return either([Mux(chosen[i], value, 0) for i, value in enumerate(values)])

        payload = Mux(second, selected(words), selected(goals))
        m.d.comb += self.valid.eq(chosen.any())
        with m.If(self.valid):
            m.d.comb += self.flit.eq(self._shape.flit_of(payload, ~second, second))
        return m

    def _place_ended(self, m: Module) -> tuple[data.View, WordQueue]:
        """Place the queue of groups that have ended; return the first one's word, and the queue."""
        shape = self._shape
        m.submodules.ends = ends = WordQueue(
            shape.number_bits + EPOCH_BITS, shape.entries + shape.slots
        )
        word = Signal(struct(REPLY), name="ended")
        m.d.comb += [
            ends.push.eq(self.freed_valid & shape.owned(self.freed_entry)),
            ends.word.eq(Cat(self.freed_entry, self.freed_epoch)),
            self.dropped.eq(ends.push & ends.full),
            word.code.eq(Answer.FREED),
            word.entry.eq(ends.first[: shape.number_bits]),
            word.epoch.eq(ends.first[shape.number_bits :]),
            word.number.eq(self.number),
        ]
        return word, ends


class State(IntEnum):
    """What a sink is at."""

    LISTEN, WRITE, JUDGE, COMMIT, START, ANSWER = range(6)


class Sink(wiring.Component):
    """Takes one request at a time, and changes entries by the engine's config port.

    It waits for its own engine alone, never for a reply to leave, so requests never wait for
    replies. Rules: docs/microarchitecture-networks.md, N4.

    Parameters
    ----------
    shape : SetUpShape

    Members
    -------
    number : In
        Number of the router; constant.
    valid : In(1), flit : In(flit), listens : Out(1)
        A flit for the sink; it is accepted if both are high.
    access : Out(EngineConfigSignature)
        To the engine.
    locks : Out(1)
        The sink has begun to use the engine, and is in the middle of a packet.
    freed_valid, freed_entry, freed_epoch : In
        As of :class:`Engine`.
    dropped : Out(2)
        A packet is dropped; a report that a group has ended.
    reply_valid : Out(1), reply_flit : Out(flit), reply_leaves : In(1)
        A flit of a reply on offer, and whether it leaves.
    """

    def __init__(self, shape: SetUpShape) -> None:
        self._shape = shape
        flit = struct(shape.flit)
        super().__init__(
            {
                "number": In(shape.router_bits),
                "valid": In(1),
                "flit": In(flit),
                "listens": Out(1),
                "access": Out(EngineConfigSignature()),
                "locks": Out(1),
                "freed_valid": In(1),
                "freed_entry": In(shape.number_bits),
                "freed_epoch": In(EPOCH_BITS),
                "dropped": Out(2),
                "reply_valid": Out(1),
                "reply_flit": Out(flit),
                "reply_leaves": In(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        m.submodules.replies = replies = Replies(self._shape)
        state, request = Signal(State), Signal(struct(REQUEST))
        # Flits of the packet so far, at most one more than the longest request has.
        longest = 2 + self._shape.image_words
        length, ended, cut, word = Signal(range(longest + 2)), Signal(init=1), Signal(), Signal(32)
        code, epoch, uses = Signal(3), Signal(EPOCH_BITS), Signal()
        m.d.comb += [
            self.listens.eq(state == State.LISTEN),
            self.locks.eq(uses & (state != State.ANSWER) & ~self.dropped[0]),
        ]
        with m.Switch(state):
            with m.Case(State.LISTEN), m.If(self.valid):
                self._listen(m, state, request, length, ended, cut, word)
            with m.Case(State.WRITE), m.If(self.access.ready):
                m.d.sync += state.eq(Mux(ended, State.JUDGE, State.LISTEN))
            with m.Case(State.JUDGE):
                drops, refusal = self._judge(request, length, cut, replies.occupied)
                with m.If(drops):
                    m.d.comb += self.dropped[0].eq(1)
                    m.d.sync += [state.eq(State.LISTEN), uses.eq(0)]
                with m.Else():
                    m.d.sync += [
                        code.eq(refusal),
                        epoch.eq(request.epoch),
                        state.eq(Mux(refusal == Answer.OK, State.COMMIT, State.ANSWER)),
                    ]
            with m.Case(State.COMMIT), m.If(self.access.ready):
                answer, epoch_after = self._committed(request)
                goes_on = (request.operation == Operation.START) & (answer == Answer.OK)
                m.d.sync += [
                    code.eq(answer),
                    epoch.eq(epoch_after),
                    state.eq(Mux(goes_on, State.START, State.ANSWER)),
                ]
            with m.Case(State.START), m.If(self.access.ready):
                said = self.access.rdata[1 : 1 + EPOCH_BITS]
                there = self.access.rdata[0] & (said == (request.epoch + 1)[:EPOCH_BITS])
                m.d.sync += [
                    code.eq(Mux(self.access.error & ~there, Answer.ENDED, Answer.OK)),
                    epoch.eq(said),
                    state.eq(State.ANSWER),
                ]
            with m.Case(State.ANSWER):
                m.d.sync += [state.eq(State.LISTEN), uses.eq(0)]
        self._ask(m, state, request, length, word)
        with m.If(self.access.valid):
            m.d.sync += uses.eq(1)
        self._answer(m, replies, state == State.ANSWER, request, code, epoch)
        return m

    @property
    def _cut(self) -> Value:
        """The rest of the packet is lost; only where links have check bits."""
        return self.flit.cut if self._shape.cut else Const(0, 1)

    def _listen(
        self,
        m: Module,
        state: Signal,
        request: Signal,
        length: Signal,
        ended: Signal,
        cut: Signal,
        word: Signal,
    ) -> None:
        """Take a flit."""
        flit, longest = self.flit, 2 + self._shape.image_words
        before = Mux(ended, 0, length)
        m.d.sync += [
            length.eq(Mux(before > longest, before, before + 1)),
            ended.eq(flit.tail),
            cut.eq((cut & ~ended) | self._cut),
        ]
        with m.If(before == 1):
            m.d.sync += request.eq(flit.payload[: REQUEST.width])
        with m.If((before >= 2) & (before < longest)):
            m.d.sync += [word.eq(flit.payload), state.eq(State.WRITE)]
        with m.Elif(flit.tail):
            m.d.sync += state.eq(State.JUDGE)

    def _judge(
        self, request: Signal, length: Signal, cut: Signal, occupied: Value
    ) -> tuple[Value, Value]:
        """Return whether the packet is dropped, and else its code: OK if it goes on."""
        shape = self._shape
        slots = Array([*occupied, *[Const(1, 1)] * (4 - shape.managers)])
        drops = (length == 1) | cut | slots[request.manager]
        kills = request.operation == Operation.KILL
        bad = (request.operation == 3) | (length != Mux(kills, 2, 2 + shape.image_words))
        denied = ~shape.owned(request.entry) | (shape.owner(request.entry) != request.manager)
        return drops, Mux(bad, Answer.BAD, Mux(denied, Answer.DENIED, Answer.OK))

    def _committed(self, request: Signal) -> tuple[Value, Value]:
        """Return the code that COMMIT's answer makes, and the entry's epoch after it."""
        error, status = self.access.error, self.access.rdata
        alive, epoch = status[0], status[1 : 1 + EPOCH_BITS]
        kills = request.operation == Operation.KILL
        ours = epoch == (request.epoch + 1)[:EPOCH_BITS]
        there, gone = Mux(ours, Answer.OK, Answer.BUSY), Mux(ours, Answer.ENDED, Answer.EPOCH)
        setup = Mux(alive, there, gone)
        code = Mux(error, Mux(kills, Answer.DENIED, setup), Answer.OK)
        return code, Mux(error, epoch, request.epoch + ~kills)

    def _ask(self, m: Module, state: Signal, request: Signal, length: Signal, word: Signal) -> None:
        """Ask the engine for what the state needs."""
        access, commit = self.access, Signal(struct(COMMIT), name="commit")
        kills, starts = request.operation == Operation.KILL, state == State.START
        m.d.comb += [
            commit.code.eq(Mux(starts, Code.GO, Mux(kills, Code.KILL, Code.SETUP))),
            commit.epoch.eq(request.epoch + starts),
            commit.entry.eq(request.entry),
            access.valid.eq((state == State.WRITE) | (state == State.COMMIT) | starts),
            access.write.eq(1),
        ]
        with m.If(state == State.WRITE):
            # Word k is flit 2 + k, and as it is written k + 3 flits have come.
            m.d.comb += [
                access.address.eq(length + int(EngineWord.IMAGE) - 3),
                access.data.eq(word),
            ]
        with m.Else():
            m.d.comb += access.data.eq(commit)

    def _answer(
        self, m: Module, replies: Replies, puts: Value, request: Signal, code: Signal, epoch: Signal
    ) -> None:
        """Join the replies, and put one there."""
        to = Cat(request.manager == i for i in range(self._shape.managers))
        reply = replies.reply
        m.d.comb += [
            replies.number.eq(self.number),
            replies.put.eq(Mux(puts, to, 0)),
            reply.code.eq(code),
            reply.tag.eq(request.tag),
            reply.epoch.eq(epoch),
            reply.entry.eq(request.entry),
            reply.number.eq(request.sequence),
            replies.freed_valid.eq(self.freed_valid),
            replies.freed_entry.eq(self.freed_entry),
            replies.freed_epoch.eq(self.freed_epoch),
            self.dropped[1].eq(replies.dropped),
            self.reply_valid.eq(replies.valid),
            self.reply_flit.eq(replies.flit),
            replies.leaves.eq(self.reply_leaves),
        ]
