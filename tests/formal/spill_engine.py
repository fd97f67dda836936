"""The spill engine of a switch or node interface: a group in memory is as in a register."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data

from syncfabric.models.messages import Kind
from tests.formal.properties import Properties
from tests.formal.spill_requests import SpillRequests
from tests.formal.spill_stand_ins import place_engine

__all__ = ["SpillProof"]


class SpillProof(SpillRequests):
    """A group that is any of the 256, of an image that is any; whatever the others do.

    The lemma says where the engine's state is what the contract has (I6), and how far an operation
    is that is under way.
    """

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, links = Properties(m), self._links
        me = claims.constant("gid", self.me)
        image = data.View(self._image, claims.constant("image", self.image))
        kids = image.children
        way = Signal(links)
        m.d.comb += way.eq(1 << image.parent)
        claims.assume(
            image.parent < self._links,
            image.root | ((kids & way) == 0),
            kids.any(),
            self.which != me,
        )
        strangers = (self.strange, self.others, self.first, self.which)
        engine = self._engine
        parts = place_engine(m, engine, me, *strangers)
        now, queue, send = parts.now, parts.queue, engine.send
        mine = Signal()
        m.d.comb += [
            mine.eq(now.gid == me),
            engine.here.eq(self.here),
            send.sent.eq(self.open & (send.children | send.parent)),
        ]
        message = now.heard.message
        ours = send.gid == me
        down, up = Signal(links), Signal()
        m.d.comb += [
            down.eq(Mux(ours, send.sent & send.children, 0)),
            up.eq(ours & (send.sent & send.parent).any()),
        ]
        self.accept(m, claims, engine, now)

        # What the contract makes of it: without a queue, and without a register to send from.
        valid, arrived, fired = Signal(), Signal(self._ports), Signal()
        asked, owed = Signal(), Signal(links)
        hears = now.hears & mine
        ours_now = hears & valid & (message.epoch == image.epoch)
        reduces, answers, comes, tries = Signal(), Signal(), Signal(), Signal()
        m.d.comb += [
            reduces.eq(
                ours_now
                & (message.kind == Kind.REDUCE)
                & (now.port & kids[:links] & ~arrived[:links] & ~owed).any()
            ),
            answers.eq(
                ours_now
                & (message.kind == Kind.DISTRIBUTE)
                & (now.port & way).any()
                & ~image.root
                & fired
                & asked
            ),
        ]
        came: Value = Mux(reduces, now.port, 0)
        if self._node:
            m.d.comb += [
                tries.eq(now.comes & mine),
                comes.eq(tries & valid & self.started & kids[1] & ~arrived[1] & ~fired),
            ]
            came = Cat(came, comes)
        all_now = Signal(self._ports)
        completes, ends = Signal(), Signal()
        m.d.comb += [
            all_now.eq(arrived | came),
            completes.eq((hears | tries) & valid & ~fired & (owed == 0) & (all_now == kids)),
            ends.eq(answers | (completes & image.root)),
        ]
        m.d.sync += [
            arrived.eq(Mux(ends, 0, all_now)),
            fired.eq((fired | (completes & ~image.root)) & ~ends),
            asked.eq((asked | up) & ~ends),
            owed.eq((owed & ~down) | Mux(ends, kids[:links], 0)),
        ]
        busy = arrived.any() | fired | owed.any()
        planted = self.configure(m, claims, engine, now, mine, image, valid, busy)

        claims.holds(
            "a message is a stray exactly if it comes out of its turn",
            ~hears | (engine.stray == ~(reduces | answers)),
        )
        claims.holds("nothing goes up before all are in", ~up | fired)
        claims.holds("one message goes up an episode", ~(up & asked))
        claims.holds("a root sends nothing up", ~(up & image.root))
        claims.holds("every child is told after all are in, and once", (down & ~owed) == 0)
        held = Mux(ours, send.children | send.parent, 0)
        entry = parts.memory.kept
        claims.holds(
            "what is owed waits in the queue, or to be sent",
            Mux(entry.queued & ~fired, owed == kids[:links], owed == (held & ~Mux(fired, way, 0))),
        )
        claims.holds(
            "what is to go up waits in the queue, or to be sent",
            (fired & ~asked) == (fired & (entry.queued | (held & way).any())),
        )
        fetched = claims.before("leaves", queue.leaves)
        claims.holds(
            "a group waits exactly if it is in the queue, or just taken from it",
            entry.queued == (queue.inside | fetched | claims.before("fetched", fetched)),
        )
        claims.holds(
            "a group is in the queue once", ~(queue.push & (queue.gid == me) & queue.inside)
        )
        claims.holds(
            "what is sent bears the epoch",
            ~(down.any() | up) | (send.epoch == image.epoch),
        )
        fetching = claims.before("fetching", fetched)
        empty = ~(send.children | send.parent).any()
        turn = parts.turn
        reading = claims.before("accepts", turn.accepts)
        doing = claims.before("reads", reading)
        reading_fetch = claims.before("is_fetch", turn.fetches)
        doing_fetch = claims.before("does_fetch", reading_fetch)
        settled = [
            turn.idle == ~(reading | doing),
            ~(reading & doing),
            (now.fetches | now.configures | now.hears | now.comes) == doing,
            now.fetches == doing_fetch,
            ~reading_fetch | reading,
            ~doing_fetch | doing,
            ~fetched | reading_fetch,
            ~reading_fetch | empty,
            ~(entry.queued & ours & ~empty),
            (now.port & (now.port - 1)) == 0,
            (owed & ~kids[:links]) == 0,
            (owed & arrived[:links]) == 0,
            entry.control.valid == valid,
            entry.arrived == arrived,
            entry.fired == fired,
            ~valid | planted,
            ~valid | ((entry.control.epoch == image.epoch) & (entry.control.root == image.root)),
            ~planted | ((entry.children == kids) & (entry.parent == image.parent)),
            entry.queued == (queue.inside | fetched | fetching),
            fetching == (now.fetches & mine),
            ~(fetched | now.fetches) | empty,
            (fetched + fetching + queue.inside) < 2,
            ~ours | empty | (send.epoch == image.epoch),
            ~ours | ((send.parent & ~way) == 0),
            ~ours | ~(send.children.any() & send.parent.any()),
            Mux(entry.queued & ~fired, owed == kids[:links], owed == Mux(ours, send.children, 0)),
            (fired & ~asked) == (entry.queued & fired | (ours & send.parent.any())),
            ~asked | fired,
            ~fired | ((arrived == kids) & (owed == 0) & ~image.root),
            fired | (arrived != kids),
            (arrived & ~kids) == 0,
            ~(arrived.any() | fired | owed.any()) | valid,
            ~entry.queued | fired | owed.any(),
        ]
        claims.lemma("the state is as the contract has it", *settled)
        if self._node:
            self.show_process(m, claims, engine, now, me, (ends & kids[1], tries, comes))
        claims.reached("all children are told", (down == kids[:links]) & kids.all())
        claims.reached("an answer ends an episode", answers)
        if not self._node:
            claims.reached("a child that was told arrives again", reduces & (owed != 0))
        return m
