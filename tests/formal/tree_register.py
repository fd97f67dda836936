"""A barrier register of an irregular switch, or of a node interface, whatever comes."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from syncfabric.models.messages import CONTROL, TREE, Kind
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.irregular.register import TreeRegister
from syncfabric.rtl.messages import struct
from tests.formal.properties import Properties

__all__ = ["TreeRegisterProof", "network_of"]

PORTS = 4


def network_of(**options: object) -> IrregularSpec:
    """Return a network of two switches of four ports."""
    given = {
        "kind": "irregular",
        "ports": PORTS,
        "switches": 2,
        "links": [[[0, 0], [1, 0]]],
        "nodes": [[0, 1], [1, 1]],
        "data_bits": 0,
        "setup": "local",
        "barrier_registers": 1,
    }
    return IrregularSpec.model_validate(given | options)


class TreeRegisterProof(wiring.Component):
    """One register with an image that is any; it is written at any time.

    Parameters
    ----------
    node : bool
        It is a node interface's.
    serial : bool
        With ``operations = "all"``.
    """

    def __init__(self, *, node: bool = False, serial: bool = False) -> None:
        self._node, self._serial = node, serial
        self._network = network_of(operations="all" if serial else "bitwise")
        self._links = 1 if node else PORTS
        self._ports = 2 if node else PORTS
        self._image = data.StructLayout(
            {"children": self._ports, "parent": range(PORTS), "root": 1, "gid": 8, "epoch": 2}
        )
        super().__init__(
            {
                "image": In(self._image.size),
                "match": In(self._links),
                "kinds": In(2 * self._links),
                "chosen": In(self._links),
                "open": In(self._links),
                "arrive": In(1),
                "started": In(1),
                "write": In(2),
                "given": In(32),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, links = Properties(m), self._links
        m.submodules.register = register = TreeRegister(self._network, node=self._node)
        image = data.View(self._image, claims.constant("image", self.image))
        claims.assume(image.parent < self._ports)
        way, kids = Signal(self._ports), image.children
        m.d.comb += way.eq(1 << image.parent)
        live, written, deaf = self._software(m, claims, register, image)
        reduces, answers = Signal(links), Signal(links)
        for p in range(links):
            message = getattr(register, f"message_{p}")
            kind = self.kinds[2 * p : 2 * p + 2]
            # Who matches bears the register's GID and epoch.
            claims.assume(~self.match[p] | live)
            m.d.comb += [
                message.kind.eq(kind),
                message.gid.eq(image.gid),
                message.epoch.eq(image.epoch),
                reduces[p].eq(
                    self.match[p] & (kind == Kind.REDUCE) & kids[p] & ~deaf
                    & (self.chosen[p] if self._serial else 1)
                ),
                answers[p].eq(
                    self.match[p] & (kind == Kind.DISTRIBUTE) & way.bit_select(p, 1) & ~deaf
                ),
            ]  # fmt: skip
        m.d.comb += register.match.eq(self.match)
        if self._serial:
            claims.assume(
                (self.chosen & (self.chosen - 1)) == 0,
                (self.chosen & ~register.countable) == 0,
            )
            m.d.comb += register.chosen.eq(self.chosen)

        # What is sent, when outputs are open.
        sent, send = Signal(links), register.send
        m.d.comb += [sent.eq(self.open & (send.children | send.parent)), send.sent.eq(sent)]
        up = (sent & send.parent).any()

        arrived, owed = Signal(self._ports), Signal(links)
        asked, fired = Signal(), Signal()
        came: Value = reduces & ~owed  # a child that is still to be told says nothing
        accepted: Value = Const(0, 1)
        if self._node:
            m.d.comb += [register.arrive.eq(self.arrive), register.started.eq(self.started)]
            accepted = self.arrive & register.ready & ~(arrived[1] | fired) & kids[1]
            came = Cat(came, accepted)
        came = Mux(fired, 0, came) if not self._node else Cat(Mux(fired, 0, came[0]), came[1])
        now = (arrived | came)[: self._ports]
        completes = live & ~written & ~fired & kids.any() & (owed == 0) & ((kids & ~now) == 0)
        answered = answers.any() & asked & ~image.root
        ends = (completes & image.root) | answered
        m.d.sync += [
            arrived.eq(Mux(ends, 0, now)),
            fired.eq((fired | (completes & ~image.root)) & ~ends),
            asked.eq((asked | up) & ~ends),
            owed.eq((owed & ~sent) | Mux(ends, kids[:links], 0)),
        ]
        claims.holds("nothing goes up before all children's arrivals are in", ~up | fired)
        claims.holds("one message goes up an episode", ~(up & asked))
        claims.holds("the root sends nothing up", ~(up & image.root))
        claims.holds("every child is told after all are in, and once", send.children == owed)
        claims.holds(
            "an episode ends only when every child has been told of the one before",
            ~ends | (owed == 0),
        )
        claims.holds(
            "what is to go up is on offer until it goes",
            ~(fired & ~asked & (way[:links] != 0)) | send.parent.any(),
        )
        claims.holds(
            "messages to children and to the parent are never due at once",
            ~(send.children.any() & send.parent.any()),
        )
        busy = arrived.any() | fired | owed.any()
        claims.holds("a rewrite in the middle is refused", ~written | ~busy)
        claims.holds(
            "no message is used but as an arrival or an answer",
            (register.used & ~(reduces | answers)) == 0,
        )
        if self._node:
            self._process(m, claims, register, ends & kids[1], accepted, written, live)
        if not self._serial:
            claims.reached(
                "all children arrive in one cycle", completes & (arrived == 0) & kids.all()
            )
        claims.reached("an answer ends an episode", answered)
        claims.reached(
            "an episode of the root ends while all are told", (owed != 0) & reduces.any()
        )
        return m

    def _process(
        self,
        m: Module,
        claims: Properties,
        register: TreeRegister,
        ends: Value,
        accepted: Value,
        written: Value,
        live: Value,
    ) -> None:
        """Claim what the node's process sees."""
        inside = Signal()
        m.d.sync += inside.eq((inside | accepted) & ~ends)
        claims.holds(
            "the process is released exactly when the barrier is over",
            register.released == claims.before("ends", ends),
        )
        claims.holds(
            "no release without the process's arrival, and one for each", ~ends | inside | accepted
        )
        claims.holds(
            "an arrival that does not count is told",
            register.refused == (self.arrive & ~accepted),
        )
        claims.holds("ready only when set up and started", ~register.ready | (live & self.started))
        done = Signal()
        with m.If(ends):
            m.d.sync += done.eq(1)
        with m.Elif(accepted | written):
            m.d.sync += done.eq(0)
        claims.holds("done from the release to the next arrival", register.done == done)

    def _software(
        self, m: Module, claims: Properties, register: TreeRegister, image: data.View
    ) -> tuple[Value, Value, Value]:
        """Let software write; return: valid, word 0 is being written, it was a cycle ago."""
        control, tree = (
            struct(CONTROL)(self.given[: CONTROL.width]),
            struct(TREE)(self.given[: TREE.width]),
        )
        done, live, written = Signal(), Signal(), Signal()
        claims.assume(
            self.write != 3,
            ~self.write[1]
            | ((tree.parent == image.parent) & (tree.children[: self._ports] == image.children)),
            ~self.write[0]
            | (
                (control.gid == image.gid)
                & (control.epoch == image.epoch)
                & (control.root == image.root)
                & (control.op == 0)
                & (~control.valid | done)
            ),
        )
        m.d.comb += [
            register.write.eq(self.write),
            register.write_data.eq(self.given),
            written.eq(self.write[0] & ~register.write_refused),
        ]
        m.d.sync += done.eq(done | self.write[1])
        with m.If(written):
            m.d.sync += live.eq(control.valid)
        return live, written, claims.before("written", written)
