"""How a mesh's register that managers set up begins and ends, whatever comes (S1)."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from syncfabric.models.messages import Command, Kind, RegisterWord
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.register import BarrierRegister
from tests.formal.mesh_image import IMAGE, present_messages, write_image
from tests.formal.properties import Properties

__all__ = ["MeshLifeProof"]


class MeshLifeProof(wiring.Component):
    """A register of a mesh with an image that is any; it is written and commanded at any time.

    Members
    -------
    image, here, words, classes : In
        What is written; messages, by port.
    arrive, last, clear_freed : In(1), take : In(5)
        Process, sink, outputs that are free.
    write, given : In
        Words, one a cycle.
    """

    def __init__(self) -> None:
        self._network = network = MeshSpec(
            kind="mesh",
            width=3,
            height=3,
            data_bits=0,
            flit_bits=32,
            barrier_registers=1,
            setup="manager",
        )
        members = {"image": IMAGE.size, "here": 4, "words": 4 * network.layout.sync.width}
        members |= {"classes": 4, "arrive": 1, "last": 1, "clear_freed": 1, "take": 5}
        members |= {"write": 7, "given": 32}
        super().__init__({name: In(width) for name, width in members.items()})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.register = register = BarrierRegister(self._network)
        image = data.View(IMAGE, claims.constant("image", self.image))
        written = write_image(m, claims, register, image, self.write, self.given)
        live = register.send.control.valid
        layout = self._network.layout.sync
        messages = present_messages(m, register, layout, self.here, self.words, self.classes)
        kinds = [message.kind for message in messages]
        pending, sent = register.send.pending, register.send.sent
        m.d.comb += [
            register.arrive.eq(self.arrive),
            register.last.eq(self.last),
            register.clear_freed.eq(self.clear_freed),
            sent.eq(self.take & pending),
        ]
        refused = register.write_refused
        kills = self.write[RegisterWord.STATUS] & (self.given == Command.KILL)
        goes: Any = self.write[RegisterWord.STATUS] & (self.given == Command.GO) & ~refused
        breaks: Any = kills & ~refused
        used = register.used
        above = [self.here[p] & (self.classes[p] != image.turn) for p in range(4)]
        may_go, dying = Signal(), Signal()
        for p, kind in enumerate(kinds):
            goes = goes | (used[p] & above[p] & (kind == Kind.GO))
            breaks = breaks | (used[p] & (kind == Kind.BROKEN))
            claims.holds(
                f"nothing ends it by port {p} but what may",
                ~(used[p] & (kind == Kind.BROKEN)) | (live & above[p] & ~image.root & ~dying),
            )
        dies = Signal()
        m.d.comb += dies.eq(breaks & ~dying)
        was_live = claims.before("live", live)
        m.d.sync += [
            dying.eq((dies | dying) & live),
            may_go.eq(goes | (may_go & ~written)),
        ]
        claims.holds("KILL is refused only where nothing is", ~kills | (refused == ~live))
        claims.holds("who is dying takes nothing in", ~dying | ~used.any())
        claims.holds("nor is written", ~(dying & live) | ~written)
        claims.holds(
            "it ends only when it is cleared, or has died",
            ~(was_live & ~live) | claims.before("written", written) | claims.before("dying", dying),
        )
        owed, told = Signal(4), Signal(4)
        m.d.comb += told.eq(Mux(register.send.wave == Kind.BROKEN, sent[:4], 0))
        m.d.sync += owed.eq(Mux(dies, image.present, owed & ~told))
        claims.holds("all children are told, once", (told & ~owed) == 0)
        claims.holds("before it is gone", live | ~owed.any())
        claims.holds("and the parent nothing more", ~dying | ~pending[4])
        self._process(m, claims, register, image, live, (written, dies, dying, may_go))
        self._last(m, claims, register, image, kinds, (written, dies))
        claims.reached("a register with four children dies", told.any() & image.present.all())
        claims.reached("it ends by itself", was_live & ~live & claims.before("ended", dying))
        return m

    def _process(
        self,
        m: Module,
        claims: Properties,
        register: BarrierRegister,
        image: data.View,
        live: Value,
        events: tuple[Value, Value, Value, Value],
    ) -> None:
        """Claim what the node's process sees."""
        written, dies, dying, may_go = events
        inside, accepted, waits = Signal(), Signal(), Signal()
        m.d.comb += [
            accepted.eq(self.arrive & ~register.refused),
            waits.eq((inside & ~register.released) | accepted),
        ]
        m.d.sync += inside.eq(waits)
        waited, died = claims.before("waits", waits), claims.before("died", dies)
        claims.holds(
            "a process arrives only in a group that is there and has heard GO, and as a member",
            ~accepted | (live & ~dying & may_go & ~image.relay),
        )
        claims.holds("nobody is released who has not arrived", ~register.released | waited)
        claims.holds(
            "who waits in a group that dies is released, and told",
            ~(died & waited) | (register.released & register.broken),
        )
        claims.holds(
            "nobody else is told so",
            ~(register.released & register.broken) | (died & waited),
        )
        claims.holds("a rewrite while it waits is refused", ~written | ~inside | register.released)
        claims.reached("a process is released, and told", register.released & register.broken)

    def _last(
        self,
        m: Module,
        claims: Properties,
        register: BarrierRegister,
        image: data.View,
        kinds: list[Value],
        events: tuple[Value, Value],
    ) -> None:
        """Claim when a message is LAST, and the register freed."""
        written, dies = events
        used, send = register.used, register.send
        plain = Cat(used[p] & (kind == Kind.REDUCE) for p, kind in enumerate(kinds)).any()
        plain = plain | (self.arrive & ~register.refused & ~self.last)
        answers = Cat(used[p] & (kind == Kind.DISTRIBUTE) for p, kind in enumerate(kinds)).any()
        died = claims.before("killed", dies)
        # A root's end shows in its release, a cycle later.
        turned = register.released & image.root & ~died
        kept, only = Signal(init=1), Signal()
        over = claims.before("answers", answers) | turned
        m.d.comb += only.eq(kept | over)
        m.d.sync += kept.eq((only & ~plain) | written)
        up = send.sent[4]
        claims.holds(
            "what goes up is LAST exactly if all arrivals were",
            ~up | (send.up_kind == Mux(only, Kind.GO, Kind.REDUCE)),
        )
        freed = Signal()
        was_last = claims.before("was_last", only & ~plain)
        ended = claims.before("end", written | dies)
        m.d.comb += freed.eq(
            (turned & was_last)
            | (claims.before("freed", register.freed) & ~claims.before("cleared", self.clear_freed))
        )
        claims.holds(
            "freed exactly by a root whose last barrier is over, until its manager is told",
            register.freed == (freed & ~ended),
        )
        claims.holds(
            "with the manager who has set it up",
            ~register.freed | (register.manager == image.manager),
        )
        claims.reached("freed, with four children", register.freed & image.present.all())
        claims.reached("LAST goes up", up & (send.up_kind == Kind.GO))
