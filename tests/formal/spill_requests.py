"""What comes to a spill engine: messages, arrivals and requests, for one group and for others."""

from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from syncfabric.models.messages import CONTROL, TREE, SwitchWord
from syncfabric.rtl.irregular.spill import SpillEngine
from syncfabric.rtl.messages import struct
from tests.formal.properties import Properties
from tests.formal.tree_register import network_of

__all__ = ["SpillRequests"]

PORTS = 3


class SpillRequests(wiring.Component):
    """An engine to which all comes at any time, in its turn or not; it is served as it comes.

    Parameters
    ----------
    node : bool
        The engine is a node interface's.

    Members
    -------
    me, image : In
        The group that is looked at, and what software writes for it.
    here, words, open : In
        Messages by port, and outputs that are open.
    strange, others, first, which : In
        What other groups hold, and where they stand in the queue.
    asks, about, word, writes, given : In
        Config requests.
    started, arrive, arrives_for : In
        The process.
    """

    def __init__(self, *, node: bool = False) -> None:
        self._node = node
        self._network = network_of(ports=PORTS, spill=True, flit_bits=24)
        self._links = 1 if node else PORTS
        self._ports = 2 if node else PORTS
        self._image = data.StructLayout(
            {"children": self._ports, "parent": range(PORTS), "root": 1, "epoch": 2}
        )
        self._engine = SpillEngine(self._network, node=node)
        self._sync = struct(self._network.layout.sync)
        entry = self._engine._form.entry(self._network).size
        links = self._links
        members = {"me": 8, "image": self._image.size, "here": links, "open": links}
        members |= {"words": links * self._sync.size, "strange": entry, "which": 8}
        members |= {"others": 1, "first": 1, "asks": 1, "about": 8, "word": 3, "writes": 1}
        members |= {"given": 32, "started": 1, "arrive": 1, "arrives_for": 8}
        super().__init__({name: In(width) for name, width in members.items()})

    def accept(self, m: Module, claims: Properties, engine: SpillEngine, now: Any) -> None:
        """Let anything come; claim that what is accepted is judged two cycles later, as it came."""
        width = self._sync.size
        word: Value = Signal(width)
        for p in range(self._links):
            its = self.words.word_select(p, width)
            m.d.comb += getattr(engine, f"message_{p}").eq(its)
            word = word | Mux(engine.take[p], its, 0)
        kept = Signal(data.StructLayout({"port": self._links, "word": width}))
        m.d.comb += [kept.port.eq(engine.take), kept.word.eq(word)]
        taken = claims.before("heard", claims.before("taken", kept))
        heard = Cat(now.port, now.heard.message.as_value())
        claims.holds(
            "a message that is taken is judged two cycles later, as it came",
            Mux(taken[: self._links].any(), now.hears & (heard == taken), ~now.hears),
        )

    def configure(
        self,
        m: Module,
        claims: Properties,
        engine: SpillEngine,
        now: Any,
        mine: Value,
        image: data.View,
        valid: Signal,
        busy: Value,
    ) -> Signal:
        """Let software write any entry, the group's own with its image; claim what is refused.

        Returns
        -------
        Signal
            The image but for its control word has been written.
        """
        control = struct(CONTROL)(now.value[: CONTROL.width])
        tree = struct(TREE)(now.value[: TREE.width])
        asking, done = Signal(), Signal()
        self._planted = done
        m.d.comb += [
            engine.config_valid.eq(self.asks),
            engine.config_gid.eq(self.about),
            engine.config_word.eq(self.word),
            engine.config_write.eq(self.writes),
            engine.config_data.eq(self.given),
        ]
        m.d.sync += asking.eq((asking | self.asks) & ~engine.config_ready)
        claims.assume(~(self.asks & asking))
        writes = now.configures & now.write & mine
        sets, plants = writes & (now.word == SwitchWord.CONTROL), Signal()
        m.d.comb += plants.eq(writes & (now.word == SwitchWord.TREE))
        claims.assume(
            ~sets
            | (
                (control.epoch == image.epoch)
                & (control.root == image.root)
                & (control.op == 0)
                & (~control.valid | done)
            ),
            ~plants
            | ((tree.parent == image.parent) & (tree.children[: self._ports] == image.children)),
        )
        m.d.sync += done.eq(done | (plants & ~valid))
        with m.If(sets & ~busy):
            m.d.sync += valid.eq(control.valid)
        claims.holds(
            "a rewrite in the middle is refused, and of the tree while the group is there",
            ~writes | (engine.refused_write == Mux(sets, busy, valid | ~plants)),
        )
        kept = data.StructLayout({"about": 8, "word": 3, "writes": 1, "given": 32})
        request, latest = Signal(kept), Signal(kept)
        m.d.comb += latest.eq(
            Mux(
                self.asks,
                Cat(self.about, self.word, self.writes, self.given),
                request.as_value(),
            )
        )
        m.d.sync += request.eq(latest)
        shown = Cat(now.gid, now.word, now.write, now.value)
        claims.holds(
            "a request is served as it came", ~now.configures | (shown == request.as_value())
        )
        return done

    def show_process(
        self,
        m: Module,
        claims: Properties,
        engine: SpillEngine,
        now: Any,
        me: Value,
        events: tuple[Value, Value, Value],
    ) -> None:
        """Claim what the node's process sees, when an episode ends, and of its arrivals."""
        ends, tries, comes = events
        arrive, told = engine.arrive, engine.release
        m.d.comb += [
            engine.started.eq(self.started),
            arrive.valid.eq(self.arrive),
            arrive.gid.eq(self.arrives_for),
        ]
        kept, waited = Signal(8), claims.before("waits", ~arrive.ready)
        with m.If(arrive.valid & arrive.ready):
            m.d.sync += kept.eq(arrive.gid)
        accepted = claims.before("accepted", waited & arrive.ready)
        claims.holds(
            "an arrival is judged two cycles after it is taken, as it came",
            (now.comes == accepted) & (~now.comes | (now.gid == claims.before("kept", kept))),
        )
        claims.holds(
            "an arrival that does not count is told", ~tries | (engine.refused_arrive == ~comes)
        )
        claims.holds(
            "the process is released exactly when the barrier is over",
            (told.valid & (told.gid == me)) == claims.before("ends", ends),
        )
        claims.reached("the process is released", told.valid & (told.gid == me))
