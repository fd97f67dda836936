"""How a mesh's register that managers set up begins and ends, whatever comes (S1)."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from syncfabric.models.messages import CONTROL, Command, Kind, RegisterWord
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.register import BarrierRegister
from syncfabric.rtl.messages import node_word, parent_word, struct
from tests.formal.properties import Properties

__all__ = ["MeshLifeProof"]

IMAGE = data.StructLayout(
    {"present": 4, "root": 1, "relay": 1, "turn": 1, "gid": 8, "epoch": 2, "manager": 2, "up": 4}
)
"""What is written; ``up`` is the port towards the parent, one-hot."""


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
        live, written = self._software(m, claims, register, image)
        kinds = self._messages(m, claims, register)
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

    def _software(
        self, m: Module, claims: Properties, register: BarrierRegister, image: data.View
    ) -> tuple[Value, Value]:
        """Let software write the image; return whether it is there, and word 0 is being written."""
        given, write = self.given, self.write
        control = struct(CONTROL)(given[: CONTROL.width])
        done, written = Signal(5), Signal()
        for p in range(4):
            same = node_word(given).present == image.present.bit_select(p, 1)
            claims.assume(~write[RegisterWord.EAST + p] | same)
        claims.assume(
            (write & (write - 1)) == 0,
            ~write[RegisterWord.PARENT] | (parent_word(given).relay == image.relay),
            ~write[0]
            | (
                (control.gid == image.gid)
                & (control.epoch == image.epoch)
                & (control.root == image.root)
                & (control.turn == image.turn)
                & (control.manager == image.manager)
                & (control.op == 0)
                & (~control.valid | done.all())
            ),
            (image.up & (image.up - 1)) == 0,
            image.up.any(),
            ~(image.root & image.relay),
        )
        m.d.comb += [
            register.write.eq(write),
            register.write_data.eq(given),
            register.up_port.eq(image.up),
            written.eq(write[0] & ~register.write_refused),
        ]
        m.d.sync += done.eq(done | write[1:6])
        return register.send.control.valid, written

    def _messages(self, m: Module, claims: Properties, register: BarrierRegister) -> list[Value]:
        """Present messages; return their kinds."""
        width, kinds = self._network.layout.sync.width, []
        m.d.comb += register.here.eq(self.here)
        for p in range(4):
            message: Any = struct(self._network.layout.sync)(
                self.words[p * width : (p + 1) * width]
            )
            late = self.classes[p]
            m.d.comb += [
                getattr(register, f"message_{p}").eq(message),
                getattr(register, f"class_{p}").eq(Mux(self.here[p], Cat(~late, late), 0)),
            ]
            kinds.append(message.kind)
        return kinds
