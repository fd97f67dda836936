"""Groups beyond the registers of a mesh node: one engine works on a memory of all 256, in place."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Value
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import STATUS, RegisterWord
from syncfabric.models.networks.spec import MeshSpec
from syncfabric.rtl.barrier.ports import SenderSignature
from syncfabric.rtl.barrier.rules import is_complete, used_reduces
from syncfabric.rtl.mesh.routing import route
from syncfabric.rtl.messages import node_contents, node_place, node_word, parent_word, struct
from syncfabric.rtl.spill.base import SpillBase
from syncfabric.rtl.spill.form import EntryForm
from syncfabric.rtl.spill.kind import Work

__all__ = ["SpillEngine"]

_PLACES = ("parent", *(f"child_{p}" for p in range(4)))
"""Fields of the image, in the order of their words."""


class SpillEngine(SpillBase):
    """Spilled groups with a parent and four children somewhere on the mesh.

    The last bit of ``arrived`` is the node's own process.

    Cycles: docs/microarchitecture.md, sections 5 and S7.

    Source: paper BTM, section 2.1, last paragraph (registers mapped onto memory).

    Parameters
    ----------
    network : MeshSpec
        Layouts and options.

    Members
    -------
    here .. clear_spill_freed
        As of :class:`SpillBase`.
    x, y : In
        Position of the router.
    class_0 .. class_3 : In(2), message_0 .. message_3 : In(sync message)
        Messages that no register matches, by port, and their classes.
    send : Out(SenderSignature)
        The send register.
    parent, child_0 .. child_3 : Out(place)
        Where its messages go.
    """

    def __init__(self, network: MeshSpec) -> None:
        layout = network.layout
        place = node_place(layout)
        form = EntryForm(
            links=4,
            image={**dict.fromkeys(_PLACES, place), "relay": 1},
            arrivals=5,
            beside={"turn_class": 2},
            words=tuple(range(RegisterWord.PARENT, RegisterWord.STATUS)),
            command=RegisterWord.STATUS,
            turns=True,
            passes_waves=True,
            beyond=False,
            process=True,
            sink=network.managed,
        )
        members: dict[str, Any] = {
            "x": In(layout.x_bits),
            "y": In(layout.y_bits),
            "send": Out(SenderSignature(network)),
            **dict.fromkeys(_PLACES, Out(place)),
        }
        for p in range(4):
            members |= {f"class_{p}": In(2), f"message_{p}": In(struct(layout.sync))}
        super().__init__(network, form, members)

    def _heard(self, port: int) -> Value:
        return Cat(getattr(self, f"message_{port}"), getattr(self, f"class_{port}"))

    def _pending(self) -> tuple[Value, Value]:
        return self.send.pending, self.send.control.gid

    def _load(self, m: Module, work: Work) -> None:
        entry, send = work.entry, self.send
        loaded = Mux(entry.fired, Const(0b10000, 5), self._downward(entry))
        m.d.comb += send.soon.eq(Mux(work.now.fetches, loaded, send.pending).any())
        with m.If(work.now.fetches):
            m.d.sync += [
                send.pending.eq(loaded),
                send.data.eq(Mux(entry.fired, entry.acc, entry.result)),
                send.control.eq(entry.control),
                send.control.gid.eq(work.now.gid),
                *(getattr(self, name).eq(getattr(entry, name)) for name in _PLACES),
                send.up_port.eq(self._upward(entry)),
            ]
        with m.Else():
            m.d.sync += send.pending.eq(send.pending & ~send.sent)
        self._send_kind(m, work)

    def _children(self, work: Work, reduce: Value) -> tuple[Value, Value]:
        entry, now = work.entry, work.now
        arrived = entry.arrived[:4]
        used = Cat(
            used_reduces(
                [reduce & ~entry.fired & now.port[p] for p in range(4)],
                [now.heard.turn_class] * 4,
                self._downward(entry),
                arrived,
            )
        )
        return used.any(), arrived | used

    def _upward(self, entry: Any) -> Value:
        return Mux(
            entry.control.turn,
            route(self.x, self.y, entry.parent, y_first=True),
            route(self.x, self.y, entry.parent, y_first=False),
        )[:4]

    def _downward(self, entry: Any) -> Value:
        return Cat(getattr(entry, f"child_{p}").present for p in range(4))

    def _from_parent(self, work: Work) -> Value:
        heard, turn = work.now.heard.turn_class[1], work.entry.control.turn
        # It comes back the way the REDUCE went, in the other class.
        return (heard != turn) & (work.now.port & self._upward(work.entry)).any()

    def _is_complete(self, work: Work, arrived: Value) -> Value:
        present = self._downward(work.entry)
        own = Mux(work.entry.relay, present.any(), arrived[4])
        return own & is_complete(arrived[:4], present)

    def _is_member(self, entry: Any) -> Value:
        member: Value = ~entry.relay
        return member

    def _words(self, entry: Any, flags: list[Value]) -> dict[int, Value]:
        idle = STATUS.width - len(entry.arrived) - 3
        status = Cat(entry.arrived, Const(0, 1), entry.fired, Const(0, idle), entry.queued, *flags)
        words = [node_contents(getattr(entry, name)) for name in _PLACES]
        words[0] = Cat(words[0], entry.relay)
        return {
            RegisterWord.CONTROL: entry.control.as_value(),
            **dict(enumerate(words, RegisterWord.PARENT)),
            RegisterWord.STATUS: status,
            RegisterWord.RESULT: entry.result,
        }

    def _write(self, m: Module, work: Work) -> None:
        written = node_word(work.now.value)
        for word, name in enumerate(_PLACES, RegisterWord.PARENT):
            target = getattr(work.after, name)
            with m.If(work.now.word == word):
                m.d.comb += [target.x.eq(written.x), target.y.eq(written.y)]
                if name == "parent":
                    m.d.comb += work.after.relay.eq(parent_word(work.now.value).relay)
                else:
                    m.d.comb += target.present.eq(written.present)
