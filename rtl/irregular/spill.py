"""Groups beyond the registers of a switch or node interface: one engine, one memory of all 256."""

from typing import Any

from amaranth import Cat, Const, Module, Mux, Value
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import COMMAND_WORD, MOST_PORTS, TREE, Kind, SwitchWord
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.irregular.image import tree_word
from syncfabric.rtl.irregular.ports import NODE_PORTS, SenderSignature
from syncfabric.rtl.messages import struct
from syncfabric.rtl.spill.base import SpillBase
from syncfabric.rtl.spill.form import EntryForm
from syncfabric.rtl.spill.kind import Work

__all__ = ["SpillEngine"]


class SpillEngine(SpillBase):
    """Spilled groups of k ports; in a node interface port 1 is the process.

    Cycles: docs/microarchitecture.md, I6 and S7.

    Source: paper BTIN, section 2.2, last paragraph (registers mapped onto memory).

    Parameters
    ----------
    network : IrregularSpec
        Layouts and options.
    node : bool
        It is a node interface's, and not a switch's.

    Members
    -------
    here .. clear_spill_freed
        As of :class:`SpillBase`.
    message_0 .. : In(sync message)
        Messages that no register matches, by port.
    send : Out(SenderSignature)
        The send register.
    """

    def __init__(self, network: IrregularSpec, *, node: bool) -> None:
        self._node = node
        self._ports = NODE_PORTS if node else network.ports
        self._links = 1 if node else network.ports
        form = EntryForm(
            links=self._links,
            image={"parent": range(self._ports), "children": self._ports},
            arrivals=self._ports,
            beside={},
            words=(SwitchWord.TREE,),
            command=COMMAND_WORD,
            turns=False,
            passes_waves=not node,
            beyond=network.managed and not node and network.turnaround == "node",
            process=node,
            sink=network.managed and not node,
        )
        members: dict[str, Any] = {"send": Out(SenderSignature(network, self._links))}
        for p in range(self._links):
            members[f"message_{p}"] = In(struct(network.layout.sync))
        super().__init__(network, form, members)

    def _heard(self, port: int) -> Value:
        return getattr(self, f"message_{port}").as_value()

    def _pending(self) -> tuple[Value, Value]:
        return self.send.children | self.send.parent, self.send.gid

    def _load(self, m: Module, work: Work) -> None:
        entry, send = work.entry, self.send
        children = self._downward(entry)
        if self._form.beyond:
            children = children | Mux(entry.beyond, self._upward(entry), 0)
        elif self._network.managed and self._node:
            # Those of GO and BROKEN end here.
            children = Mux(entry.life.wave == Kind.DISTRIBUTE, children, 0)
        with m.If(work.now.fetches):
            m.d.sync += [
                send.children.eq(Mux(entry.fired, 0, children)),
                send.parent.eq(Mux(entry.fired, self._upward(entry), 0)),
                send.data.eq(Mux(entry.fired, entry.acc, entry.result)),
                send.gid.eq(work.now.gid),
                send.epoch.eq(entry.control.epoch),
            ]
        with m.Else():
            m.d.sync += [
                send.children.eq(send.children & ~send.sent),
                send.parent.eq(send.parent & ~send.sent),
            ]
        self._send_kind(m, work)

    def _children(self, work: Work, reduce: Value) -> tuple[Value, Value]:
        entry, port, links = work.entry, work.now.port, self._links
        free = entry.children[:links] & ~entry.arrived[:links] & ~work.held
        used = reduce & ~entry.queued & (port & free).any()
        return used, entry.arrived[:links] | Mux(used, port, 0)

    def _upward(self, entry: Any) -> Value:
        return (1 << entry.parent)[: self._links]

    def _downward(self, entry: Any) -> Value:
        return entry.children[: self._links]

    def _from_parent(self, work: Work) -> Value:
        return (work.now.port & self._upward(work.entry)).any()

    def _hears_waves(self, work: Work) -> Value:
        # A node interface hears its switch whatever its place in the tree.
        return Const(1) if self._node else super()._hears_waves(work)

    def _is_complete(self, work: Work, arrived: Value) -> Value:
        entry, held = work.entry, work.held
        if self._form.beyond:
            held = held & entry.children  # GO to the parent's port may still be there
        quiet = ~entry.queued & ~held.any()
        return quiet & entry.children.any() & (arrived == entry.children)

    def _is_member(self, entry: Any) -> Value:
        return entry.children[-1]

    def _is_alone(self, entry: Any) -> Value:
        return entry.control.root & ~entry.children[0]

    def _words(self, entry: Any, flags: list[Value]) -> dict[int, Value]:
        unused = Const(0, MOST_PORTS - self._ports)
        return {
            SwitchWord.CONTROL: entry.control.as_value(),
            SwitchWord.TREE: tree_word(entry.parent, entry.children),
            SwitchWord.ARRIVED: Cat(entry.arrived, unused, entry.fired, *flags),
            SwitchWord.PENDING: entry.queued,
            SwitchWord.RESULT: entry.result,
        }

    def _write(self, m: Module, work: Work) -> None:
        tree = struct(TREE)(work.now.value[: TREE.width])
        m.d.comb += [work.after.parent.eq(tree.parent), work.after.children.eq(tree.children)]
