"""One barrier register of k ports: its image, who has arrived, and what is still to be sent."""

from typing import Any

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from syncfabric.models.messages import CONTROL, MOST_PORTS, TREE, Kind, SwitchWord
from syncfabric.models.networks.spec import IrregularSpec
from syncfabric.rtl.barrier.combine import combine_bitwise, combine_two, identity
from syncfabric.rtl.irregular.ports import NODE_PORTS, SenderSignature
from syncfabric.rtl.messages import struct

__all__ = ["TreeRegister"]


class TreeRegister(wiring.Component):
    """Merges the messages of its children, passes them on, and replicates the answer.

    Changes show in the next cycle. In a node interface (``node``) port 1 is the node's own
    process: its arrive is a message that needs no sending, its release one that never waits.

    Source: paper BTIN, Figs. 4 and 5 and Table 1; cycles as in docs/microarchitecture.md, I4, I5.

    Parameters
    ----------
    network : IrregularSpec
        Layouts and options.
    node : bool
        The register is a node interface's, of two ports, and not a switch's.

    Members
    -------
    match : In(links)
        The message presented at this port is for this register.
    message_0 .. : In(sync message)
        The presented messages, by port.
    countable, used : Out(links)
        Messages that are a new child's arrival, and those that were used in this cycle.
    chosen : In(links)
        Only in a switch with ``operations = "all"``: the arrival that is combined in this cycle.
    open : Out(1), gid : Out(8), epoch : Out(2)
        Messages with this GID and epoch match, if the register is valid.
    send : Out(SenderSignature)
        What is to be sent.
    write : In(2), write_data : In(32), write_refused : Out(1)
        Writes of words 0 and 1.
    word : In(3), read_data : Out(32)
        Config reading: word number and contents.
    observe : Out
        State, for benches.
    started, arrive, data, released, result, ready, done, refused
        Only in a node interface: the node port, and an arrive that was ignored.
    """

    def __init__(self, network: IrregularSpec, *, node: bool) -> None:
        self._network, self._node = network, node
        self._ports = NODE_PORTS if node else network.ports
        self._links = 1 if node else network.ports
        self._serial = network.operations == "all" and not node
        bits, links = network.data_bits, self._links
        members: dict[str, Any] = {
            "match": In(links),
            "countable": Out(links),
            "used": Out(links),
            "open": Out(1),
            "gid": Out(8),
            "epoch": Out(2),
            "send": Out(SenderSignature(network, links)),
            "write": In(2),
            "write_data": In(32),
            "write_refused": Out(1),
            "word": In(3),
            "read_data": Out(32),
            "observe": Out(2 * (self._ports + 1 + bits)),
        }
        for p in range(links):
            members[f"message_{p}"] = In(struct(network.layout.sync))
        if self._serial:
            members["chosen"] = In(links)
        if node:
            members |= {
                "started": In(1),
                "arrive": In(1),
                "data": In(bits),
                "released": Out(1),
                "result": Out(bits),
                "ready": Out(1),
                "done": Out(1),
                "refused": Out(1),
            }
        super().__init__(members)

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits, ports, links = self._network.data_bits, self._ports, self._links
        messages = [getattr(self, f"message_{p}") for p in range(links)]
        control = Signal(struct(CONTROL))
        parent, children = Signal(range(ports)), Signal(ports)
        arrived, fired, up = Signal(ports), Signal(), Signal()
        pending = Signal(links)
        acc, result = Signal(bits), Signal(bits)
        # The parent's port as one bit of each, a cycle after it was written: valid comes later.
        towards_parent = Signal(links)
        m.d.sync += towards_parent.eq(1 << parent)

        busy, refuses, writes = Signal(), Signal(), Signal()
        rewritten = Signal()
        m.d.sync += rewritten.eq(writes)
        m.d.comb += [
            busy.eq(arrived.any() | fired | up | pending.any()),
            # Who may match is not made to wait for the write: the write gives way.
            refuses.eq(busy | self.match.any() | (self.arrive if self._node else 0)),
            writes.eq(self.write[0] & ~refuses),
            self.write_refused.eq(Mux(self.write[0], refuses, self.write[1] & control.valid)),
            self.open.eq(control.valid),
            self.gid.eq(control.gid),
            self.epoch.eq(control.epoch),
        ]

        # What the messages for this register do. All that does not depend on them comes first.
        free, awaits = Signal(links), Signal()
        m.d.comb += [
            free.eq(Mux(rewritten, 0, children[:links] & ~arrived[:links] & ~pending)),
            awaits.eq(fired & ~up & ~control.root & ~rewritten),
        ]
        countable, used, down = Signal(links), Signal(links), Signal(links)
        for p, message in enumerate(messages):
            m.d.comb += [
                countable[p].eq(self.match[p] & (message.kind == Kind.REDUCE) & free[p]),
                down[p].eq(
                    self.match[p] & (message.kind == Kind.DISTRIBUTE) & (towards_parent[p] & awaits)
                ),
            ]
        m.d.comb += [
            used.eq(countable & self.chosen if self._serial else countable),
            self.countable.eq(countable),
            self.used.eq(used | down),
        ]
        words = [(used[p], message.data) for p, message in enumerate(messages)]
        came: Value = used
        if self._node:
            words.append((self._arrive(m, control, arrived, fired, children), self.data))
            came = Cat(used, words[1][0])
        combined = Signal(bits)
        m.d.comb += combined.eq(self._combine(control.op, acc, words))

        # Fire, release, and what they leave to send.
        fire, release, fire_up = Signal(), Signal(), Signal()
        after, new_result = Signal(ports), Signal(bits)
        missing, willing = Signal(ports), Signal()
        m.d.comb += [
            after.eq(arrived | came),
            missing.eq(children & ~arrived & ~came),
            willing.eq(control.valid & ~fired & ~pending.any() & children.any() & ~writes),
            fire.eq(willing & ~missing.any()),
            fire_up.eq(fire & ~control.root),
            release.eq(down.any() | (fire & control.root)),
            new_result.eq(
                Mux(
                    down.any(),
                    _any([Mux(down[p], w.data, 0) for p, w in enumerate(messages)]),
                    combined,
                )
            ),
        ]
        sent_up = (self.send.sent & towards_parent).any()
        m.d.sync += [
            pending.eq((pending & ~self.send.sent) | Mux(release, children[:links], 0)),
            up.eq((up & ~sent_up) | fire_up),
        ]
        with m.If(release):
            m.d.sync += [
                arrived.eq(0),
                fired.eq(0),
                acc.eq(identity(control.op, bits)),
                result.eq(new_result),
            ]
        with m.Else():
            m.d.sync += [arrived.eq(after), fired.eq(fired | fire_up), acc.eq(combined)]
        m.d.comb += [
            self.send.children.eq(pending),
            self.send.parent.eq(Mux(up, towards_parent, 0)),
            self.send.gid.eq(control.gid),
            self.send.epoch.eq(control.epoch),
            self.send.data.eq(Mux(up, acc, result)),
            self.observe.eq(Cat(arrived, fired, pending, Const(0, ports - links), up, acc, result)),
        ]
        if self._node:
            m.d.comb += self.result.eq(result)
            m.d.sync += self.released.eq(release & children[-1])
            with m.If(release & children[-1]):
                m.d.sync += self.done.eq(1)
            with m.Elif(words[1][0]):
                m.d.sync += self.done.eq(0)

        # The image.
        written = struct(CONTROL)(self.write_data[: CONTROL.width])
        tree = struct(TREE)(self.write_data[: TREE.width])
        with m.If(writes):
            m.d.sync += [
                control.eq(written),
                control.turn.eq(0),
                acc.eq(identity(written.op, bits)),
            ]
            if self._node:
                m.d.sync += self.done.eq(0)
        with m.If(self.write[1] & ~control.valid):
            m.d.sync += [parent.eq(tree.parent), children.eq(tree.children)]
        unused = Const(0, MOST_PORTS - ports)
        contents: dict[int, Value] = {
            SwitchWord.CONTROL: control.as_value(),
            SwitchWord.TREE: Cat(parent, Const(0, 4 - len(parent)), children, unused),
            SwitchWord.ARRIVED: Cat(arrived, unused, fired),
            SwitchWord.PENDING: Cat(pending, Const(0, MOST_PORTS - links), up),
            SwitchWord.RESULT: result,
        }
        m.d.comb += self.read_data.eq(Array(contents.get(w, 0) for w in range(8))[self.word])
        return m

    def _arrive(
        self, m: Module, control: Any, arrived: Value, fired: Value, children: Value
    ) -> Value:
        """Judge the process's arrive; return whether it counts."""
        arrives = Signal()
        m.d.comb += [
            self.ready.eq(control.valid & self.started),
            arrives.eq(
                self.arrive & self.open & self.started & ~arrived[-1] & ~fired & children[-1]
            ),
            self.refused.eq(self.arrive & ~arrives),
        ]
        return arrives

    def _combine(self, op: Value, held: Value, words: list[tuple[Value, Value]]) -> Value:
        """Return ``held`` combined with every word whose enable is set."""
        if self._network.operations == "bitwise":
            return combine_bitwise(op, held, words)
        if self._serial:
            word = _any([Mux(enable, word, 0) for enable, word in words])
            return Mux(Cat(enable for enable, _ in words).any(), combine_two(op, held, word), held)
        for enable, word in words:
            held = Mux(enable, combine_two(op, held, word), held)
        return held


def _any(values: list[Any]) -> Value:
    """Return the bitwise OR of ``values``."""
    result = values[0]
    for value in values[1:]:
        result = result | value
    return result
