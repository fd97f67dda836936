"""What an engine does with one of its entries, any, whatever comes for it and for the others."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.layout.engine import EngineLayout, Kind
from syncfabric.models.messages.registers import Op
from syncfabric.rtl.messages import struct
from tests.formal.engine_bench import FreeEngine, free_ports
from tests.formal.engine_words import combination, turned
from tests.formal.properties import Properties


class EntryProof(wiring.Component):
    """An engine with an own process; neighbours and software do anything.

    The episodes of one entry are kept beside the engine as sets of ports: which are awaited, and
    which have sent, and the word that each of these sent. Reset may come at any time, after which
    no message comes before the sweep is over.

    Parameters
    ----------
    stages : int
    shared : bool
        Links can ask the engine to pause.
    links, groups : int
    routed : bool
        Messages are routed; a port may be the parent's and a child's.
    operations : str
    data_bits, key_bits : int
        With keys, messages have tags.
    """

    def __init__(
        self,
        stages: int,
        links: int,
        groups: int,
        *,
        shared: bool,
        routed: bool = False,
        operations: str = "bitwise",
        data_bits: int = 2,
        key_bits: int = 0,
    ) -> None:
        place = (1, 1) if routed else ()
        self._layout = layout = EngineLayout(
            links, True, groups, data_bits, operations, place, key_bits=key_bits
        )
        self._stages = stages
        more = {"image": In(struct(layout.image)), "come": In(struct(layout.message))}
        super().__init__({**free_ports(layout, shared=shared), **more})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, layout = Properties(m), self._layout
        links = layout.links
        bench = FreeEngine(m, claims, self, layout, self._stages)
        entry = bench.entry
        image = struct(layout.image)(claims.constant("image_kept", self.image.as_value()))
        children, parent = image.children, image.parent
        root = ~parent.any()
        claims.assume(
            (parent & (parent - 1)) == 0,
            layout.routed | ((parent & children) == 0),
            children.any(),
            image.op <= (Op.SUM if layout.operations == "all" else Op.XOR),
        )
        granted = bench.granted
        message, tasks, port = granted.message, granted.tasks, granted.port
        mine = granted.valid & (message.entry == entry)
        claims.assume(~(mine & tasks.setup) | (bench.commands.image.as_value() == image.as_value()))

        # The entry, as the sets of ports that its episodes are made of.
        alive, going_up, idle, asked, seen = (
            Signal(name=name) for name in ("alive", "going_up", "idle", "asked", "seen")
        )
        epoch, came = Signal(2), Signal(layout.ports)
        last = Signal(name="all_last")
        awaited = Mux(idle, 0, Mux(going_up, children, parent))
        ours, broken, merges, completes, starts, kills, expires, fires = (
            Signal(name=name)
            for name in (
                *("ours", "is_broken", "is_merged", "is_complete"),
                *("starts", "kills", "expires", "fires"),
            )
        )
        wanted = Signal(layout.ports)
        sets_up, names_epoch, waits, to_children, clean = (Signal() for _ in range(5))
        is_broken = message.kind == Kind.BROKEN
        keyed = message.tag == image.key if layout.key_bits else Const(1, 1)
        m.d.comb += [
            ours.eq(mine & alive & (message.epoch == epoch) & (keyed | ~port.any())),
            broken.eq(ours & is_broken & (port & parent).any()),
            merges.eq(ours & ~is_broken & (port & awaited & ~came).any()),
            completes.eq(merges & ((came | port) == awaited)),
            starts.eq(ours & tasks.go & idle),
            kills.eq(ours & tasks.kill),
            waits.eq(came.any() | asked),
            expires.eq(mine & tasks.visit & alive & waits & seen),
            fires.eq(completes | starts | broken | kills | expires),
            sets_up.eq(mine & tasks.setup & ~alive & (message.epoch == epoch)),
            names_epoch.eq(mine & tasks.kill & ~alive),
            to_children.eq(broken | kills | expires | starts | root | ~going_up),
            wanted.eq(Mux(fires, Mux(to_children, children, parent), 0)),
        ]
        ends = broken | kills | expires
        kind = Mux(
            ends,
            Kind.BROKEN,
            Mux(
                starts | (message.kind == Kind.GO),
                Kind.GO,
                Mux(last & (message.kind == Kind.LAST), Kind.LAST, Kind.PLAIN),
            ),
        )
        with m.If(sets_up):
            m.d.sync += [
                alive.eq(1),
                epoch.eq(epoch + 1),
                idle.eq(root),
                Cat(going_up, asked, seen, last, came).eq(0),
            ]
        with m.Elif(names_epoch):
            m.d.sync += epoch.eq(message.epoch)
        with m.Elif(mine & tasks.sweep):
            m.d.sync += [clean.eq(1), alive.eq(0), epoch.eq(0)]
        with m.Elif(fires):
            m.d.sync += [
                alive.eq(~(to_children & ((kind == Kind.LAST) | ends))),
                idle.eq(0),
                going_up.eq(root | to_children),
                asked.eq(~to_children),
                came.eq(0),
                last.eq(1),
                seen.eq(0),
            ]
        with m.Elif(merges):
            m.d.sync += [
                came.eq(came | port),
                last.eq(last & (message.kind == Kind.LAST)),
                seen.eq(0),
            ]
        with m.Elif(mine & tasks.visit):
            m.d.sync += seen.eq(waits)

        # The word of each arrival is kept; what came is combined in the order of ports.
        words = [Signal(layout.data_bits, name=f"word_{p}") for p in range(layout.ports)]
        for p, word in enumerate(words):
            with m.If(merges & port[p]):
                m.d.sync += word.eq(message.data)
        sent = [Mux(port[p], message.data, word) for p, word in enumerate(words)]
        now = combination(image.op, [*zip(came | Mux(merges, port, 0), sent, strict=True)])

        # Messages that a faithful neighbour has yet to answer; the parent's GO comes unasked.
        unanswered = Signal(layout.ports)
        with m.If(sets_up):
            m.d.sync += unanswered.eq(parent)
        with m.Else():
            m.d.sync += unanswered.eq((unanswered & ~Mux(merges, port, 0)) | wanted)
        faithful = ours & ~is_broken & (port & unanswered).any()
        state, acc = bench.memory.kept["state"], bench.memory.kept["acc"]
        claims.lemma(
            "the entry in memory is what its episode has come to",
            ~clean | (state.alive == alive),
            ~clean | (bench.memory.kept["epoch"] == epoch),
            ~(clean & alive)
            | (
                (bench.memory.kept["image"].as_value() == image.as_value())
                & (state.missing == (awaited & ~came))
                & (state.turn == (root | ~going_up))
                & (state.last == last)
                & (state.fresh == ~came.any())
                & (state.old == seen)
                & (~came.any() | (acc == combination(image.op, [*zip(came, words, strict=True)])))
            ),
            ~alive | (clean & bench.swept),
            ~alive | (unanswered == (awaited & ~came)),
        )

        # What the engine shows for this service; links with one stage show it at once.
        def then(name: str, value: Value) -> Value:
            return claims.before(name, value) if bench.registered else value

        outs = [getattr(bench.engine, f"out_{q}") for q in range(links)]
        release = bench.engine.release
        sends = Cat(out.valid for out in outs)
        if layout.routed:
            # What stays until it is sent is seen once.
            sends &= ~claims.before("stays", sends & ~self.sent)
        at_links, at_process = then("at_links", mine), claims.before("at_process", mine)
        links_wanted = then("wanted", wanted[:links])
        own_wanted = claims.before("own_wanted", wanted[links])
        kind_then, kind_own = then("kind_then", kind), claims.before("kind_own", kind)
        claims.holds(
            "a link is sent nothing before all that are awaited have sent",
            ~at_links | ((sends & ~links_wanted) == 0),
        )
        claims.holds(
            "the process is released only after all that are awaited have sent",
            ~at_process | ~release.valid | own_wanted,
        )
        claims.holds(
            "when all have sent each link is sent one message",
            ~at_links | ((links_wanted & ~sends) == 0),
        )
        claims.holds(
            "when all have sent the process is sent one message",
            ~at_process | ~own_wanted | release.valid,
        )
        claims.holds(
            "nothing is sent without a service",
            (then("granted", granted.valid) | ~sends.any())
            & (claims.before("granted_own", granted.valid) | ~release.valid),
        )
        claims.holds(
            "nothing is sent or answered before the sweep is over",
            bench.swept | ~(sends.any() | release.valid | bench.commands.done),
        )
        claims.holds(
            "messages say how the episode ends",
            Cat(~(at_links & out.valid) | (out.message.kind == kind_then) for out in outs).all()
            & (~(at_process & release.valid) | (release.message.kind == kind_own)),
        )
        has_data = completes & (kind != Kind.GO)
        data_then = then("data", now), then("has_data", has_data)
        own_data = claims.before("own_data", now)
        claims.holds(
            "acc is the combination of exactly the arrivals of the present epoch",
            ~(alive & came.any())
            | (acc == combination(image.op, [*zip(came, words, strict=True)])),
        )
        claims.holds(
            "acc changes only by such an arrival",
            claims.before("merged", merges) | (acc == claims.before("acc", acc)),
        )
        claims.holds(
            "links are sent the combination of what came",
            Cat(
                ~(at_links & out.valid & data_then[1]) | (out.message.data == data_then[0])
                for out in outs
            ).all(),
        )
        claims.holds(
            "the process is sent the combination of what came",
            ~(at_process & release.valid & claims.before("own_has_data", has_data))
            | (release.message.data == own_data),
        )
        claims.holds(
            "a neighbour is sent no second message before it answers the first",
            ~(at_links & ~then("ends", ends))
            | (
                (sends & then("unanswered", unanswered[:links] & ~Mux(merges, port[:links], 0)))
                == 0
            ),
        )
        claims.holds("an answer is merged", ~faithful | merges)
        downwards = then("downwards", to_children) if layout.routed else Const(1, 1)
        names = [
            ~(at_links & out.valid)
            | (
                getattr(out if field.name == "route_class" else out.message, field.name)
                == Mux(
                    downwards,
                    getattr(image, f"{field.name}_{q}"),
                    getattr(image, f"{field.name}_{layout.named[-1]}"),
                )
            )
            for q, out in enumerate(outs)
            for field in layout.name.fields
        ]
        claims.holds("a neighbour is sent its own names", Cat(names).all())
        claims.holds(
            "the process is sent this engine's names",
            ~(at_process & release.valid)
            | (
                (release.message.entry == entry)
                & (release.message.epoch == claims.before("epoch", epoch))
            ),
        )
        if layout.key_bits:
            self._claim_tags(m, claims, bench, at_links, at_process, image.key)
        counters = bench.engine._counters
        claims.holds(
            "a message that is not awaited is counted",
            ~mine | (counters.unexpected == (port.any() & ~merges & ~broken)),
        )
        asked = tasks.setup | tasks.go | tasks.kill
        good = tasks.read | sets_up | starts | kills | names_epoch
        claims.holds(
            "a command is accepted only in its state",
            ~mine | ((bench.commands.accepted & bench.commands.done) == good),
        )
        claims.holds("a refused command is counted", ~mine | (counters.refused == (asked & ~good)))
        claims.holds(
            "the end of a group is shown at its root",
            ~at_process
            | (
                bench.engine.freed_valid
                == claims.before("freed", fires & root & to_children & (kind == Kind.LAST))
            ),
        )
        claims.reached("an entry is set up", sets_up)
        claims.reached("KILL gives an entry its epoch", names_epoch & (message.epoch != epoch))
        claims.reached("a member goes up", completes & ~to_children)
        claims.reached("a release goes down", completes & to_children & ~root)
        if layout.routed:
            both = (parent & children).any()
            claims.reached("a parent's and a child's port", completes & both & going_up)
        claims.reached("a root's group ends by LAST", completes & root & (kind == Kind.LAST))
        claims.reached("broken", broken & going_up)
        claims.reached("expires", expires)
        return m

    def _claim_tags(
        self,
        m: Module,
        claims: Properties,
        bench: FreeEngine,
        at_links: Value,
        at_process: Value,
        key: Value,
    ) -> None:
        """Claim that a message has its group's key, and on a link its tag."""
        layout, engine = self._layout, bench.engine
        outs = [getattr(engine, f"out_{q}") for q in range(layout.links)]
        claims.holds(
            "a link's message, less its check bits, has the group's key",
            Cat(
                ~(at_links & out.valid) | (turned(layout, out.message).tag == key) for out in outs
            ).all(),
        )
        release = engine.release
        claims.holds(
            "the process's message has the group's key",
            ~(at_process & release.valid) | (release.message.tag == key),
        )
        m.d.comb += [getattr(engine, f"in_{p}").message.eq(self.come) for p in range(layout.links)]
        comes = turned(layout, self.come).as_value()
        claims.holds(
            "what enters a queue has a key in place of its tag",
            Cat(queue.message.as_value() == comes for queue in bench.queues).all(),
        )
