"""How a register that managers set up begins and ends, whatever comes (S1)."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.messages import CONTROL, TREE, Command, Kind
from syncfabric.rtl.irregular.register import TreeRegister
from syncfabric.rtl.messages import struct
from tests.formal.properties import Properties
from tests.formal.tree_register import PORTS, network_of

__all__ = ["LifeProof"]


class LifeProof(wiring.Component):
    """A register of a switch or of a node interface; it is written and commanded at any time.

    Parameters
    ----------
    node : bool
        It is a node interface's.

    Members
    -------
    match, kinds, open : In
        Messages, while the register is valid; outputs that are open.
    arrive, last, clear_freed : In(1)
        Process and sink.
    write, given : In
        Words, one a cycle.
    """

    def __init__(self, *, node: bool) -> None:
        self._node = node
        self._network = network_of(setup="manager", barrier_registers=1)
        self._links = 1 if node else PORTS
        self._ports = 2 if node else PORTS
        members = {"match": self._links, "kinds": 2 * self._links, "open": self._links}
        members |= {"arrive": 1, "last": 1, "clear_freed": 1, "write": 3, "given": 32}
        super().__init__({name: In(width) for name, width in members.items()})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, links = Properties(m), self._links
        m.submodules.register = register = TreeRegister(self._network, node=self._node)
        live, was_live = register.open, claims.before("live", register.open)
        writes, refused = self.write, register.write_refused
        claims.assume((writes & (writes - 1)) == 0, ~self.match.any() | live)
        m.d.comb += [
            register.write.eq(writes),
            register.write_data.eq(self.given),
            register.match.eq(self.match),
            register.clear_freed.eq(self.clear_freed),
        ]
        # What was written.
        control, tree = Signal(struct(CONTROL)), Signal(struct(TREE))
        written, rewritten = writes[0] & ~refused, Signal()
        m.d.comb += rewritten.eq(written)
        with m.If(rewritten):
            m.d.sync += control.eq(self.given)
        with m.If(writes[1] & ~refused):
            m.d.sync += tree.eq(self.given)
        kids = tree.children[: self._ports]
        if self._node:  # no plan has a register of a node that is not a member
            claims.assume(~writes[1] | struct(TREE)(self.given[: TREE.width]).children[1])

        # What ends it, and what begins it.
        kills = writes[2] & (self.given == Command.KILL)
        goes: Any = writes[2] & (self.given == Command.GO) & ~refused
        breaks: Any = kills & ~refused
        for p in range(links):
            message = getattr(register, f"message_{p}")
            kind = self.kinds[2 * p : 2 * p + 2]
            m.d.comb += message.kind.eq(kind)
            used = self.match[p] & register.used[p]
            above = 1 if self._node else (tree.parent[:2] == p) & ~control.root
            goes = goes | (used & above & (kind == Kind.GO))
            breaks = breaks | (used & above & (kind == Kind.BROKEN))
        sent = Signal(links)
        m.d.comb += [
            sent.eq(self.open & (register.send.children | register.send.parent)),
            register.send.sent.eq(sent),
        ]
        dying, dies, may_go = Signal(), Signal(), Signal()
        m.d.comb += dies.eq(breaks & ~dying)
        m.d.sync += [
            dying.eq(dies | (dying & live)),
            may_go.eq(goes | (may_go & ~rewritten)),
        ]
        claims.holds(
            "it ends only when it is cleared, or has died",
            ~(was_live & ~live)
            | claims.before("cleared", rewritten)
            | claims.before("dying", dying),
        )
        claims.holds(
            "it is another's only when it is written anew",
            ~(live & was_live & ~claims.before("rewritten", rewritten))
            | (
                (register.gid == claims.before("gid", register.gid))
                & (register.manager == claims.before("manager", register.manager))
            ),
        )
        claims.holds("KILL is refused only where nothing is", ~kills | (refused == ~live))
        claims.holds("who is dying takes nothing in", ~(dying & live) | ~register.used.any())
        claims.holds("nor is written", ~(dying & live) | ~rewritten)
        told = sent & register.send.children & (register.send.wave == Kind.BROKEN).replicate(links)
        if self._node:
            self._process(m, claims, register, dies, dying, may_go, control, kids)
            claims.holds("the process's interface tells nobody", ~told.any())
        else:
            owed = Signal(links)
            m.d.sync += owed.eq(Mux(dies, kids, owed & ~told))
            claims.holds("all children are told, once", (told & ~owed) == 0)
            claims.holds(
                "before it is gone",
                ~(was_live & ~live & claims.before("died", dying)) | ~owed.any(),
            )
            claims.reached("a register with three children dies", told.any() & (kids == 7))
        claims.reached("it ends by itself", was_live & ~live & claims.before("ended", dying))
        self._last(m, claims, register, control, kids, (rewritten, dies, dying, may_go), sent)
        return m

    def _last(
        self,
        m: Module,
        claims: Properties,
        register: TreeRegister,
        control: Any,
        kids: Any,
        events: tuple[Signal, Signal, Signal, Signal],
        sent: Signal,
    ) -> None:
        """Claim when a message is LAST, and the register freed."""
        written, dies, dying, may_go = events
        links, send = self._links, register.send
        plain, children, answers = Signal(links + 1), Signal(links), Signal(links)
        for p in range(links):
            kind = self.kinds[2 * p : 2 * p + 2]
            m.d.comb += [
                plain[p].eq(register.used[p] & (kind == Kind.REDUCE)),
                # Once GO has been, its number means LAST.
                children[p].eq(plain[p] | (register.used[p] & (kind == Kind.GO) & may_go)),
                answers[p].eq(register.used[p] & (kind == Kind.DISTRIBUTE)),
            ]
        came: Any = children
        if self._node:
            arrives = self.arrive & ~register.refused
            m.d.comb += plain[-1].eq(arrives & ~self.last)
            came = Cat(children, arrives)
        arrived, last, freed = Signal(self._ports), Signal(), Signal()
        fires, ends = Signal(), Signal()
        m.d.comb += [
            fires.eq(
                register.open
                & control.root
                & kids.any()
                & ((kids & ~(arrived | came)) == 0)
                & ~send.children.any()
                & ~dying
            ),
            ends.eq(fires | answers.any()),
        ]
        m.d.sync += [
            arrived.eq(Mux(ends | dies | written, 0, arrived | came)),
            last.eq((last & ~plain.any()) | ends | written),
            freed.eq(
                ~written & ~dies & ((fires & last & ~plain.any()) | (freed & ~self.clear_freed))
            ),
        ]
        claims.holds(
            "what goes up is LAST exactly if all arrivals were",
            ~(sent & send.parent).any() | (send.up_kind == Mux(last, Kind.GO, Kind.REDUCE)),
        )
        claims.holds(
            "freed exactly by a root whose last barrier is over, until its manager is told",
            register.freed == freed,
        )
        claims.holds(
            "with the manager who has set it up", ~freed | (register.manager == control.manager)
        )
        claims.reached("freed, with all its children", freed & kids.all())
        claims.reached("LAST goes up", (sent & send.parent).any() & (send.up_kind == Kind.GO))

    def _process(
        self,
        m: Module,
        claims: Properties,
        register: TreeRegister,
        dies: Any,
        dying: Any,
        may_go: Any,
        control: Any,
        kids: Any,
    ) -> None:
        """Claim what the node's process sees."""
        m.d.comb += [register.arrive.eq(self.arrive), register.last.eq(self.last)]
        inside, accepted, waits = Signal(), Signal(), Signal()
        m.d.comb += [
            accepted.eq(self.arrive & ~register.refused),
            waits.eq((inside & ~register.released) | accepted),
        ]
        m.d.sync += inside.eq(waits)
        waited, died = claims.before("waits", waits), claims.before("dies", dies)
        alone = control.root & ~kids[0]
        claims.holds(
            "a process arrives only in a group that is there and has heard GO, and as a member",
            ~accepted | (register.open & ~dying & (may_go | alone) & kids[1]),
        )
        claims.holds("nobody is released who has not arrived", ~register.released | waited)
        claims.holds(
            "who waits in a group that dies is released, and told", ~(died & waited)
            | (register.released & register.broken),
        )  # fmt: skip
        claims.holds(
            "nobody else is told so",
            ~(register.released & register.broken) | (died & waited),
        )
        claims.reached("a process is released, and told", register.released & register.broken)
