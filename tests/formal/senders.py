"""Senders of barrier units: all messages, each once, as their registers say, in turn."""

from typing import Any

from amaranth import Array, Cat, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.sender import Sender as MeshSender
from syncfabric.rtl.irregular.sender import Sender as TreeSender
from tests.formal.properties import Properties
from tests.formal.tree_register import network_of

__all__ = ["MeshSenderProof", "TreeSenderProof", "mesh_of"]

STAY = 15
"""Cycles for which who waits for a credit keeps its turn."""


def mesh_of(pipeline: int = 1) -> MeshSpec:
    """Return a mesh with links of their own for messages."""
    return MeshSpec(
        kind="mesh", width=3, height=3, data_bits=2, barrier_pipeline=pipeline, sync_links="own"
    )


class TreeSenderProof(wiring.Component):
    """The sender of a switch: registers that ask for anything, outputs that are open or not.

    Parameters
    ----------
    sources, ports : int
    """

    def __init__(self, sources: int, ports: int) -> None:
        self._sources, self._ports = sources, ports
        self._network = network_of(data_bits=2, setup="manager")
        super().__init__(
            {
                "children": In(sources * ports),
                "parent": In(sources * ports),
                "says": In(sources * 16),
                "open": In(ports),
                "which": In(range(sources)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims, count, ports = Properties(m), self._sources, self._ports
        m.submodules.sender = sender = TreeSender(self._network, ports, count)
        m.d.comb += sender.open.eq(self.open)
        sources: list[Any] = [getattr(sender, f"source_{i}") for i in range(count)]
        able = [Signal(ports, name=f"able_{i}") for i in range(count)]
        for i, source in enumerate(sources):
            children = self.children[i * ports : (i + 1) * ports]
            parent = self.parent[i * ports : (i + 1) * ports]
            m.d.comb += [
                source.children.eq(children),
                source.parent.eq(parent),
                Cat(source.wave, source.up_kind, source.gid, source.epoch, source.data).eq(
                    self.says[16 * i : 16 * i + 16]
                ),
                able[i].eq((children | parent) & self.open),
            ]
            claims.assume(~(children.any() & parent.any()), (parent & (parent - 1)) == 0)
        who = claims.constant("who", self.which)
        claims.assume(who < count)
        its = {
            name: Array(getattr(source, name) for source in sources)[who]
            for name in ("sent", "wave", "up_kind", "gid", "epoch", "data", "children")
        }
        sent: Value = its["sent"]
        message, here = sender.message, Array(able)[who]
        sending = Cat(source.sent.any() for source in sources)
        claims.holds("one register sends at most", (sending & (sending - 1)) == 0)
        claims.holds("somebody sends whenever somebody can", sending.any() == Cat(able).any())
        claims.holds("who sends, sends all that it can", ~sent.any() | (sent == here))
        claims.holds("and by these outputs alone", ~sent.any() | (sender.send == sent))
        claims.holds("by none when nobody sends", sending.any() | ~sender.send.any())
        kind = Mux(its["children"].any(), its["wave"], its["up_kind"])
        said = Cat(message.kind, message.gid, message.epoch, message.data)
        claims.holds(
            "the message is what its register says",
            ~sent.any() | (said == Cat(kind, its["gid"], its["epoch"], its["data"])),
        )
        claims.holds("no message when nobody sends", sending.any() | ~message.as_value().any())
        waited = Signal(range(count + 1))
        m.d.sync += waited.eq(Mux(~here.any() | sent.any(), 0, waited + (waited != count)))
        claims.holds(f"who can send waits for {count - 1} others at most", waited < count)
        claims.reached(f"who can send waits for {count - 1} others", waited == count - 1)
        return m


class MeshSenderProof(wiring.Component):
    """The sender of a mesh's barrier unit: two registers, credits that come and go.

    A register never has messages for its children and for its parent at once
    (`MeshRegisterProof`).

    Parameters
    ----------
    pipeline : int
        Of the barrier unit.

    Members
    -------
    new : In(10)
        What becomes pending, by register.
    controls, ups, says : In
        Words 0, ports towards parents (numbers), kinds and data.
    credits : In(8), take : In(4), places : In
        What the outputs say; where messages go.
    which : In(1)
        A register that is looked at.
    """

    def __init__(self, pipeline: int) -> None:
        self._network = network = mesh_of(pipeline)
        self._place = network.layout.x_bits + network.layout.y_bits + 1
        members = {"new": 10, "turns": 2, "names": 20, "ups": 4, "says": 12, "credits": 8}
        members |= {"take": 4, "places": 4 * self._place, "which": 1}
        super().__init__({name: In(width) for name, width in members.items()})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        claims = Properties(m)
        m.submodules.sender = sender = MeshSender(self._network, 2)
        sources: list[Any] = [sender.source_0, sender.source_1]
        m.d.comb += sender.has_credit.eq(self.credits)
        for i, source in enumerate(sources):
            pending = self._register(m, claims, source, i)
            m.d.comb += source.pending.eq(pending)
        for p in range(4):
            place = self.places.word_select(p, self._place)
            m.d.comb += getattr(sender, f"place_{p}").eq(place)
        m.d.comb += sender.take.eq(self.take & sender.offer)
        who = claims.constant("who", self.which)
        its = {
            name: Array(getattr(source, name) for source in sources)[who]
            for name in ("pending", "sent", "data", "wave", "up_kind", "up_port")
        }
        control = [Array(Value.cast(getattr(s.control, n)) for s in sources)[who] for n in
                   ("gid", "epoch", "turn")]  # fmt: skip
        gid, epoch, turn = control
        mine, up = sender.grant.bit_select(who, 1), its["pending"][4]
        claims.holds("one register has the turn", (sender.grant & (sender.grant - 1)) == 0)
        wanted = Signal(4)
        for p in range(4):
            to_child, to_parent = its["pending"][p], up & its["up_port"][p]
            late = Mux(to_parent, turn, p % 2)
            credit = self.credits[2 * p : 2 * p + 2].bit_select(late, 1)
            message: Any = getattr(sender, f"message_{p}")
            m.d.comb += wanted[p].eq((to_child | to_parent) & credit)
            said = Cat(message.kind, message.gid, message.epoch, message.turn, message.data)
            kind = Mux(to_parent, its["up_kind"], its["wave"])
            place = getattr(sender, f"place_{p}")
            right = (
                (said == Cat(kind, gid, epoch, late, its["data"]))
                & (message.x == place.x)
                & (message.y == place.y)
                & (getattr(sender, f"class_{p}") == Cat(~late, late))
            )
            claims.holds(
                f"the message of output {p} is what its register says, in its class",
                ~(mine & sender.offer[p]) | right,
            )
        claims.holds(
            "who has the turn offers all that holds a credit, and nothing else",
            ~mine | (sender.offer == wanted),
        )
        claims.holds(
            "nothing is offered in nobody's turn", sender.grant.any() | ~sender.offer.any()
        )
        gone = Cat(Mux(up, 0, sender.take)[:4], up & sender.take.any())
        claims.holds("a register is told what is sent of it, and of nothing else",
            its["sent"] == Mux(mine, gone, 0))  # fmt: skip
        waited = Signal(range(STAY + 4))
        some = its["pending"].any()
        m.d.sync += waited.eq(Mux(~some | mine, 0, waited + (waited != STAY + 3)))
        most = STAY
        claims.holds(f"who has something to send waits {most} cycles at most", waited <= most)
        claims.reached(f"who has something to send waits {most} cycles", waited == most)
        return m

    def _register(self, m: Module, claims: Properties, source: Any, i: int) -> Value:
        """Let a register have anything to send; return what."""
        new, kept = self.new[5 * i : 5 * i + 5], Signal(5, name=f"kept_{i}")
        due = kept | new
        says, name = self.says[6 * i : 6 * i + 6], self.names[10 * i : 10 * i + 10]
        m.d.comb += [
            source.soon.eq(due.any()),
            source.up_port.eq(1 << self.ups[2 * i : 2 * i + 2]),
            Cat(source.wave, source.up_kind, source.data).eq(says),
            source.control.gid.eq(name[:8]),
            source.control.epoch.eq(name[8:]),
            source.control.turn.eq(self.turns[i]),
        ]
        claims.assume(~(due[4] & due[:4].any()))
        if self._network.barrier_pipeline:
            # What is sent in this cycle was there before.
            m.d.sync += kept.eq((kept & ~source.sent) | new)
            return kept
        m.d.sync += kept.eq(due & ~source.sent)
        return due
